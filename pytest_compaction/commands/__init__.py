"""The commands of ``pytest-compaction``, one per module, each with ``add`` and ``run``."""
