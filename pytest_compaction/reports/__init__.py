"""Reports: records and cases as text."""
