"""A user's function or callable object as a strategy."""
