"""Several strategies as one: ``a+b``."""
