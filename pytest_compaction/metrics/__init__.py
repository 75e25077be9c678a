"""Metrics: pure functions over numbers, texts and records."""
