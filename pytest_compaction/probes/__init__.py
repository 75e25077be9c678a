"""Probes derived from a log, and checks of probes."""
