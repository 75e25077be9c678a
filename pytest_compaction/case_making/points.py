"""Compaction points of an imported session, and the messages that stay there.

The last message or tool calls with their results stay, and so do the first request and the system
messages. Points avoid places where these leave nothing to compare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any, Final, Self

from pytest_compaction.case import recorded_view
from pytest_compaction.conversation import (
    Message,
    groups,
    newest_that_fit,
    structure_faults,
)
from pytest_compaction.conversation.formats.chat import message_to_chat
from pytest_compaction.importers import Boundary, Transcript

TAIL_SHARE: Final = 0.25
"""The least share of the budget that a strategy with a tail is assumed to give to it."""


def assumed_tail_room(budget: int) -> int:
    """Tokens that the assumed tail takes of a view of at most ``budget`` tokens."""
    return round(budget * TAIL_SHARE)


def assumed_tail_start(sizes: Sequence[int], end: int, room: int) -> int:
    """Index of the first message of the assumed tail of ``sizes[:end]`` (in tokens)."""
    return newest_that_fit(sizes[:end], room, least=1)


TOKENS_A_POINT: Final = 25_000
MIN_POINTS, MAX_POINTS = 3, 8
MIN_BUDGET: Final = 2_000
HORIZON: Final = 40
"""Tool calls after a point in which a use counts as needed there."""
BUDGET_STEP: Final = 500
"""A budget that has to grow is rounded up to a multiple of this."""
SYSTEM_ROLES: Final = ("system", "developer")


@dataclass(frozen=True, slots=True)
class LogSizes:
    """Sizes in tokens of the log before each place, a place being a number of messages.

    ``passed`` counts all messages before a place, ``system`` those of the system among
    them, and ``last`` tells where the last group before it begins, notices after it included.
    """

    passed: tuple[int, ...]
    system: tuple[int, ...]
    last: tuple[int, ...]
    request: int
    """The place of the first request; the length of the log if there is none."""

    @classmethod
    def of(cls, messages: Sequence[Message], sizes: Sequence[int]) -> Self:
        """The sizes of a log whose messages take ``sizes`` tokens."""
        noticed = [message.role in SYSTEM_ROLES for message in messages]
        last = [0]
        for place, message in enumerate(messages):
            joined = message.role == "tool" or noticed[place]
            last.append(last[-1] if joined else place)
        return cls(
            tuple(accumulate(sizes, initial=0)),
            tuple(accumulate((n * of for n, of in zip(sizes, noticed, strict=True)), initial=0)),
            tuple(last),
            noticed.index(False) if False in noticed else len(noticed),
        )

    def said(self, start: int, end: int) -> int:
        """Tokens from ``start`` to ``end`` without the messages of the system."""
        return self.passed[end] - self.passed[start] - self.system[end] + self.system[start]

    def kept(self, end: int) -> int:
        """Tokens that stay beside the messages of the system: first request, last group."""
        last = max(self.last[end], self.request)
        return self.said(last, end) + (
            self.said(self.request, self.request + 1) if self.request < last else 0
        )

    def fixed(self, end: int) -> int:
        """Tokens before ``end`` that no strategy may shorten."""
        return self.system[end] + self.kept(end)

    def compactable(self, end: int) -> bool:
        """Whether there is enough to shorten at ``end`` for a view to tell of a strategy.

        It is at least as much as the request and the last group, which stay, and a quarter
        of the system messages. A view of anything less is one message and a remark on it.
        """
        free = self.passed[end] - self.fixed(end)
        return free > 0 and free >= self.kept(end) and free * 4 >= self.system[end]


def compaction_points(
    messages: Sequence[Message], sizes: Sequence[int], budget: int = MIN_BUDGET
) -> list[int]:
    """Positions after which to compact: about one for each 25,000 tokens, three to eight.

    No part fits the ``budget`` uncompacted, and no point parts a call from its result. Of the
    places up to the next point, the first is taken where the messages that must stay fit the
    budget, else the one where they are smallest; the last point leaves a horizon (see
    :func:`horizon_start`).
    """
    end = horizon_start(messages, 0, len(messages))
    messages, sizes = messages[:end], sizes[:end]
    total = sum(sizes)
    wanted = min(MAX_POINTS, max(MIN_POINTS, round(total / TOKENS_A_POINT)))
    wanted = max(1, min(wanted, total // budget))
    log = LogSizes.of(messages, sizes)
    passed = log.passed
    ends = [end for _, end in groups(messages) if end < len(messages)]
    points: list[int] = []
    for number in range(1, wanted):
        last = points[-1] + 1 if points else 0
        span = [
            end
            for end in ends
            if end > last and total * number <= passed[end] * wanted < total * (number + 1)
        ]
        span = span or [
            end for end in ends if end > last and passed[end] * wanted >= total * number
        ]
        if not span:
            break
        fixed = {end: log.fixed(end) for end in span}
        fitting = (end for end in span if fixed[end] <= budget)
        points.append(next(fitting, min(span, key=lambda end: fixed[end])) - 1)
    return [*points, len(messages) - 1]


def horizon_start(messages: Sequence[Message], start: int, end: int) -> int:
    """The place in a stretch of the log after which its last forty tool calls are made."""
    ends = [stop for _, stop in groups(messages) if start < stop < end]
    calls = [sum(len(m.calls) for m in messages[stop:end]) for stop in ends]
    wanted = min(HORIZON, (calls[0] if calls else 0) // 3)
    if wanted:
        return max((s for s, n in zip(ends, calls, strict=True) if n >= wanted), default=end)
    return max((stop for stop in ends if (end - stop) * 3 >= end - start), default=end)


def with_room(
    points: Sequence[int],
    budget: int,
    messages: Sequence[Message],
    sizes: Sequence[int],
    given: bool = False,
) -> tuple[list[int], int]:
    """The points, and a budget that holds the messages that must stay at each of them."""
    log = LogSizes.of(messages, sizes)
    needed = max(log.fixed(point + 1) for point in points)
    if needed <= budget:
        return list(points), budget
    room = -(-needed // BUDGET_STEP) * BUDGET_STEP
    kept = [point for point in points[:-1] if given or log.passed[point + 1] > room]
    return [*kept, points[-1]], room


LEAST_STRETCH: Final = 12
"""A stretch between two recorded compactions with fewer messages has no point of its own."""
LONG_STRETCH: Final = 60
"""A stretch has a point of its own for each of so many messages."""
MOST_IN_STRETCH: Final = 3


@dataclass(frozen=True, slots=True)
class RecordPoint:
    """A point after the message at ``index``; ``data`` and ``view`` are empty without a record."""

    index: int
    data: Mapping[str, Any]
    view: tuple[Message, ...]
    tokens_before: int | None = None
    missing: str = ""


def record_points(transcript: Transcript) -> list[RecordPoint]:
    """The points of a transcript whose agent compacted, in the order of the log.

    Of several compactions after one message the last one counts. Each stretch of the log
    before, between and after them has a point of its own, without a record: what was needed
    there is told by the rest of the stretch.
    """
    position = {message.id: index for index, message in enumerate(transcript.messages)}
    latest: dict[int, Boundary] = {}
    for boundary in transcript.boundaries:
        if boundary.after in position:
            latest[position[boundary.after]] = boundary
    points = [
        _record_point(index, boundary, transcript.messages, position)
        for index, boundary in sorted(latest.items())
    ]
    ends = [point.index + 1 for point in points]
    own: list[int] = []
    for start, end in pairwise((0, *ends, len(transcript.messages))) if points else ():
        parts = max(1, min(MOST_IN_STRETCH, (end - start) // LONG_STRETCH))
        own += (
            horizon_start(transcript.messages, start, start + (end - start) * part // parts) - 1
            for part in range(1, parts + 1)
            if end - start >= LEAST_STRETCH
        )
    points += [RecordPoint(place, {}, ()) for place in own if place + 1 not in ends]
    return sorted(points, key=lambda point: point.index)


def _record_point(
    index: int, boundary: Boundary, log: tuple[Message, ...], position: Mapping[str, int]
) -> RecordPoint:
    before = boundary.tokens_before
    if not boundary.recorded:
        reason = boundary.missing or "the transcript does not have its result"
        return RecordPoint(index, {}, (), before, reason)
    data = _data(boundary, log, position)
    view = recorded_view(data, "", log, position)
    faults = structure_faults(view)
    if faults:
        reason = f"the record is not a valid conversation: {faults[0].sentence}"
        return RecordPoint(index, {}, (), before, reason)
    return RecordPoint(index, data, view, before)


def _data(
    boundary: Boundary, log: tuple[Message, ...], position: Mapping[str, int]
) -> dict[str, Any]:
    boundary = replace(boundary, usd=dollars(boundary))
    data: dict[str, Any] = {}
    if boundary.messages:
        data["messages"] = [
            {"log": message.id}
            if message.id in position and log[position[message.id]] == message
            else message_to_chat(message)
            for message in boundary.messages
        ]
    else:
        data["summary"] = boundary.summary
        if boundary.kept:
            data["kept"] = list(boundary.kept)
    stated: dict[str, Any] = {
        name: value
        for name in _STATED
        if (value := getattr(boundary, name)) is not None and value not in ("", False)
    }
    if (stated.get("tokens_before") or 0) < 0:
        del stated["tokens_before"]
    if boundary.messages and boundary.attached:
        ids = [message.id for message in boundary.messages]
        stated["attached"] = [ids.index(each) for each in boundary.attached if each in ids]
    return data | stated


def boundary_of(after: str, view: tuple[Message, ...], stated: Mapping[str, Any]) -> Boundary:
    """The compaction of a point of a case, with what its record states beside the view."""
    attached = (view[place].id for place in stated.get("attached", ()) if place < len(view))
    known = {name: stated[name] for name in _STATED if name in stated}
    return Boundary(after, messages=view, attached=tuple(attached), **known)


def dollars(boundary: Boundary) -> float | None:
    """What the call of a compaction cost: as stated, else the list price of its tokens."""
    if boundary.usd is not None or boundary.spent is None:
        return boundary.usd
    from pytest_compaction.models import Usage, list_price  # takes long to import

    model, read, cached, written = boundary.spent
    return list_price(model, Usage(1, read, cached, written))


_STATED: Final = ("tokens_before", "tokens_after", "window", "trigger", "seconds", "usd", "clears")
"""What a record of a compaction states beside the view, for information only."""
