"""Benchmark items: which there are, how each becomes a test, and what is recorded of it."""
