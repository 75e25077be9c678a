"""Baselines: the earlier runs that a run is compared with, and what may be compared."""
