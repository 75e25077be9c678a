"""Accepted verdicts as snapshot files."""
