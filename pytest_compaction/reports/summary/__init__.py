"""The end of a run on a terminal: one strategy in detail, or several in a table."""
