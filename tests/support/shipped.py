"""The shipped cases as material for tests, read once a process."""

from functools import cache

from pytest_compaction.case.files import load_cases
from pytest_compaction.session.session import shipped_cases


class _Everything:
    """Holds whatever it is asked for."""

    def __contains__(self, digest):
        return True


@cache
def shipped():
    """The shipped cases. Their evidence is checked where they are measured, see ``measuring``."""
    loaded = load_cases([shipped_cases()], checked=_Everything())
    assert not loaded.errors
    return loaded.cases
