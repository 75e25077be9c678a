"""How far the calls of a run with a model are: the line that says so while it runs."""
