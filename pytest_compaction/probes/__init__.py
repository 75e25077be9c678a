"""Probes: derived from a log by rules, written by a model, and linted in case files."""
