"""The benchmark as shipped: ``pytest --pyargs pytest_compaction.benchmark --compactor=…``."""
