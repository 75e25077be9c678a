"""``pytest-compaction review``: the command, its screens at the terminal, and its local page."""
