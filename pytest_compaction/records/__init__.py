"""Records: one JSON line an item, and the files that hold a run."""
