"""Facts that a question brings back into a view, and that the view without it does not state.

Only records of strategies that read the question tell it: of ``STRATEGY+archive``, which searches
what was dropped, and of ``rag`` and ``light``, which see the question at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_compaction.metrics.intervals import (
    Mean,
    case_key,
    clustered,
    counts_of,
    mean_over,
)
from pytest_compaction.record import FactRecord, Record


def stated_unasked(record: Record) -> float | None:
    """The share of an item's facts that the view states without its question."""
    facts = _known(record)
    return sum(before for before, _ in facts) / len(facts) if facts else None


def without_questions(records: Sequence[Record]) -> list[Record]:
    """The records whose view without the question is known, as if that had been the view."""
    found: list[Record] = []
    for record in records:
        if _known(record):
            tokens = record["tokens"]
            view = tokens["view"] - record["search"]["tokens"]
            facts: list[FactRecord] = [
                {**fact, "survived": fact["unasked"]}
                for fact in record["facts"]
                if "unasked" in fact
            ]
            found.append({**record, "tokens": {**tokens, "view": view}, "facts": facts})
    return found


def found_share(record: Record) -> float | None:
    """The share of the facts dropped from the view that its question brought back."""
    found = _found(record)
    return sum(found) / len(found) if found else None


def found_facts(records: Sequence[Record]) -> Mean | None:
    """This share of all facts that were dropped; ``None`` where none was, or none is known."""
    return mean_over(clustered((case_key(r), float(back)) for r in records for back in _found(r)))


def tokens_a_found_fact(records: Sequence[Record]) -> Mean | None:
    """Tokens that the questions brought, for each fact that was found; ``None`` without any."""
    asked = [record for record in records if _known(record)]
    facts = sum(sum(_found(record)) for record in asked)
    if not facts:
        return None
    tokens = sum(record["search"]["tokens"] for record in asked)
    return Mean(tokens / facts, None, len(asked), *counts_of(asked))


def _known(record: Record) -> list[tuple[bool, bool]]:
    """Of each fact whether the view states it without the question and with it."""
    if record["overall"] is None or "search" not in record:
        return []
    return [(fact["unasked"], fact["survived"]) for fact in record["facts"] if "unasked" in fact]


def _found(record: Record) -> list[bool]:
    """Of each fact that the view does not state without the question: whether it does with it."""
    return [after for before, after in _known(record) if not before]
