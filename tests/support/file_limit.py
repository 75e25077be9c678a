"""Files that cannot grow any more, as on a full disk: the system refuses what is beyond a size."""

import contextlib
import resource

FAULT = "File too large"
IN_CONFTEST = """
import resource

import pytest

SOFT, HARD = resource.getrlimit(resource.RLIMIT_FSIZE)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, HARD))


def pytest_unconfigure():
    resource.setrlimit(resource.RLIMIT_FSIZE, (SOFT, HARD))
"""
"""Text of a conftest whose processes can write so much to a file once the run has begun."""


@contextlib.contextmanager
def files_of(size):
    """No file of this process grows beyond ``size`` bytes meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
