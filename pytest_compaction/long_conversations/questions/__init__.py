"""Questions on the events of a plan, one ability a file."""
