"""The fixtures ``case``, ``probe`` and ``dialogue``: parsed when a benchmark item asks for them.

A plugin of its own, registered only if a strategy is named or fixtures are listed, so that no
other run has fixtures of these names. Collection parametrizes them with entries. A fixture of
the same name in a user's own module or ``conftest.py`` takes their place.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_compaction.case import CaseEntry, CaseSet, ProbeEntry

CASES: Final = pytest.StashKey[CaseSet]()


@pytest.fixture(scope="session")
def case(request: pytest.FixtureRequest) -> Any:
    """The case of a benchmark item: a conversation that is compacted, and its probes.

    A test that asks for ``case`` and ``probe`` runs once for each probe of each case.
    """
    found = _parameter(request, "case", "probe")
    return request.config.stash[CASES].case(found.id) if isinstance(found, CaseEntry) else found


@pytest.fixture(scope="session")
def probe(request: pytest.FixtureRequest, case: Any) -> Any:
    """The probe of a benchmark item: one question asked of the compacted conversation.

    A test that asks for ``probe`` asks for ``case`` too.
    """
    found = _parameter(request, "probe", "case")
    if isinstance(found, ProbeEntry):
        return request.config.stash[CASES].probe(case.id, found.id)
    return found


@pytest.fixture(scope="session")
def dialogue(request: pytest.FixtureRequest) -> Any:
    """The dialogue of a benchmark item: user turns that are answered in order.

    A test that asks for it runs once for each dialogue of the files of --compaction-cases.
    """
    return request.param


def _parameter(request: pytest.FixtureRequest, name: str, other: str) -> Any:
    """What collection gave the fixture, which it does only in tests of a benchmark."""
    try:
        return request.param
    except AttributeError:
        request.raiseerror(
            f"fixture {name!r} not found: a benchmark gives it a value only in a test that asks "
            f"for {other!r} too and provides neither"
        )
