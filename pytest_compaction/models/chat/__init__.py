"""The chat model: requests rendered to prompts, replies read back."""
