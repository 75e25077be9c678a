"""From an imported transcript to a case: points, budget, redaction, probes."""
