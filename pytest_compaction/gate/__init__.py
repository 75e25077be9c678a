"""The gate: thresholds on aggregates, and what they decide about the records of a run."""
