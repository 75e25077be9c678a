"""Conversations of published sets on long memory, read as cases and written."""
