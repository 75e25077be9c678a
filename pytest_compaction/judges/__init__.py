"""Judges: from a response to a verdict."""
