"""A log prepared for finding facts: where each is stated, how often, and whether it is at risk."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from pytest_compaction.case import About, Fact, ProbeKind, Trap
from pytest_compaction.conversation import Message, readable
from pytest_compaction.importers.secret_shapes import STAND_IN
from pytest_compaction.matching import TextIndex
from pytest_compaction.text import content_stems, is_path, normalize, path_suffixes, segments

TAIL_SHARE: Final = 0.05
"""What the last twentieth of a log states, every strategy that keeps a tail still has."""

MAX_FACT_CHARACTERS: Final = 140
MAX_QUOTE_CHARACTERS: Final = 120
_MAX_EVIDENCE: Final = 3
_MAX_TEXT_CHARACTERS: Final = 400_000
_PASTED: Final = re.compile(
    r"^[ \t]*(?:\d+[ \t]?[:|│]|\(\d+ (?:more )?lines|File \"|Traceback \(|at \S+ \(|diff --git|@@ )"
    r".*$",
    re.MULTILINE,
)
"""Lines of listings, traces and patches: nobody's own words."""
_POINTER: Final = re.compile(r"\b(?:following|below|above|attached|here(?:'s| is| are))\b", re.I)
_BLANKS: Final = re.compile(r"[^\S\n]{2,}")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END: Final = re.compile(r"(?<=[\w)`'\"][.!?])\s+(?=[\w`'\"(])")
_CLAUSE_END: Final = re.compile(
    r"(?:(?<=\w)[,;!?]+)?\s+(?:but|so that|so|then)\s+|(?<=\w)[,;!?]+\s+|\s+[-–—]\s+|:\s+|\.\.+"
)
_AND: Final = re.compile(r"\s+and\s+")
_LINKING: Final = re.compile(r"^\s*(?:and|but|so|then|or|also|please)\s+(?=\w+\s)", re.I)
_COARSE: Final = re.compile(r"\b\w*(?:fuck|shit|stupid|damn)\w*", re.I)


@dataclass(frozen=True, slots=True)
class Found:
    """A fact with the positions of all messages, up to where it is asked, that state it."""

    fact: Fact
    positions: tuple[int, ...]

    @property
    def risk(self) -> tuple[int, int]:
        """Smaller is more at risk: stated rarely, then early."""
        return (len(self.positions), self.positions[0])


@dataclass(frozen=True, slots=True)
class Draft:
    """A probe before it is checked and chosen; a smaller ``rank`` is better."""

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

    def __init__(self, messages: Sequence[Message], points: Sequence[int]) -> None:
        self.messages = tuple(messages)
        self.points = tuple(points)
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

    def _candidates(self, forms: tuple[str, ...]) -> Iterable[int]:
        """Every message that can state one of the forms, found by its rarest stems.

        The matcher wants three quarters of the stems, so of a quarter of them and
        one more at least one must be there.
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
        """The fact, when the log states it up to ``asked`` and it is at risk there.

        At risk: in at most ``most`` messages, and (unless ``tail``) in none of
        the last twentieth. A value that was redacted is nobody's to remember.
        """
        text = text.strip()
        if not text or len(text) > MAX_FACT_CHARACTERS or STAND_IN in text:
            return None
        places = tuple(place for place in self.stated((text, *aliases)) if place <= asked)
        if not places or len(places) > most or (not tail and places[-1] > self.tail(asked)):
            return None
        evidence = tuple(self.messages[place].id for place in places[:_MAX_EVIDENCE])
        return Found(Fact(text, aliases, evidence, about), places)

    def tail(self, asked: int) -> int:
        """The last position before the tail of the log that ends at ``asked``."""
        return asked - max(3, round((asked + 1) * TAIL_SHARE))

    def familiar(self, clause: str) -> bool:
        """Whether at most a quarter of the clause's words stand in no other message.

        A word that nobody else uses is likely a slip of the pen, which a fair
        answer would not repeat.
        """
        words = [form for form in content_stems(normalize(clause)) if form.isalpha()]
        strange = sum(len(self._holders.get(form, ())) < 2 for form in words)
        return strange * 4 <= len(words)

    def turns(self, role: str) -> list[tuple[int, str]]:
        """The positions and texts of a role's messages that have one, code blocks left out."""
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
        """The user turns that ask for something: at least four words and no slash command."""
        return [
            (place, text)
            for place, text in self.turns("user")
            if not text.startswith("/") and len(first_line(text).split()) >= 4
        ]

    def request_before(self, position: int) -> str:
        """The last request before a position, short enough to be quoted; empty without one."""
        number = bisect_left(self.requests, (position, ""))
        return quotable(self.requests[number - 1][1]) if number else ""


def first_line(text: str) -> str:
    """The first line of a text that is not the name of a file in quotes."""
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith(("'/", '"/', "/")):
            return line
    return ""


def quotable(text: str) -> str:
    """The first sentences of a text in one line of at most 120 characters; empty if too coarse."""
    kept = ""
    for sentence in sentences(first_line(text)):
        if len(kept) + len(sentence) > MAX_QUOTE_CHARACTERS:
            break
        kept = f"{kept} {sentence}".strip()
    if not kept:
        words = first_line(text)[:MAX_QUOTE_CHARACTERS].rsplit(" ", 1)
        kept = f"{words[0]} …" if words[0] else ""
    kept = kept.rstrip(" :").replace("**", "").replace("“", '"').replace("”", '"')
    return "" if coarse(kept) or kept.count("`") % 2 else kept


def whole_text(text: str) -> bool:
    """Whether a text stands for itself: not a lead-in, not the rest of a line that was cut."""
    return not re.match(r"\d+\b", text) and not text.rstrip().endswith((":", ",", "(", "…"))


def pointing(text: str) -> bool:
    """Whether a text only says where something stands: "the following issue", "see below"."""
    return bool(_POINTER.search(text))


def coarse(text: str) -> bool:
    """Whether a text holds words that a question should not repeat."""
    return bool(_COARSE.search(text))


def opening(text: str) -> str:
    """A text up to its first empty line: what a user wrote before what was pasted."""
    return re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]


def sentences(text: str) -> list[str]:
    """Sentences of a text, those that start in lower case too."""
    return [piece for segment in segments(text) for piece in _SENTENCE_END.split(segment)]


def clauses(text: str, least: int = 3, most: int = 14) -> list[str]:
    """Short clauses of a text with at least ``least`` content stems and at most ``most`` words.

    What leads in to something else, with a colon at its end, states nothing; nor does
    a quoted string, or half of one. A long clause is divided at "and" unless a name follows it.
    """
    found: list[str] = []
    for sentence in sentences(text):
        pieces = _CLAUSE_END.split(sentence)
        for piece in pieces[:-1] if sentence.endswith(":") else pieces:
            if piece.count('"') % 2 or (piece.startswith('"') and piece.endswith('"')):
                continue
            halves = _AND.split(piece)
            whole = len(piece.split()) <= most or min(len(half.split()) for half in halves) < 4
            if not whole and any(half[:1].isupper() for half in halves[1:]):
                continue
            for part in [piece] if whole else halves:
                clause = bare(_LINKING.sub("", part))
                stems = set(content_stems(normalize(clause)))
                if 3 <= len(clause.split()) <= most and len(stems) >= least and not coarse(clause):
                    found.append(clause)
    return list(dict.fromkeys(found))


def bare(text: str) -> str:
    """A piece of text without Markdown emphasis, list marks, loose backticks and punctuation."""
    text = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", text).strip(" \t.,;:!?*-")
    return text.replace("`", "") if text.count("`") % 2 else text


@dataclass(frozen=True, slots=True)
class Topic:
    """What one question, or one half of a question, can be about, and its facts."""

    subject: str
    found: tuple[Found, ...]


def pooled(
    topics: Iterable[Topic],
    kind: ProbeKind,
    name: str,
    one: str,
    many: str,
    point: int,
    rank: float,
) -> Iterator[Draft]:
    """Drafts of topics with two or more facts each; topics with one fact are asked in pairs.

    The last one without a partner is a draft with one fact.
    ``{}`` in ``one`` and ``many`` stands for the subject, or for both, numbered.
    """
    single: Topic | None = None
    for topic in topics:
        if len(topic.found) > 1:
            better = 0.03 * min(len(topic.found), 4)
            question = one.replace("{}", f"“{topic.subject}”")
            yield Draft(kind, name, question, topic.found[:4], point, rank - better)
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
            yield Draft(kind, name, question, found, point, rank)
            single = None
    if single is not None:
        question = one.replace("{}", f"“{single.subject}”")
        yield Draft(kind, name, question, single.found, point, rank + 0.1)
