"""The loans of a library of things, in one SQLite file for each branch."""
