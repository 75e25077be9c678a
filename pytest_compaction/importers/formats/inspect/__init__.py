"""Evaluation logs of Inspect."""
