"""Cline: its three modes of making room."""
