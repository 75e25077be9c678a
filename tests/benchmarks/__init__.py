"""Benchmarks of speed, each repeated by ``python -m tests.benchmarks NAME``."""
