"""In how many processes the runs of a test go."""

import pytest

BOTH = pytest.mark.parametrize(
    "workers", ["-n0", pytest.param("-n2", marks=pytest.mark.exhaustive)]
)
"""In one process in every run of the tests, with two workers in the lane of what is slow."""
