"""A/B of two prompts, or of a function of the user at two git refs."""
