"""Ships the log lines of a ferry to the shore."""

__version__ = "0.8.0"
