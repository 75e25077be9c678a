"""Runs that ask no model: an estimate of the calls, and an export of those that are missing."""
