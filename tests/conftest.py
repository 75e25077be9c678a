"""Prints what tests counted, under pytest-xdist too (see counted.py)."""

# Imported for good: pytester takes modules back that a run in this process imported, and
# httpx2 would go on looking up errors by the classes of the httpcore2 that is gone.
import httpcore2  # noqa: F401
import httpx2  # noqa: F401
from counted import totals


def pytest_terminal_summary(terminalreporter):
    reports = [
        report for name in ("passed", "failed") for report in terminalreporter.stats.get(name, ())
    ]
    found = totals(reports)
    if found:
        terminalreporter.section("counts")
    for name, count in found.items():
        terminalreporter.write_line(f"{name}: {count:,}")
