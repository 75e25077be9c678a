"""Requests written to files and replies read from files, in place of an endpoint."""
