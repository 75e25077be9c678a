"""Whether what a passage says is said of a statement's own things, in their own roles and order."""
