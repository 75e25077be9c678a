"""Files that cannot grow any more, as on a full disk: the system refuses what is beyond a size."""

import contextlib
import resource
import sys

FAULT = "File too large"
IN_CONFTEST = """
import resource
import sys

import pytest

SOFT, HARD = resource.getrlimit(resource.RLIMIT_FSIZE)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop():
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, HARD))


def pytest_unconfigure():
    sys.dont_write_bytecode = False
    resource.setrlimit(resource.RLIMIT_FSIZE, (SOFT, HARD))
"""
"""Text of a conftest whose processes can write so much to a file once the run has begun.

They write no bytecode: Python would leave the beginning of a module, which no later run can load.
"""


@contextlib.contextmanager
def files_of(size):
    """No file of this process grows beyond ``size`` bytes meanwhile."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
