"""Calls: making them, keeping them, and accounting for what they cost."""
