"""Sources of derived probes: each file asks about one kind of fact."""
