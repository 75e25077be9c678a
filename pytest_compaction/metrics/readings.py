"""How a text reads: outcomes of the facts and traps of a probe, and why a fact is lost."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final, Literal

from pytest_compaction.case import Fact, Trap
from pytest_compaction.conversation import Message, readable
from pytest_compaction.text import Reading, Statement, printable

if TYPE_CHECKING:
    from pytest_compaction.text import SharedTexts, TextIndex

Loss = Literal["dropped", "unused"]
Source = Literal["view", "answer"]
"""Where something is read: in the whole view, or in the answer from it."""
MOST_CHARACTERS: Final = 8_000_000
"""Characters of the texts of all views that are held ready for more questions."""


@dataclass(frozen=True, slots=True)
class Readings:
    """How one text was read; ``facts`` and ``hit`` run parallel to those of the probe."""

    facts: tuple[Reading, ...]
    hit: tuple[bool, ...] = ()

    @property
    def stated(self) -> tuple[bool, ...]:
        """Whether each fact is stated; an uncertain one is not."""
        return tuple(reading.outcome == "stated" for reading in self.facts)


class ReadViews:
    """The views read lately, and what their messages have in common.

    Views of one case are read near each other. When their texts, each counted once, have come to
    more than ``most`` characters, and to more than twice the longest view, all is dropped, so that
    a run of many cases stays bounded.
    """

    def __init__(self, most: int = MOST_CHARACTERS) -> None:
        self._most = most
        self.forget()

    def forget(self) -> None:
        """Drop all that is held."""
        self._shared: SharedTexts | None = None
        self._indexes: dict[tuple[Message, ...], TextIndex] = {}
        self._longest = 0

    @property
    def characters(self) -> int:
        """The length of the texts that are held."""
        return self._shared.characters if self._shared is not None else 0

    def index(self, view: tuple[Message, ...]) -> TextIndex:
        """The readable text of a view, prepared for the facts of all its probes."""
        if view not in self._indexes:
            if self.characters > max(self._most, 2 * self._longest):
                self.forget()
            texts = [readable(message) for message in view]
            written = [number for number, each in enumerate(view) if each.origin == "synthetic"]
            self._longest = max(self._longest, sum(map(len, texts)))
            self._indexes[view] = self._texts.view(texts, written)
        return self._indexes[view]

    @property
    def _texts(self) -> SharedTexts:
        from pytest_compaction.text import SharedTexts  # takes long to import

        if self._shared is None:
            self._shared = SharedTexts()
        return self._shared


_VIEWS: Final = ReadViews()


def view_index(view: tuple[Message, ...]) -> TextIndex:
    """The readable text of a view, prepared for the facts of all its probes."""
    return _VIEWS.index(view)


def read(facts: Sequence[Fact], traps: Sequence[Trap], index: TextIndex) -> Readings:
    """The outcome of each fact and trap in a text.

    A trap is hit if the text states it and nothing that stands now: neither what it names as
    current nor the fact that it is the counterpart of. That fact is then contradicted.
    """
    return _readings(facts, traps, index, index.read)


def read_outcomes(facts: Sequence[Fact], traps: Sequence[Trap], index: TextIndex) -> Readings:
    """The outcomes without the words that decided, which skips sentences that decide nothing."""
    return _readings(facts, traps, index, lambda statement: Reading(index.outcome(statement)))


def _readings(
    facts: Sequence[Fact],
    traps: Sequence[Trap],
    index: TextIndex,
    reading_of: Callable[[Statement], Reading],
) -> Readings:
    found = {fact.text: reading_of(fact.statement) for fact in facts}
    hit: list[bool] = []
    for trap in traps:
        fact = found.get(trap.of) if trap.of is not None else None
        caught = (fact is None or fact.outcome != "stated") and trap.hit_by(index)
        hit.append(caught)
        if caught and trap.of in found and found[trap.of].outcome != "contradicted":
            instead = reading_of(trap.statement)
            why = f"states instead: {printable(trap.text, 80)}"
            found[trap.of] = Reading("contradicted", instead.clause, instead.words, why)
    return Readings(tuple(found[fact.text] for fact in facts), tuple(hit))


def readings_of(
    stated: Sequence[bool], hit: Sequence[bool], facts: Sequence[Fact], traps: Sequence[Trap]
) -> Readings:
    """The readings of a judge that says only which facts are stated and which traps are hit."""
    instead = {trap.of for trap, caught in zip(traps, hit, strict=True) if caught}
    return Readings(
        tuple(
            Reading("stated" if held else "contradicted" if fact.text in instead else "absent")
            for fact, held in zip(facts, stated, strict=True)
        ),
        tuple(hit),
    )


def loss(survives: bool, used: bool | None, leads: Source = "answer") -> Loss | None:
    """Why a fact is lost: ``dropped`` from the view, or in the view and ``unused`` by the answer.

    Where the view leads, a fact that it does not state is lost whatever the answer says. Where
    no answer was made, ``used`` is ``None``.
    """
    if not survives and (leads == "view" or not used):
        return "dropped"
    return "unused" if used is False else None


_READER: Final = ("text", "metrics/readings.py", "metrics/dimensions.py", "rubric.py")
"""The code that reads and scores a view."""


@cache
def reader_version() -> str:
    """A hash of the code that reads facts in texts, and of the stemmer's version.

    Runs of different readers are read again.
    """
    found = hashlib.sha256(metadata.version("snowballstemmer").encode())

    def take_in(place: Traversable) -> None:
        if place.is_dir():
            for each in sorted(place.iterdir(), key=lambda each: each.name):
                if each.is_dir() or each.name.endswith((".py", ".txt")):
                    take_in(each)
            return
        content = place.read_bytes().replace(b"\r\n", b"\n")
        found.update(f"{place.name} {len(content)}\n".encode())
        found.update(content)

    package = resources.files(__package__.partition(".")[0])
    for name in _READER:
        take_in(package.joinpath(*name.split("/")))
    return found.hexdigest()[:12]
