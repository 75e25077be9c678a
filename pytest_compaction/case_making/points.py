"""Where an imported session is compacted, and the room that the last messages need there.

No strategy may shorten what the agent has just read: the last message, or the last tool
calls with their results, stays, and so does the first request. A point right after a
result of 20,000 tokens would leave nothing to compare. The points therefore avoid such
places; where they cannot, the budget makes room.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile
from typing import Final

from pytest_compaction.conversation.messages import Message, groups

TOKENS_A_POINT: Final = 25_000
MIN_POINTS, MAX_POINTS = 3, 8
MIN_BUDGET: Final = 2_000
BUDGET_STEP: Final = 500
"""A budget that has to grow is rounded up to a multiple of this."""
SYSTEM_ROLES: Final = ("system", "developer")


def compaction_points(
    messages: Sequence[Message], sizes: Sequence[int], budget: int = MIN_BUDGET
) -> list[int]:
    """Positions after which to compact: about one for each 25,000 tokens, three to eight.

    There are fewer in a short log, so that no part fits the ``budget`` without being
    compacted. A point never falls between a tool call and its result. Of the places up to
    the next point, the first is taken where the messages that must stay fit the budget,
    else the one where they are smallest. The last point is the end of the log.
    """
    total = sum(sizes)
    wanted = min(MAX_POINTS, max(MIN_POINTS, round(total / TOKENS_A_POINT)))
    wanted = max(1, min(wanted, total // budget))
    passed = [0, *accumulate(sizes)]
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
        fixed = {end: _fixed_size(messages, sizes, end) for end in span}
        fitting = (end for end in span if fixed[end] <= budget)
        points.append(next(fitting, min(span, key=lambda end: fixed[end])) - 1)
    return [*points, len(messages) - 1]


def with_room(
    points: Sequence[int],
    budget: int,
    messages: Sequence[Message],
    sizes: Sequence[int],
    given: bool = False,
) -> tuple[list[int], int]:
    """The points, and a budget that holds the messages that must stay at each of them.

    If the budget grows, a point goes where the log before it fits the new budget, unless
    the points are ``given``, as the agent's own are. The last point always stays.
    """
    needed = max(_fixed_size(messages, sizes, point + 1) for point in points)
    if needed <= budget:
        return list(points), budget
    room = -(-needed // BUDGET_STEP) * BUDGET_STEP
    passed = [0, *accumulate(sizes)]
    kept = [point for point in points[:-1] if given or passed[point + 1] > room]
    return [*kept, points[-1]], room


def _fixed_size(messages: Sequence[Message], sizes: Sequence[int], end: int) -> int:
    """Tokens that must stay at a point: system messages, the first request, the last group."""
    head = sum(1 for _ in takewhile(lambda one: one.role in SYSTEM_ROLES, messages))
    begin = end - 1
    while begin > 0 and messages[begin].role == "tool":
        begin -= 1
    first = min(head + 1, begin)
    return sum(sizes[:first]) + sum(sizes[begin:end])
