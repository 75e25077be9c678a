"""Views that are not of their own log: what they name, the log never said.

A view from a cache with too short a key, or a text that is the same for every log, states
names that come from elsewhere. A summary may name a file or a function that its log spells
otherwise, so that only a view most of whose names come from elsewhere is called foreign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.case.case import Case
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.metrics.facts.foreign_wordings import ForeignWordings, foreign_wordings
from pytest_compaction.text import normalize

LEAST: Final = 5
"""The fewest foreign names of a foreign view: with less there is little to go by."""
SHOWN: Final = 5
"""The most names that are kept."""
_PART: Final = 1_000_000
"""Characters of a part of a log, at least."""


@dataclass(frozen=True, slots=True)
class ForeignNames:
    """The first ``SHOWN`` names of a view that its log lacks.

    ``count`` is how many it lacks, ``of`` how many paths and names the view has in all.
    """

    names: tuple[str, ...] = ()
    count: int = 0
    of: int = 0

    @property
    def make_it_foreign(self) -> bool:
        """Whether most names of the view come from elsewhere, and not just a few."""
        return self.count >= LEAST and 2 * self.count > self.of


def foreign_names(view: Sequence[Message], log: Sequence[str]) -> ForeignNames:
    """The paths and names of a view that its log lacks.

    ``log`` are the normalised texts of its messages. Messages that stand in it word for word are
    passed over, and of a path its last part is enough.
    """
    from pytest_compaction.text import claims  # takes long to import

    whole = frozenset(log)  # to look for a message in all of a long log takes long
    parts = tuple(_parts(log))

    def is_said(text: str) -> bool:
        return text in whole or any(text in part for part in parts)

    texts = (readable(message) for message in view)
    made = [text for text in texts if not is_said(normalize(text))]
    named = {
        claim.text: None
        for text in made
        for claim in claims(text)
        if claim.kind in {"path", "name"}
    }
    lacking = [name for name in named if not is_said(_last_part(name))]
    return ForeignNames(tuple(lacking[:SHOWN]), len(lacking), len(named))


@lru_cache(maxsize=8)  # the probes of a case follow one another and share a view
def foreign_to_case(view: tuple[Message, ...], case: Case, point: int) -> ForeignNames:
    """The names of a view after a point of a case that its log until there lacks."""
    return foreign_names(view, _normal_log(case)[: len(case.log_until(point))])


@lru_cache(maxsize=8)
def worded_as_case(view: tuple[Message, ...], case: Case, point: int) -> ForeignWordings:
    """The facts asked for after a point whose wording by the case file its log lacks."""
    log = _normal_log(case)[: len(case.log_until(point))]
    whole = frozenset(log)
    texts = (normalize(readable(message)) for message in view)
    made = [text for text in texts if text not in whole]
    facts = [fact for probe in case.probes if probe.point == point for fact in probe.facts]
    return foreign_wordings(made, facts, log)


@lru_cache(maxsize=2)  # points and strategies of a case follow one another
def _normal_log(case: Case) -> tuple[str, ...]:
    return tuple(normalize(readable(message)) for message in case.messages)


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined to parts of some size; joined to one, they would be held twice at once."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= _PART:
            yield "\n".join(held)
            held, size = [], 0
    yield "\n".join(held)


def _last_part(name: str) -> str:
    return normalize(name.rstrip("/").rpartition("/")[2])
