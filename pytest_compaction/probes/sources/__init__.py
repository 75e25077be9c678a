"""Sources of probes: each file asks about one kind of thing that a log states."""
