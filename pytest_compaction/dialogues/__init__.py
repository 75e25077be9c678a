"""Dialogues: replayed with and without compaction, and what that saves and costs."""
