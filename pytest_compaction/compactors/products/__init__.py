"""Strategies that follow real products, one a file; the file name is the name of the strategy."""
