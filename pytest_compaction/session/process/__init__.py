"""The process of a run: a strategy that ends it cannot make it look green."""
