"""What ``pytest-compaction`` can do, one verb a module, each with ``add`` and ``run``."""
