"""Transcript formats, one a file or folder."""
