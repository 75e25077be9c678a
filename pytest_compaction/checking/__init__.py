"""The invariants that every compactor should keep, checked on generated logs of agents."""
