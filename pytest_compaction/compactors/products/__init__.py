"""Strategies that follow real products, one per file; the file name is the strategy's name."""
