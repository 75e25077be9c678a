"""What an agent looks up again after a compaction, beside the same far from any compaction.

A call fetches again if the same was asked and answered before the point, and nothing that it looks
at was changed since. The same rule holds at points far from any compaction: agents look things up
twice without forgetting, and only the difference tells of a compaction.
``docs/production-reference.md`` has the rules in words.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pytest_compaction.artifacts import SessionCall, may_be_same
from pytest_compaction.metrics.intervals import Mean, jackknife_interval, mean_over

HORIZONS: Final = (10, 40)
"""Numbers of calls after a point in which is counted."""
FAR: Final = 20
"""A point is far from compactions if none was made in so many calls before it, and none comes in
the calls that are counted after it."""
LOOKBACK: Final = 100
"""The most calls before a point that a later call can repeat."""
MOST_POINTS: Final = 30
"""The most far points that a compaction is held against: the nearest in the session."""
POLLING: Final = 3
"""A shell command that was run at most so many calls before watches something, unless it shows a
file: some agents have no other way to read one."""
_PARTS: Final = 12
"""The last so many parts of a path tell files apart; this bounds the work on one path."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """Calls that look something up and how many of them fetch it again, with the result tokens."""

    calls: int = 0
    again: int = 0
    tokens: int = 0
    tokens_again: int = 0

    def __add__(self, other: Fetched) -> Fetched:
        return Fetched(
            self.calls + other.calls,
            self.again + other.again,
            self.tokens + other.tokens,
            self.tokens_again + other.tokens_again,
        )

    @property
    def share(self) -> float | None:
        """Share of the calls, 0 to 1; ``None`` without a call."""
        return self.again / self.calls if self.calls else None

    @property
    def token_share(self) -> float | None:
        """Share of the tokens, 0 to 1; ``None`` without a token."""
        return self.tokens_again / self.tokens if self.tokens else None


@dataclass(frozen=True, slots=True)
class AfterPoint:
    """The calls after a compaction, and after the far ``points`` that it is held against."""

    after: Fetched
    elsewhere: Fetched
    points: int


@dataclass(frozen=True, slots=True)
class AfterCompaction:
    """What follows a compaction, by horizon, and the calls before the first new work.

    New work is a change, or a command or other act that none of the calls before the compaction
    asked for in the same words. ``before_work`` is ``None`` where the next compaction or the end of
    the session comes first, ``before_work_elsewhere`` where there is no far point; both are at most
    the longest horizon.
    """

    fetched: Mapping[int, AfterPoint]
    before_work: int | None
    before_work_elsewhere: float | None


def after_compactions(
    calls: Sequence[SessionCall], compactions: Sequence[int]
) -> list[AfterCompaction]:
    """What follows each compaction; ``compactions`` are the numbers of calls before each, sorted.

    It takes time in proportion to the number of calls and of compactions.
    """
    earlier, asked = repeated(calls), _asked_before(calls)
    far = {horizon: far_points(len(calls), compactions, horizon) for horizon in HORIZONS}
    longest = max(HORIZONS)
    found = []
    for place, end in pairwise((*compactions, len(calls))):
        back = min(place, LOOKBACK)
        fetched: dict[int, AfterPoint] = {}
        for horizon in HORIZONS:
            length = min(horizon, end - place)
            after = _fetched(calls, earlier, place, place + length, back)
            points = _nearest(far[horizon], place, back)
            elsewhere = Fetched()
            for point in points:  # as long, because a repeat within the stretch does not count
                elsewhere += _fetched(calls, earlier, point, point + length, back)
            fetched[horizon] = AfterPoint(after, elsewhere, len(points))
        waits = [
            wait
            for point in _nearest(far[longest], place, back)
            if (wait := _before_work(calls, asked, point, point + longest, back)) is not None
        ]
        wait_elsewhere = sum(waits) / len(waits) if waits else None
        wait_here = _before_work(calls, asked, place, end, back)
        found.append(AfterCompaction(fetched, wait_here, wait_elsewhere))
    return found


def repeated(calls: Sequence[SessionCall]) -> list[int | None]:
    """For each call the number of the earlier call whose result it fetches again, or ``None``."""
    last: dict[str, int] = {}
    changes = _Changes()
    demanded = _demanded(calls)
    found: list[int | None] = []
    for number, call in enumerate(calls):
        found.append(None)
        if call.fetches:
            before = last.get(call.request)
            last[call.request] = number
            if (
                before is not None
                and call.result
                and calls[before].result == call.result
                and _same_files(calls[before].files, call.files)
                and changes.last(call.files) < before
                and not (call.may_watch and number - before <= POLLING)
                and number not in demanded
            ):
                found[number] = before
        elif call.kind == "change":
            changes.note(call.files, number)
    return found


def _same_files(some: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two equal requests are of the same files; a path may be told by its end alone."""
    return some == others or any(may_be_same(one, each) for one in some for each in others)


def _demanded(calls: Sequence[SessionCall]) -> set[int]:
    """The reads that a harness demands: the next call of that turn that names the file edits it."""
    found: set[int] = set()
    whole: dict[str, int] = {}
    ends: dict[str, int] = {}
    """By a path and by each of its ends: the nearest later call of the turn that names it."""
    turn = None
    for number in range(len(calls) - 1, -1, -1):
        call = calls[number]
        if call.turn != turn:
            turn = call.turn
            whole.clear()
            ends.clear()
        named = [_ends(file) for file in call.files]
        for parts in named if call.kind == "look" else ():
            later = [ends.get(parts[0]), *map(whole.get, parts)]
            nearest = min((each for each in later if each is not None), default=None)
            if nearest is not None and calls[nearest].kind == "change":
                found.add(number)
        for parts in named:
            whole[parts[0]] = number
            ends.update(dict.fromkeys(parts, number))
    return found


def _ends(path: str) -> list[str]:
    """The path and what it ends in, part by part."""
    parts = _parts(path)
    return ["/".join(parts[start:]) for start in range(len(parts))] or [""]


def far_points(total: int, compactions: Sequence[int], horizon: int) -> list[int]:
    """The numbers of calls before each point far from any compaction, with the calls to count."""
    stops = (-FAR, *compactions, total)
    return [
        point
        for start, end in pairwise(stops)
        for point in range(max(start + FAR, 0), end - horizon + 1)
    ]


def _nearest(points: Sequence[int], place: int, least: int) -> Sequence[int]:
    """The far points nearest to a place, none with fewer than ``least`` calls before it."""
    first = bisect_left(points, least)
    low = high = max(bisect_left(points, place), first)
    while high - low < MOST_POINTS and (low > first or high < len(points)):
        left = place - points[low - 1] if low > first else None
        right = points[high] - place if high < len(points) else None
        if right is None or (left is not None and left <= right):
            low -= 1
        else:
            high += 1
    return points[low:high]


def _fetched(
    calls: Sequence[SessionCall], earlier: Sequence[int | None], start: int, end: int, back: int
) -> Fetched:
    """The looks and commands of a stretch; again are those of the ``back`` calls before it."""
    number = again = tokens = tokens_again = 0
    for place in range(start, end):
        call = calls[place]
        if call.fetches:
            number += 1
            tokens += call.tokens
            before = earlier[place]
            if before is not None and start - back <= before < start:
                again += 1
                tokens_again += call.tokens
    return Fetched(number, again, tokens, tokens_again)


def _asked_before(calls: Sequence[SessionCall]) -> list[int | None]:
    """For each call the number of the last earlier one that asked for the same, or ``None``."""
    last: dict[str, int] = {}
    found = []
    for number, call in enumerate(calls):
        found.append(last.get(call.request))
        last[call.request] = number
    return found


def _before_work(
    calls: Sequence[SessionCall], asked: Sequence[int | None], start: int, end: int, back: int
) -> int | None:
    """The calls before the first new work, or the longest horizon if there are more.

    Not new is what one of the ``back`` calls before asked for.
    """
    longest = max(HORIZONS)
    for place in range(start, min(end, start + longest)):
        call, before = calls[place], asked[place]
        acts = call.kind in ("command", "other") and (before is None or before < start - back)
        if acts or call.kind == "change":
            return place - start
    return longest if end - start >= longest else None


# --- over sessions -------------------------------------------------------------------------

Pairs = Mapping[str, Sequence[tuple[float, float]]]
"""By session, for each compaction a figure after it and the same figure far from any."""


@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """Means over the compactions of all sessions; intervals draw whole sessions.

    Where nothing is counted elsewhere the figure is the mean after compactions alone.
    """

    after: Mean
    elsewhere: Mean | None = None
    difference: Mean | None = None

    @property
    def figure(self) -> Mean:
        """The difference, or what there is."""
        return self.difference or self.after


def held_against(pairs: Pairs) -> HeldAgainst | None:
    """A figure after compactions and elsewhere, and their difference; ``None`` without a pair."""
    after = mean_over({name: [one for one, _ in of] for name, of in pairs.items()})
    elsewhere = mean_over({name: [other for _, other in of] for name, of in pairs.items()})
    difference = mean_over(_differences(pairs))
    if after is None or elsewhere is None or difference is None:
        return None
    return HeldAgainst(after, elsewhere, difference)


def change_between(old: Pairs, new: Pairs) -> tuple[float, tuple[float, float] | None] | None:
    """By how much the difference grew from the old sessions to the new, with a 95 % interval.

    ``None`` if one side has no pair. The interval is the jackknife's over sessions; it is ``None``
    with fewer than six, or if a side has a single one.
    """
    sides = {
        (is_new, name): [(is_new, value) for value in values]
        for is_new, pairs in ((False, old), (True, new))
        for name, values in _differences(pairs).items()
    }
    clusters = {f"{number:09}": values for number, (_, values) in enumerate(sorted(sides.items()))}
    change = _change([each for values in clusters.values() for each in values])
    return None if change is None else (change, jackknife_interval(clusters, _change))


def _differences(pairs: Pairs) -> dict[str, list[float]]:
    return {name: [one - other for one, other in of] for name, of in pairs.items() if of}


def _change(values: Sequence[tuple[bool, float]]) -> float | None:
    new = [value for is_new, value in values if is_new]
    old = [value for is_new, value in values if not is_new]
    return sum(new) / len(new) - sum(old) / len(old) if new and old else None


# --- which files were changed --------------------------------------------------------------


class _Changes:
    """The number of the last call that changed a file, or a file in a folder."""

    def __init__(self) -> None:
        self._any = -1
        self._runs: dict[str, int] = {}
        """By every run of parts of a changed path: the file by its end, and its folders."""
        self._heads: dict[str, int] = {}
        """By the first parts of a relative path: what an absolute path may end in."""

    def note(self, files: Sequence[str], number: int) -> None:
        """Note a change; one that names no file may have changed any."""
        self._any = number
        for file in files or ("",):
            for run in _runs(file):
                self._runs[run] = number
            if not file.startswith("/"):
                parts = _parts(file)
                for end in range(1, len(parts) + 1):
                    self._heads["/".join(parts[:end])] = number

    def last(self, files: Sequence[str]) -> int:
        """The last change of one of the files, of any file if none is named; -1 without one."""
        if not files:
            return self._any
        newest = self._runs.get("", -1)
        for file in files:
            parts = _parts(file)
            newest = max(newest, self._runs.get("/".join(parts), -1))
            for start in range(len(parts)):
                newest = max(newest, self._heads.get("/".join(parts[start:]), -1))
        return newest


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part][-_PARTS:]


@lru_cache(maxsize=4096)
def _runs(path: str) -> tuple[str, ...]:
    parts = _parts(path)
    ends = range(1, len(parts) + 1)
    return tuple("/".join(parts[start:end]) for end in ends for start in range(end)) or ("",)
