"""Roo Code: its summary before the last messages, and its sliding window."""
