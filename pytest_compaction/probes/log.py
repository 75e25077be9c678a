"""A log indexed for finding facts: where each is stated, how often, and is it at risk?"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from pytest_compaction.case.case import Change, Fact, FactType, ProbeKind, Trap
from pytest_compaction.case.tail import assumed_tail_room, assumed_tail_start
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.survival import view_index
from pytest_compaction.probes.keys import Groups, keys_of
from pytest_compaction.probes.phrases import balanced, first_line, quotable
from pytest_compaction.secrets.shapes import STAND_IN
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import content_stems, is_path, normalize, path_suffixes

LATE_SHARE: Final = 0.05
"""Facts in this last share of a log are hardly at risk, however small the budget is."""

# A longer fact would have to be quoted from memory, which tests wording, not knowledge.
MAX_FACT_CHARACTERS: Final = 160
_MAX_EVIDENCE: Final = 3
# Bounds the time to index messages that hold a pasted dump of megabytes.
_MAX_TEXT_CHARACTERS: Final = 400_000
_PASTED: Final = re.compile(
    r"^[ \t]*(?:\d+[ \t]?[:|│]|\(\d+ (?:more )?lines|File \"|Traceback \(|at \S+ \(|diff --git|@@ )"
    r".*$",
    re.MULTILINE,
)
"""Lines of listings, stack traces and patches, which nobody wrote as a message."""
_TAGGED: Final = re.compile(r"\s*<(?:local-command|command-|system-|bash-)[\w-]*>|\s*\x1b")
"""The start of a turn that the agent's program wrote in the user's name."""
_BLANKS: Final = re.compile(r"[^\S\n]{2,}")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Candidate:
    """What might be a fact: its text and type, and its key groups if a source knows them.

    Without ``keys`` they are made from the text.
    """

    text: str
    type: FactType
    keys: Groups = ()
    change: Change | None = None


def path_candidate(path: str, change: Change) -> Candidate:
    """A file and what happened to it, as a fact."""
    return Candidate(f"{path} was {change}", "path", ((path,),), change)


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
        self._whole: dict[int, TextIndex] = {}
        self.position = {message.id: place for place, message in enumerate(self.messages)}
        self._texts = [readable(message)[:_MAX_TEXT_CHARACTERS] for message in self.messages]
        self._indexes = [TextIndex(text) for text in self._texts]
        self._holders: dict[str, list[int]] = {}
        for place, text in enumerate(self._texts):
            for form in set(content_stems(normalize(text))):
                self._holders.setdefault(form, []).append(place)
        self._known: dict[tuple[str, Groups, Change | None], tuple[int, ...]] = {}

    def stated(self, fact: Fact) -> tuple[int, ...]:
        """The positions of all messages that state the fact."""
        known = (fact.text, fact.keys, fact.change)
        if known not in self._known:
            self._known[known] = tuple(
                place
                for place in self._candidates(fact)
                if self._indexes[place].read(fact.statement).outcome == "stated"
            )
        return self._known[known]

    def whole(self, asked: int) -> TextIndex:
        """The log up to the position ``asked`` as ``lint`` reads it, indexed once."""
        if asked not in self._whole:
            self._whole[asked] = view_index(self.messages[: asked + 1])
        return self._whole[asked]

    def names(self, path: str) -> tuple[int, ...]:
        """The positions of all messages that name a path."""
        return tuple(place for place, index in enumerate(self._indexes) if index.has_path(path))

    def frequency(self, form: str) -> int:
        """How many messages hold a stem."""
        return len(self._holders.get(form, ()))

    def _candidates(self, fact: Fact) -> Iterable[int]:
        """Every message that can state the fact: those that hold words of its rarest group."""
        if not fact.keys:
            return range(len(self.messages))
        held = [self._holding(group) for group in fact.keys]
        return sorted(sorted(held, key=len)[0])

    def _holding(self, group: Iterable[str]) -> set[int]:
        places: set[int] = set()
        for key in group:
            normal = normalize(key)
            if " " not in normal and is_path(normal):
                stems = path_suffixes(normal)[-1:]
            else:
                stems = list(dict.fromkeys(content_stems(normal)))
            held = [self._holders.get(stem, []) for stem in stems]
            if not held:
                return set(range(len(self.messages)))
            places.update(sorted(held, key=len)[0])
        return places

    def find(
        self, candidate: Candidate, asked: int, most: int = 3, tail: bool = False
    ) -> Found | None:
        """The fact if the log states it up to ``asked`` and it is at risk there, else ``None``.

        At risk: at most ``most`` messages state it and, unless ``tail`` is allowed, none
        of them is in the tail. Redacted values are never found, nor is a text without
        words that tell.
        """
        fact = self.fact(candidate)
        if fact is None:
            return None
        places = tuple(place for place in self.stated(fact) if place <= asked)
        if not places or len(places) > most or (not tail and places[-1] > self.before_tail(asked)):
            return None
        if not tail and self._budget is not None and self._kept(asked, fact):
            return None
        evidence = tuple(self.messages[place].id for place in places[:_MAX_EVIDENCE])
        return Found(replace(fact, evidence=evidence), places)

    def fact(self, candidate: Candidate) -> Fact | None:
        """The candidate with key groups that its own text states; ``None`` without them."""
        text = balanced(" ".join(candidate.text.split()))
        if not text or len(text) > MAX_FACT_CHARACTERS or STAND_IN in text:
            return None
        keys = candidate.keys or keys_of(text, self.frequency)
        fact = Fact(text=text, type=candidate.type, keys=keys, change=candidate.change)
        agrees = bool(keys) and TextIndex(text).read(fact.statement).outcome == "stated"
        return fact if agrees else None

    def find_all(
        self, candidates: Iterable[Candidate], asked: int, most: int = 3, tail: bool = False
    ) -> tuple[Found, ...]:
        """The facts that :meth:`find` finds among the candidates, in their order."""
        found = (self.find(each, asked, most=most, tail=tail) for each in candidates)
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

    def _kept(self, asked: int, fact: Fact) -> bool:
        """Whether the tail states a fact: its messages together may state what none does alone."""
        if asked not in self._tails:
            first = self.before_tail(asked) + 1
            self._tails[asked] = TextIndex("\n".join(self._texts[first : asked + 1]))
        return self._tails[asked].read(fact.statement).outcome == "stated"

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
            if message.role == "user" and _TAGGED.match(plain):
                continue
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
