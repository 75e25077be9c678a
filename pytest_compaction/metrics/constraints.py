"""Constraint survival and compliance: does a view state what the user ruled, do answers keep to it?

A constraint counts once at each compaction point at which it stands and after which a probe is
asked: a message up to there states it, and the user has not lifted it since. Effect retention is
that of "Lost in Compaction" (arXiv 2608.11242), equations 8 and 9, with ``c_long`` from the log
that states the constraint: a recorded log has no version without it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from pytest_compaction.case import Case, Fact
from pytest_compaction.conversation import Message
from pytest_compaction.metrics.aggregates import mean_of, scored
from pytest_compaction.metrics.intervals import Mean, case_key, clustered, mean_over
from pytest_compaction.record import Record
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import Statement, normalize, segments

if TYPE_CHECKING:
    from pytest_compaction.text import TextIndex


GIVERS: Final = frozenset({"user", "system", "developer"})
"""Who can give a constraint and lift it."""
_ALLOWS: Final = re.compile(
    r"\b(?:you|we) (?:may|can|are (?:now )?(?:allowed|free|welcome) to)\b(?! not)"
    r"|\b(?:is|are) (?:now )?(?:allowed|permitted|fine|ok(?:ay)?) (?:again|now|to)\b"
    r"|\bgo ahead\b|\bfrom now on\b",
    re.I,
)
_WITHDRAWS: Final = re.compile(
    r"\b(?:forget|drop|ignore|lift)(?:s|ed)? (?:what|that|the|this|my)\b"
    r"|\b(?:rule|restriction|constraint|ban|freeze|limit)\b.{0,80}"
    r"\b(?:no longer|does not apply|is (?:lifted|over|gone|off))\b",
    re.I,
)


@lru_cache(maxsize=256)
def standing_constraints(case: Case, point: int) -> tuple[Fact, ...]:
    """The distinct constraints of a case that stand at a compaction point, by probes."""
    found: list[Fact] = []
    for probe in sorted(case.probes, key=lambda probe: probe.point != point):
        for fact in probe.facts:
            if fact.type != "constraint" or any(same(fact, other) for other in found):
                continue
            if probe.point == point or stands(fact, case, point):
                found.append(fact)
    return tuple(found)


def stands(fact: Fact, case: Case, point: int) -> bool:
    """Whether a message up to the point states a constraint, and no later turn lifts it."""
    given = any(message.id in fact.evidence for message in case.log_until(point))
    return given and next(liftings(fact, since_given(fact, case, point)), None) is None


def since_given(fact: Fact, case: Case, point: int) -> tuple[Message, ...]:
    """The user's turns between the last evidence of a constraint and a point."""
    log = case.log_until(point)
    stated = [place for place, message in enumerate(log) if message.id in fact.evidence]
    after = log[stated[-1] + 1 :] if stated else ()
    return tuple(message for message in after if message.role in GIVERS)


def liftings(fact: Fact, messages: Iterable[Message]) -> Iterator[tuple[Message, str]]:
    """The turns that lift a constraint, each with the words that do; see :func:`since_given`."""
    for message in messages:
        words = next((said for said in segments(message.text) if _lifts(said, fact)), "")
        if words:
            yield message, words


def against(fact: Fact, messages: Iterable[Message]) -> Iterator[tuple[Message, str]]:
    """The turns that ask for what a constraint rules out, each with the sentence that does."""
    for message in messages:
        for said in segments(message.text):
            if _index(said).read(fact.statement).outcome == "contradicted":
                yield message, said
                break


def _lifts(sentence: str, fact: Fact) -> bool:
    """Whether a sentence allows what a constraint rules out, or withdraws it."""
    withdraws, allows = _WITHDRAWS.search(sentence), _ALLOWS.search(sentence)
    if sentence.endswith("?") or not (withdraws or allows):
        return False
    index = _index(sentence)
    outcome = index.read(fact.statement).outcome
    if outcome == "stated":
        return bool(withdraws)
    return outcome == "contradicted" or any(
        index.read(other).outcome == "stated" for other in fact.counterparts
    )


def same(first: Fact, second: Fact) -> bool:
    """Whether two facts are one constraint: the same text or keys, or each states the other."""
    if normalize(first.text) == normalize(second.text):
        return True
    if first.keys and first.keys == second.keys:
        return True
    return _states(first.text, second.statement) and _states(second.text, first.statement)


@lru_cache(maxsize=1024)  # the constraints of a case are compared again at each of its points
def _states(text: str, constraint: Statement) -> bool:
    return _index(text).read(constraint).outcome == "stated"


@lru_cache(maxsize=64)
def _index(text: str) -> TextIndex:
    from pytest_compaction.text import TextIndex  # takes long to import

    return TextIndex(text)


def constraint_survival(records: Sequence[Record]) -> Mean | None:
    """The share of the standing constraints that the views of one strategy state (0 to 1).

    With a view for each question, a constraint counts by the share of the views that state it.
    """
    found: dict[tuple[object, ...], list[bool]] = defaultdict(list)
    for record in scored(records):
        held = record.get("constraints") or {}
        place = (case_key(record), record["trial"], record.get("budget"), held.get("point"))
        for constraint in held.get("standing", ()):
            found[*place, constraint["text"]].append(bool(constraint["survived"]))
    return mean_over(clustered((str(key[0]), sum(s) / len(s)) for key, s in found.items()))


NO_CONTROL = "the control is missing; add --compaction-control"
NO_PAIRS = "no choice was read in all three ways"
NO_EFFECT = "c_upper equals c_long"
IS_CONTROL = "it is the control"


@dataclass(frozen=True, slots=True)
class EffectRetention:
    """Effect retention, mostly at most 1; ``None`` for a ``reason``."""

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Compliance:
    """The shares of choices of one strategy that comply: ``compacted`` over all that were read.

    ``paired`` holds the three shares over those that were read in all three ways.
    """

    compacted: Mean | None
    paired: Mapping[str, Mean]
    retained: EffectRetention


def effect_retention(choices: Sequence[tuple[bool, bool, bool]]) -> EffectRetention:
    """Effect retention from choices, each as complied with the view, the log, the reminder."""
    if not choices:
        return EffectRetention(None, NO_PAIRS)
    compacted, long, upper = (sum(column) for column in zip(*choices, strict=True))
    if upper == long:
        return EffectRetention(None, NO_EFFECT)
    return EffectRetention((compacted - long) / (upper - long))


def compliance(records: Sequence[Record], control: Sequence[Record]) -> Compliance | None:
    """The compliance of one strategy beside the control; ``None`` if no choice was put to it."""
    chosen = [record for record in records if "compliance" in record]
    if not chosen:
        return None
    whole = {_key(record): _complied(record) for record in control}
    triples = [
        (case_key(record), mine, long, upper)
        for record in chosen
        if (mine := _complied(record)) is not None
        and (long := whole.get(_key(record))) is not None
        and (upper := _complied(record, reminded=True)) is not None
    ]
    if any(record["compactor"] == CONTROL for record in records):
        retained = EffectRetention(None, IS_CONTROL)
    elif not control:
        retained = EffectRetention(None, NO_CONTROL)
    else:
        retained = effect_retention([triple[1:] for triple in triples])
    paired = {
        name: mean_over(clustered((triple[0], float(triple[place])) for triple in triples))
        for place, name in enumerate(("compacted", "long", "upper"), start=1)
    }
    return Compliance(
        compacted=mean_of(chosen, _complied),
        paired={name: mean for name, mean in paired.items() if mean is not None},
        retained=retained,
    )


def _complied(record: Record, reminded: bool = False) -> bool | None:
    """Whether the choice of an item complies, also when ``reminded``; ``None`` if not read."""
    found = record.get("compliance") or {}
    found = (found.get("reminded") or {}) if reminded else found
    complied: bool | None = found.get("complied")
    return complied


def _key(record: Record) -> tuple[str, str, int]:
    return record["case"], record["probe"], record["trial"]
