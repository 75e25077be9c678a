"""Hourly mean flows from the raw readings of river gauges."""

__version__ = "1.4.0"
