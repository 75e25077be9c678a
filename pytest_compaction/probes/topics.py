"""Subjects of questions: facts about one thing, or about two things asked for together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.case.kinds import ProbeKind
from pytest_compaction.probes.draft import Draft, Found
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.text import content_stems, normalize

_BACK: Final = re.compile(
    r"\b(?:undo|undid|revert|roll(?:ed)? back|never ?mind|scrap|drop (?:it|that|this)|instead"
    r"|actually|no longer|not any ?more|changed my mind|on second thought)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Topic:
    """The subject of one question, or of one half of a question, and its facts."""

    subject: str
    found: tuple[Found, ...]
    traps: tuple[Trap, ...] = ()


def pooled(
    topics: Iterable[Topic],
    kind: ProbeKind,
    name: str,
    one: str,
    many: str,
    point: int,
    rank: float,
) -> Iterator[Draft]:
    """Drafts for topics: alone with two or more facts, in pairs with one fact each.

    A last topic without a partner becomes a draft with one fact. ``{}`` in ``one`` stands
    for the subject, ``{}`` in ``many`` for both numbered subjects.
    """
    single: Topic | None = None
    for topic in topics:
        if len(topic.found) > 1:
            better = 0.03 * min(len(topic.found), 4)
            question = one.replace("{}", f"“{topic.subject}”")
            yield Draft(
                kind, name, question, topic.found[:4], point, rank - better, topic.traps, least=1
            )
        elif topic.found and single is None:
            single = topic
        elif topic.found and single is not None:
            if topic.found[0].fact.text == single.found[0].fact.text:
                continue
            found = (*single.found, *topic.found)
            if topic.subject == single.subject:
                question = one.replace("{}", f"“{topic.subject}”")
            else:
                both = f"(1) “{single.subject}”; (2) “{topic.subject}”"
                question = many.replace("{}", both)
            yield Draft(kind, name, question, found, point, rank, (*single.traps, *topic.traps))
            single = None
    if single is not None:
        question = one.replace("{}", f"“{single.subject}”")
        yield Draft(kind, name, question, single.found, point, rank + 0.1, single.traps, least=1)


def subject_key(subject: str) -> frozenset[str]:
    """The content stems of a subject; names with underscores are split into words."""
    return frozenset(content_stems(normalize(subject.replace("_", " "))))


def taken_back(log: ProbeLog, place: int) -> bool:
    """Whether the user took something back after a turn: it may be what was said there."""
    return any(
        place < other <= log.points[-1] and _BACK.search(text) for other, text in log.turns("user")
    )
