"""Compaction strategies: one a file."""
