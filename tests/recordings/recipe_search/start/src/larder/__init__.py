"""The recipe catalogue of the Thursday kitchen."""

__version__ = "2.7.0"
