"""Reports: records as text."""
