"""What all workers of a test run have in common: measurements, and counts that are printed."""

import os
import tempfile

# Imported for good: pytester takes modules back that a run in this process imported, and
# httpx2 would go on looking up errors by the classes of the httpcore2 that is gone.
import httpcore2  # noqa: F401
import httpx2  # noqa: F401
import pytest
from support.counted import totals

SHARED = "COMPACTION_TESTS_MEASURED"
"""Read in measuring.py."""
FOLDER = pytest.StashKey()


def pytest_configure(config):
    """The process that starts the workers makes the folder that they share."""
    if SHARED not in os.environ:
        config.stash[FOLDER] = tempfile.TemporaryDirectory(prefix="measured-")
        os.environ[SHARED] = config.stash[FOLDER].name


def pytest_unconfigure(config):
    if FOLDER in config.stash:
        del os.environ[SHARED]
        config.stash[FOLDER].cleanup()


def pytest_terminal_summary(terminalreporter):
    reports = [
        report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())
    ]
    found = totals(reports)
    if found:
        terminalreporter.section("counts")
    for name, count in found.items():
        terminalreporter.write_line(f"{name}: {count:,}")
