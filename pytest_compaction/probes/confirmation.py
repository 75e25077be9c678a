"""Facts and traps against the whole log and each other; ``lint`` and the makers of probes ask."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.text import Statement, TextIndex


def keys_agree(said: Fact | Trap) -> bool:
    """Whether the text of a fact or trap states what its own keys ask for."""
    return not said.keys or _states(said.text, _alone(said))


def keys_too_loose(fact: Fact, trap: Trap) -> bool:
    """Whether a trap that may stand against the fact states it."""
    against = trap.of in {None, fact.text}
    return bool(fact.keys) and against and _states(trap.text, _alone(fact))


def is_confirmed(fact: Fact, traps: Sequence[Trap], log: TextIndex) -> bool:
    """Whether the log states a fact that has these traps, and its keys fit it and none of them."""
    if not keys_agree(fact) or any(keys_too_loose(fact, trap) for trap in traps):
        return False
    against = tuple(trap.statement for trap in traps if trap.of == fact.text)
    return log.read(replace(fact.statement, counterparts=against)).outcome == "stated"


def confirmed(
    facts: Iterable[Fact], traps: Iterable[Trap], log: TextIndex
) -> tuple[list[Fact], list[Trap]]:
    """The facts that the log confirms, and the traps that fit their keys and one of these facts."""
    sound = [trap for trap in traps if keys_agree(trap)]
    kept = [fact for fact in facts if is_confirmed(fact, sound, log)]
    texts = {fact.text for fact in kept}
    return kept, [trap for trap in sound if trap.of is None or trap.of in texts]


def _alone(said: Fact | Trap) -> Statement:
    return replace(said.statement, counterparts=())


def _states(text: str, statement: Statement) -> bool:
    return TextIndex(text).read(statement).outcome == "stated"
