"""``pytest-compaction words``: what is recorded, whether it is whole, and recording more."""
