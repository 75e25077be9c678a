"""The commands of ``pytest-compaction``, one a module, each with ``add`` and ``run``."""
