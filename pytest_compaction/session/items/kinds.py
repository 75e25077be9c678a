"""The kinds of benchmark items: the fixtures that ask for one, and the class that knows the rest.

The plugin reads this table in every pytest run, so a class is only loaded when it is needed.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from pytest_compaction.records import Record, RecordType

ARM: Final = "compaction_arm"
"""The fixture that holds the strategy and the trial of an item of any kind."""
RECORD: Final[pytest.StashKey[Record]] = pytest.StashKey()
"""The record of an item as far as it is known: set by its fixtures, then by its reports."""
OUR_FIXTURES: Final = "pytest_compaction.session.items.fixtures"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of benchmark item."""

    fixtures: tuple[str, ...]
    target: str

    def load(self) -> Any:
        return pkgutil.resolve_name(self.target)


KINDS: Final[Mapping[RecordType, Kind]] = {
    "probe": Kind(("case", "probe"), "pytest_compaction.session.items.probe:ProbeItem"),
    "dialogue": Kind(("dialogue",), "pytest_compaction.session.items.dialogue:DialogueItem"),
}
"""All kinds. The first one whose fixtures a test function asks for is its kind."""


def kind_of(metafunc: pytest.Metafunc) -> Kind | None:
    """The kind of item that a test function measures; ``None`` for a test of another sort."""
    definitions: Mapping[str, Sequence[Any]] = getattr(metafunc, "_arg2fixturedefs", {})
    provided = set()
    for name, found in definitions.items():
        if not found or getattr(found[-1].func, "__module__", None) != OUR_FIXTURES:
            provided.add(name)
    for mark in metafunc.definition.iter_markers("parametrize"):
        names = mark.args[0] if mark.args else mark.kwargs.get("argnames", ())
        provided.update(names.replace(",", " ").split() if isinstance(names, str) else names)
    for kind in KINDS.values():
        wanted = set(kind.fixtures)
        if wanted <= set(metafunc.fixturenames) and not wanted & provided:
            return kind
    return None


def parametrize_idle(metafunc: pytest.Metafunc) -> None:
    """Without a strategy a test function becomes one item, which is deselected later."""
    every = dict.fromkeys(name for kind in KINDS.values() for name in kind.fixtures)
    names = [name for name in (*every, ARM) if name in metafunc.fixturenames]
    value = pytest.param(*[None] * len(names), id="no-compactor", marks=pytest.mark.compaction)
    metafunc.parametrize(names, [value], scope="session")
