"""``pytest-compaction init``: the first files of a project that measures a compactor."""
