"""From an imported transcript to a case: points, redaction, probes, and the lint of case files."""
