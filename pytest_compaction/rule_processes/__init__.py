"""Processes beside pytest's own in which rules do what takes long."""
