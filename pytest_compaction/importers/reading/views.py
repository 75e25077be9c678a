"""A view on record in terms of the log: which of its messages are the log's own."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from pytest_compaction.conversation.messages import Message, Part


def in_terms_of(log: Sequence[Message], view: Sequence[Message], name: str) -> tuple[Message, ...]:
    """The view with the log's message where role and parts are equal, and new ids elsewhere.

    Of several equal messages of the log the first after the one last matched is taken,
    each once. New ids are ``<name>-0``, ``<name>-1``, …; ``name`` must be no prefix of an
    id of the log.
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
