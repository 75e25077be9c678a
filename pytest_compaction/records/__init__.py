"""Records: one JSON object for each item, and the files that hold a run."""
