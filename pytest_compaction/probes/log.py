"""A log indexed for finding facts: where each is stated, how often, and is it at risk?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pytest_compaction.case.case import About, Fact, ProbeKind, Trap
from pytest_compaction.case.tail import assumed_tail_room, assumed_tail_start
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.probes.phrases import first_line, quotable
from pytest_compaction.secrets.shapes import STAND_IN
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import (
    STOPWORDS,
    content_stems,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    stem,
)

LATE_SHARE: Final = 0.05
"""Facts in this last share of a log are hardly at risk, however small the budget is."""

# A longer fact would have to be quoted from memory, which tests wording, not knowledge.
MAX_FACT_CHARACTERS: Final = 140
_MAX_EVIDENCE: Final = 3
# Bounds the time to index messages that hold a pasted dump of megabytes.
_MAX_TEXT_CHARACTERS: Final = 400_000
_PASTED: Final = re.compile(
    r"^[ \t]*(?:\d+[ \t]?[:|│]|\(\d+ (?:more )?lines|File \"|Traceback \(|at \S+ \(|diff --git|@@ )"
    r".*$",
    re.MULTILINE,
)
"""Lines of listings, stack traces and patches, which nobody wrote as a message."""
_BLANKS: Final = re.compile(r"[^\S\n]{2,}")
_PART: Final = re.compile(r"[.:@+\-'/_]+")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Found:
    """A fact, and the positions of all messages before the question that state it."""

    fact: Fact
    positions: tuple[int, ...]

    @property
    def risk(self) -> tuple[int, int]:
        """A sort key, smallest for the fact most at risk: stated rarely, then early."""
        return (len(self.positions), self.positions[0])


@dataclass(frozen=True, slots=True)
class Draft:
    """A probe that is not yet checked and chosen.

    A smaller ``rank`` is better, from 0.05 (exact values that the user gave) to about 0.7
    (files that were only read). ``point`` is the number of the compaction point after which
    it is asked, ``least`` the number of facts that it needs.
    """

    kind: ProbeKind
    name: str
    question: str
    found: tuple[Found, ...]
    point: int
    rank: float = 1.0
    traps: tuple[Trap, ...] = ()
    answer: dict[str, Any] = field(default_factory=dict)
    least: int = 2


class ProbeLog:
    """The messages of a case and where each fact is stated in them."""

    def __init__(
        self, messages: Sequence[Message], points: Sequence[int], budget: int | None = None
    ) -> None:
        self.messages = tuple(messages)
        self.points = tuple(points)
        self._budget = budget
        self._tails: dict[int, TextIndex] = {}
        self.position = {message.id: place for place, message in enumerate(self.messages)}
        self._texts = [readable(message)[:_MAX_TEXT_CHARACTERS] for message in self.messages]
        self._indexes = [TextIndex(text) for text in self._texts]
        self._holders: dict[str, list[int]] = {}
        for place, text in enumerate(self._texts):
            for form in set(content_stems(normalize(text))):
                self._holders.setdefault(form, []).append(place)
        self._known: dict[tuple[str, ...], tuple[int, ...]] = {}

    def stated(self, forms: tuple[str, ...]) -> tuple[int, ...]:
        """The positions of all messages that state one of the forms."""
        if forms not in self._known:
            places = self._candidates(forms)
            self._known[forms] = tuple(
                place for place in places if self._indexes[place].states(forms)
            )
        return self._known[forms]

    def held(self, forms: tuple[str, ...]) -> tuple[int, ...]:
        """The positions of :meth:`stated` whose messages hold every word of one of the forms."""
        return tuple(
            place
            for place in self.stated(forms)
            if any(self._holds(place, normalize(form)) for form in forms)
        )

    def _holds(self, place: int, form: str) -> bool:
        if " " not in form and is_path(form):
            return True
        words = (word for token in raw_tokens(form) for word in _PART.split(token))
        telling = (word for word in words if word.isalpha() and word not in STOPWORDS)
        return all(self._held_at(stem(word), place) for word in telling)

    def _held_at(self, form: str, place: int) -> bool:
        places = self._holders.get(form, [])
        number = bisect_left(places, place)
        return number < len(places) and places[number] == place

    def _candidates(self, forms: tuple[str, ...]) -> Iterable[int]:
        """Every message that can state one of the forms, found by its rarest stems.

        The matcher needs three quarters of the stems, so a message that states a form
        holds at least one of its rarest quarter plus one.
        """
        places: set[int] = set()
        for form in forms:
            normal = normalize(form)
            last = path_suffixes(normal)[-1:] if " " not in normal and is_path(normal) else []
            stems = last or list(dict.fromkeys(content_stems(normal)))
            if not stems:
                return range(len(self.messages))
            held = sorted((self._holders.get(stem, []) for stem in stems), key=len)
            places.update(*held[: len(stems) // 4 + 1])
        return sorted(places)

    def find(
        self,
        text: str,
        asked: int,
        about: About,
        aliases: tuple[str, ...] = (),
        most: int = 3,
        tail: bool = False,
    ) -> Found | None:
        """The fact if the log states it up to ``asked`` and it is at risk there, else ``None``.

        At risk: at most ``most`` messages state it and, unless ``tail`` is allowed, none
        of them is in the tail. Its evidence are the messages that hold all its words;
        without any, it is not found. Redacted values are never found.
        """
        text = text.strip()
        if not text or len(text) > MAX_FACT_CHARACTERS or STAND_IN in text:
            return None
        places = tuple(place for place in self.stated((text, *aliases)) if place <= asked)
        if not places or len(places) > most or (not tail and places[-1] > self.before_tail(asked)):
            return None
        if not tail and self._budget is not None and self._kept(asked).states((text, *aliases)):
            return None
        held = [place for place in self.held((text, *aliases)) if place <= asked]
        if not held:
            return None
        evidence = tuple(self.messages[place].id for place in held[:_MAX_EVIDENCE])
        return Found(Fact(text, aliases, evidence, about), places)

    def find_all(
        self, texts: Iterable[str], asked: int, about: About, most: int = 3, tail: bool = False
    ) -> tuple[Found, ...]:
        """The facts that :meth:`find` finds among the texts, in their order."""
        found = (self.find(text, asked, about, most=most, tail=tail) for text in texts)
        return tuple(entry for entry in found if entry is not None)

    def before_tail(self, asked: int) -> int:
        """The last position before the tail of the log that ends at ``asked``.

        The tail is the larger of the one in :mod:`~pytest_compaction.case.tail` and the last
        twentieth of the messages, and has at least three messages.
        """
        late = asked - max(3, round((asked + 1) * LATE_SHARE))
        if self._budget is None:
            return late
        room = assumed_tail_room(self._budget)
        return min(late, assumed_tail_start(self._sizes, asked + 1, room) - 1)

    def _kept(self, asked: int) -> TextIndex:
        """The tail as one text: together its messages may state what none states alone."""
        if asked not in self._tails:
            first = self.before_tail(asked) + 1
            self._tails[asked] = TextIndex("\n".join(self._texts[first : asked + 1]))
        return self._tails[asked]

    @cached_property
    def _sizes(self) -> list[int]:
        counter = TokenCounter()
        return [counter.message(message) for message in self.messages]

    def familiar(self, clause: str) -> bool:
        """Whether at least three quarters of the clause's words occur in other messages too.

        A word that occurs only once is likely a typing error, which a fair answer would
        not repeat.
        """
        words = [form for form in content_stems(normalize(clause)) if form.isalpha()]
        strange = sum(len(self._holders.get(form, ())) < 2 for form in words)
        return strange * 4 <= len(words)

    def turns(self, role: str) -> list[tuple[int, str]]:
        """The positions and texts of a role's messages, without code blocks and empty texts."""
        return self._turns.get(role, [])

    @cached_property
    def _turns(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for place, message in enumerate(self.messages):
            plain = _CODE_BLOCK.sub("\n", message.text[:_MAX_TEXT_CHARACTERS])
            plain = _PASTED.sub("", plain)
            if text := _BLANKS.sub(" ", plain).strip():
                found.setdefault(message.role, []).append((place, text))
        return found

    @cached_property
    def requests(self) -> list[tuple[int, str]]:
        """The user turns that ask for something: at least four words, not a slash command."""
        return [
            (place, text)
            for place, text in self.turns("user")
            if not text.startswith("/") and len(first_line(text).split()) >= 4
        ]

    def request_before(self, position: int) -> str:
        """The last request before a position, shortened for a quote; empty if there is none."""
        number = bisect_left(self.requests, (position, ""))
        return quotable(self.requests[number - 1][1]) if number else ""


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
            yield Draft(kind, name, question, topic.found[:4], point, rank - better, topic.traps)
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
        yield Draft(kind, name, question, single.found, point, rank + 0.1, single.traps)
