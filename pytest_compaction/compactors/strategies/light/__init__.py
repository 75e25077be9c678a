"""LIGHT: a scratchpad, the newest pairs, and pairs found for each question by their notes."""
