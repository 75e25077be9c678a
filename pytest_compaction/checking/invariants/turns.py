"""Check of the turns of a conversation: user and assistant do not lose the other's answer."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from pytest_compaction.checking.invariants.invariant import Breach
from pytest_compaction.checking.observation import Observation, ObservedStep


def turns_alternate(observation: Observation) -> Iterator[Breach]:
    """Messages of one speaker that were apart, and now stand side by side."""
    for number, step in enumerate(observation.steps, 1):
        if step.rewrote:
            for one, other in _joined(step):
                role = "the user" if step.said[one].role == "user" else "the assistant"
                yield Breach(
                    f"two messages of {role} stand side by side, and what was said between them "
                    "is gone",
                    (one, other),
                    number,
                )


def _joined(step: ObservedStep) -> Iterator[tuple[str, str]]:
    """Ids of neighbours of one role that were not neighbours in the view before.

    What the strategy wrote may stand beside anything. What stands elsewhere, or was replaced by
    a message further down, is not gone.
    """
    before = {message.id: index for index, message in enumerate(step.before)}
    place = {message.id: index for index, message in enumerate(step.after)}
    replaced = {id: place.get(span.by or "", -1) for span in step.spans for id in span.ids}
    for (index, one), (_, other) in pairwise(enumerate(step.after)):
        if one.role != other.role or one.role not in {"user", "assistant"}:
            continue
        if not {one.id, other.id} <= before.keys() or not {one.id, other.id} <= step.said.keys():
            continue
        between = step.before[before[one.id] + 1 : before[other.id]]
        gone = [message for message in between if message.id not in place]
        told = all(replaced.get(message.id, -1) > index for message in gone)
        if any(message.role != one.role for message in gone) and not told:
            yield one.id, other.id
