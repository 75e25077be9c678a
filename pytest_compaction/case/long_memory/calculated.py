"""Facts with a value that no message states: an answer calculates it, and no view can lose it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pytest_compaction.case.case import Fact, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.text import Value, equal, normalize, values_of


def without_calculated(probes: Iterable[Probe], messages: Sequence[Message]) -> list[Probe]:
    """The probes without facts of which the evidence lacks a value; their nuggets stay.

    A fact without evidence stays.
    """
    wanted = list(probes)
    named = {id for probe in wanted for fact in probe.facts for id in fact.evidence}
    held = {
        message.id: values_of(normalize(message.text))
        for message in messages
        if message.id in named
    }
    return [
        replace(probe, facts=tuple(fact for fact in probe.facts if _is_said(fact, held)))
        for probe in wanted
    ]


def _is_said(fact: Fact, held: Mapping[str, tuple[Value, ...]]) -> bool:
    if not fact.evidence:
        return True
    said = [value for id in fact.evidence for value in held.get(id, ())]
    asked = values_of(normalize(fact.text))
    return all(any(equal(one, other) for other in said) for one in asked)
