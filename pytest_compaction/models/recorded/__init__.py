"""Recorded words: summaries that a large language model wrote once, and their archive."""
