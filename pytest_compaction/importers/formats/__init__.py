"""Transcript formats, one module or folder each."""
