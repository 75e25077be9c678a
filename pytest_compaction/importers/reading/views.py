"""Match the messages of a recorded view with those of the log."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pytest_compaction.conversation.messages import Message, Part


def in_terms_of(log: Sequence[Message], view: Sequence[Message], name: str) -> tuple[Message, ...]:
    """The view, with messages of the log where role and parts are equal.

    Each message of the log is used once. Of several equal ones, the first after the last
    match is taken. All other messages get new ids ``<name>-0``, ``<name>-1``, …; no id in
    the log may begin with ``name``.
    """
    places: dict[tuple[str, tuple[Part, ...]], list[int]] = defaultdict(list)
    for place, message in enumerate(log):
        places[message.role, message.parts].append(place)
    last = -1
    made: list[Message] = []
    for number, message in enumerate(view):
        left = places.get((message.role, message.parts), [])
        if not left:
            made.append(replace(message, id=f"{name}-{number}", origin="synthetic"))
            continue
        following = bisect_right(left, last)
        last = place = left.pop(following if following < len(left) else 0)
        made.append(log[place])
    return tuple(made)
