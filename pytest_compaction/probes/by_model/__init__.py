"""Probes written by a model and checked against the log."""
