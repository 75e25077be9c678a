"""The shipped cases as material for tests, read once a process.

``PYTHONPATH=tests python -m support.shipped`` checks their evidence and marks them as checked.
"""

from functools import cache

from pytest_compaction.case import find_cases
from pytest_compaction.session.session import PACKAGED, shipped_cases, shipped_digests

CHECKED_CASES = PACKAGED / "checked_cases.txt"


@cache
def shipped():
    """The shipped cases. Those that are marked as checked are not checked again."""
    loaded = find_cases([shipped_cases()], checked=shipped_digests())
    assert not loaded.errors
    return loaded.cases


def scripted():
    """The shipped cases that were written for the benchmark."""
    return tuple(case for case in shipped() if case.origin == "scripted")


def marks(known=()):
    """The digests of the shipped cases; each that is not among those known must stand its check."""
    loaded = find_cases([shipped_cases()], checked=known)
    assert not loaded.errors, loaded.errors
    return "".join(f"{digest}\n" for digest in sorted(case.digest for case in loaded.cases))


if __name__ == "__main__":
    CHECKED_CASES.write_text(marks(), "utf-8")
