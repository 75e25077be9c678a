"""What it takes to read again what compaction dropped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_compaction.metrics.losses.fates import FactFate


@dataclass(frozen=True, slots=True)
class Refetch:
    """Log messages that state the dropped facts, and their tokens.

    ``tokens`` are those of the smallest message that states each fact; a message counts once
    for case and trial, however many facts it states. ``recoverable_tokens`` are those of the
    messages for facts that the agent can read again. ``facts`` were dropped;
    ``unsourced`` of them no message of the log states as the matcher reads it.
    """

    tokens: int = 0
    recoverable_tokens: int = 0
    messages: int = 0
    facts: int = 0
    unsourced: int = 0


def refetch(facts: Iterable[FactFate]) -> Refetch:
    """The expected tokens of reading again whatever was dropped.

    It is an expectation in that the agent is supposed to need all that was asked for, and to
    find the smallest message at once.
    """
    dropped = [fact for fact in facts if not fact.survived]
    needed: dict[tuple[str, int, str], int] = {}
    recoverable: set[tuple[str, int, str]] = set()
    for fact in dropped:
        if fact.source is not None:
            key = fact.case, fact.trial, fact.source.message
            needed[key] = fact.source.tokens
            if fact.recoverable:
                recoverable.add(key)
    return Refetch(
        tokens=sum(needed.values()),
        recoverable_tokens=sum(needed[key] for key in recoverable),
        messages=len(needed),
        facts=len(dropped),
        unsourced=sum(fact.source is None for fact in dropped),
    )
