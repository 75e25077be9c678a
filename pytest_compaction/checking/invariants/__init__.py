"""The invariants, grouped by what they protect."""
