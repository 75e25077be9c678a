"""The outline of a conversation: a seed, a plan of parts, and the points of each part."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, Literal, get_args

from pytest_compaction.long_conversations import prompts
from pytest_compaction.long_conversations.asking import NUMBER, TEXT, Author, listed, members, plain

PLANS_FROM: Final = 10_000_000
"""From this length on (tokens) a conversation has ten linked plans, as in the published set."""
TURN_TOKENS: Final = 900
"""Tokens of a main question with its reply and what follows them, about."""
_PARTS: Final = 10
_PART_TOKENS: Final = 10_000
_FEWEST_PARTS: Final = 3
_POINTS: Final = (6, 24)
"""The fewest and the most points of a part."""
_RECALLED: Final = 150
"""Earlier points that a request for new ones shows."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")

PointKind = Literal["fact", "event", "update", "contradiction", "preference", "instruction"]
"""The kind of a point; an update and a contradiction refer to an earlier point."""


@dataclass(frozen=True, slots=True)
class OutlineScale:
    """How many plans, parts of a plan, points of a part and turns of a part a length needs."""

    plans: int
    parts: int
    points: int
    turns: int

    @classmethod
    def of(cls, tokens: int) -> OutlineScale:
        plans = 10 if tokens >= PLANS_FROM else 1
        parts = min(max(tokens // plans // _PART_TOKENS, _FEWEST_PARTS), _PARTS)
        turns = max(-(-tokens // (plans * parts * TURN_TOKENS)), 1)
        fewest, most = _POINTS
        return cls(plans, parts, min(max(turns, fewest), most), turns)


@dataclass(frozen=True, slots=True)
class OutlinePoint:
    """One thing that the user will say; ``of`` is the number of the point that it changes, or 0."""

    number: int
    kind: PointKind
    day: str
    text: str
    of: int = 0

    @property
    def line(self) -> str:
        of = f", about point {self.of}" if self.of else ""
        return f"{self.number}. ({self.kind}{of}, {self.day}) {self.text}"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of the conversation: what it is about, its first day, and its points."""

    title: str
    start: date
    summary: str
    points: tuple[OutlinePoint, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.title} (from {self.start}): {self.summary}"


@dataclass(frozen=True, slots=True)
class Outline:
    """The seed as text, and the parts of all plans in order."""

    seed: str
    parts: tuple[Part, ...]

    @property
    def points(self) -> list[OutlinePoint]:
        """All points; the number of the first is 1."""
        return [point for part in self.parts for point in part.points]


async def write_outline(
    author: Author, domain: str, number: int, tokens: int, scale: OutlineScale
) -> Outline:
    seed = await _seed(author, domain, number, tokens)
    parts: list[Part] = []
    points: list[OutlinePoint] = []
    for plan in range(1, scale.plans + 1):
        for part in await _plan(author, seed, plan, scale, parts):
            made = await _points(author, seed, part, scale.points, points)
            points += made
            parts.append(Part(part.title, part.start, part.summary, tuple(made)))
    return Outline(seed, tuple(parts))


async def _seed(author: Author, domain: str, number: int, tokens: int) -> str:
    person = members(name=TEXT, relation=TEXT, about=TEXT)
    user = members(name=TEXT, age=NUMBER, home=TEXT, work=TEXT, traits=listed(TEXT))
    moment = members(date=TEXT, event=TEXT)
    schema = members(
        title=TEXT, theme=TEXT, user=user, people=listed(person), timeline=listed(moment)
    )

    def fault(data: dict[str, Any]) -> str:
        for name in ("people", "timeline"):
            if len(data[name]) < 3:
                return f"{name}: at least three are needed"
        return _undated([moment["date"] for moment in data["timeline"]])

    found = await author.data("the seed", prompts.seed(domain, number, tokens), schema, fault)
    who = found["user"]
    lines = [
        f"Title: {found['title']}",
        f"Theme: {found['theme']}",
        f"User: {who['name']}, {who['age']}, of {who['home']}; {who['work']}; "
        f"{', '.join(who['traits'])}",
        *(f"Person: {p['name']}, {p['relation']}; {p['about']}" for p in found["people"]),
        *(f"Time line: {moment['date']}: {moment['event']}" for moment in found["timeline"]),
    ]
    return "\n".join(map(plain, lines))


async def _plan(
    author: Author, seed: str, plan: int, scale: OutlineScale, before: Sequence[Part]
) -> list[Part]:
    """The parts of a plan, which goes on where the plans before it ended."""
    schema = members(parts=listed(members(title=TEXT, start=TEXT, summary=TEXT)))
    last = before[-1].start if before else date.min

    def fault(data: dict[str, Any]) -> str:
        found = data["parts"]
        if len(found) != scale.parts:
            return f"parts: there have to be {scale.parts}, not {len(found)}"
        days = [part["start"] for part in found]
        why = _undated(days)
        if not why and (days != sorted(days) or days[0] < last.isoformat()):
            why = f"parts: each has to start after the one before it, the first from {last} on"
        return why

    asked = prompts.plan(seed, plan, scale.plans, scale.parts, [part.text for part in before])
    found = await author.data(f"plan {plan}", asked, schema, fault)
    return [
        Part(plain(each["title"]), date.fromisoformat(each["start"]), plain(each["summary"]))
        for each in found["parts"]
    ]


async def _points(
    author: Author, seed: str, part: Part, count: int, before: Sequence[OutlinePoint]
) -> list[OutlinePoint]:
    kinds = {"type": "string", "enum": list(get_args(PointKind))}
    schema = members(points=listed(members(kind=kinds, date=TEXT, text=TEXT, of=NUMBER)))
    first = len(before) + 1

    def fault(data: dict[str, Any]) -> str:
        found = data["points"]
        if len(found) != count:
            return f"points: there have to be {count}, not {len(found)}"
        for number, point in enumerate(found, first):
            refers = point["kind"] in {"update", "contradiction"}
            if refers != (0 < point["of"] < number):
                return f"point {number}: 'of' names the earlier point of an update or contradiction"
        return _undated([point["date"] for point in found])

    earlier = [point.line for point in before[-_RECALLED:]]
    asked = prompts.points(seed, part.text, count, first, earlier)
    found = await author.data(f"the points of “{part.title}”", asked, schema, fault)
    return [
        OutlinePoint(number, each["kind"], each["date"], plain(each["text"]), each["of"])
        for number, each in enumerate(found["points"], first)
    ]


def _undated(days: Sequence[str]) -> str:
    """The fault of days that have to be written as in 2025-03-14; empty without one."""
    for day in days:
        try:
            date.fromisoformat(day if _DAY.fullmatch(day) else "")
        except ValueError:
            return f"{day!r} is no day such as 2025-03-14"
    return ""
