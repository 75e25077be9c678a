"""A log indexed for finding facts: where each is stated, how often, and is it at risk?"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from itertools import islice
from typing import Any, Final, TypeVar

from pytest_compaction.artifacts import (
    Command,
    FileOperation,
    Invocation,
    commands,
    file_operations,
    invocations,
)
from pytest_compaction.case import (
    AnswerFormat,
    Change,
    Fact,
    FactType,
    NeededHow,
    ProbeKind,
    Trap,
)
from pytest_compaction.case_making.keys import Groups, keys_of, task_keys
from pytest_compaction.case_making.phrases import balanced, first_line, of_the_program
from pytest_compaction.case_making.points import assumed_tail_room, assumed_tail_start
from pytest_compaction.case_making.questions import asked_in
from pytest_compaction.conversation import Message, readable, shared_counter
from pytest_compaction.metrics import view_index
from pytest_compaction.secrets import STAND_IN
from pytest_compaction.text import (
    LogIndex,
    SharedTexts,
    Statement,
    TextIndex,
    content_stems,
    is_path,
    language_of_conversation,
    normalize,
    path_suffixes,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A candidate for a fact: its text and type, and its key groups if a source knows them.

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
class Need:
    """A thing that had to be remembered at a point.

    ``clause`` is the log's own words at the position ``place``; ``use`` is the position of the
    message that needs it, ``distance`` the number of tool calls from the point to it, ``act`` what
    is done there. ``name`` is the exact text that was used; it is empty for a whole sentence.
    ``topic`` is a quotation by which a question can name the subject. Unless it is ``sure``, a
    person has to confirm it.
    """

    way: NeededHow
    clause: str
    place: int
    use: int
    distance: int
    name: str = ""
    topic: str = ""
    act: str = ""
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """A fact, and the positions of all messages before the question that state it."""

    fact: Fact
    positions: tuple[int, ...]
    need: Need | None = None

    @property
    def risk(self) -> tuple[int, int]:
        """A sort key, smallest for the fact most at risk: stated rarely, then early."""
        return (len(self.positions), self.positions[0])


@dataclass(frozen=True, slots=True)
class Draft:
    """A probe that is not yet checked and chosen.

    A smaller ``rank`` is better. ``point`` is the number of the compaction point after which it is
    asked. A question for all of something says in ``whole`` how many facts these are; with fewer it
    is not asked. A draft that is not ``sure`` waits for a person. ``part`` words the part of the
    question for one fact.
    """

    kind: ProbeKind
    name: str
    question: str
    found: tuple[Found, ...]
    point: int
    rank: float = 1.0
    format: AnswerFormat = "text"
    whole: int = 0
    sure: bool = True
    part: Callable[[Need], str] | None = None

    @property
    def asked(self) -> str:
        """The question in English."""
        return self.asked_in("en")

    def asked_in(self, language: str) -> str:
        """The question, in which ``{}`` stands for a numbered part for each fact."""
        question = asked_in(self.question, language)
        if self.part is None:
            return question
        parts = [self.part(found.need) for found in self.found if found.need]
        listed = "; ".join(f"({number}) {part}" for number, part in enumerate(parts, 1))
        return question.replace("{}", listed if len(parts) > 1 else parts[0])


T = TypeVar("T")

LATE_SHARE: Final = 0.05
"""Facts in this last share of a log are hardly at risk, however small the budget is."""

# A longer fact would have to be quoted from memory, which tests wording, not knowledge.
MAX_FACT_CHARACTERS: Final = 160
MAX_FACTS: Final = 6
"""The most facts of one probe."""
_MAX_EVIDENCE: Final = 3
# Bounds the time to index messages that hold a pasted dump of megabytes.
_MAX_TEXT_CHARACTERS: Final = 400_000
_PASTED: Final = re.compile(
    r"^[ \t]*(?:\d+[ \t]?[:|│]|\(\d+ (?:more )?lines|File \"|Traceback \("
    r"|\w*Error:|at (?:async )?\S+ \(|diff --git|@@ ).*$",
    re.MULTILINE,
)
"""Lines of listings, stack traces and patches, which nobody wrote as a message."""
_MASKED: Final = re.compile(r"\bREDACTED\b")
"""What other programs put in the place of a secret."""
_BLANKS: Final = re.compile(r"[^\S\n]{2,}")
_CODE_BLOCK: Final = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


class _Stating:
    """The positions that state one thing, looked for in order and no further than is asked."""

    def __init__(self, statement: Statement, candidates: Sequence[int], log: LogIndex) -> None:
        self._statement = statement
        self._candidates = candidates
        self._log = log
        self._read = 0
        self._found: list[int] = []

    def until(self, asked: int, most: int) -> tuple[int, ...]:
        """The positions up to ``asked``; the first ``most`` and one more if there are so many."""
        while self._read < len(self._candidates) and len(self._found) <= most:
            place = self._candidates[self._read]
            if place > asked:
                break
            self._read += 1
            if self._log.text(place).is_stated(self._statement):
                self._found.append(place)
        return tuple(place for place in self._found[: most + 1] if place <= asked)


class ProbeLog:
    """The messages of a case and where each fact is stated in them."""

    def __init__(
        self,
        messages: Sequence[Message],
        points: Sequence[int],
        budget: int | None = None,
        recorded: Sequence[int] = (),
    ) -> None:
        self.messages = tuple(messages)
        self.points = tuple(points)
        self.recorded = tuple(recorded)
        """The positions after which a compaction of the agent is on record."""
        self.last = len(points) - 1
        """The number of the last point."""
        self.end = points[-1] if points else -1
        """The position of the last point."""
        self._budget = budget
        self._tails: dict[int, TextIndex] = {}
        said = (each.text for each in self.messages if each.role in {"user", "assistant"})
        self.language = language_of_conversation(said)
        """The code of the language in which most is said."""
        self.position = {message.id: place for place, message in enumerate(self.messages)}
        self._texts = [readable(message)[:_MAX_TEXT_CHARACTERS] for message in self.messages]
        self._is_cut = False
        self._holders: dict[str, int | array[int]] = {}
        """The message that alone holds a stem, or the messages that do, in order."""
        for place, text in enumerate(self._texts):
            self._is_cut |= len(text) == _MAX_TEXT_CHARACTERS
            for form in set(content_stems(normalize(text))):
                known = self._holders.get(form)
                if known is None:
                    self._holders[form] = place
                elif isinstance(known, int):
                    self._holders[form] = array("I", (known, place))
                else:
                    known.append(place)
        self._known: dict[tuple[str, Groups, Change | None], _Stating] = {}
        self.readings: dict[Callable[[ProbeLog], Any], Any] = {}
        """What functions found in this log; see :func:`once_a_log`."""

    @cached_property
    def invocations(self) -> tuple[Invocation, ...]:
        """Every tool call of the messages with its result, in order."""
        return tuple(invocations(self.messages))

    @cached_property
    def commands(self) -> tuple[Command, ...]:
        """The shell commands that were run, in order."""
        return tuple(commands(self.messages))

    @cached_property
    def operations(self) -> tuple[FileOperation, ...]:
        """File operations of the tool calls, in order."""
        return tuple(file_operations(self.messages))

    def stated(self, fact: Fact) -> tuple[int, ...]:
        """The positions of all messages that state the fact."""
        return self._stating(fact).until(len(self.messages), len(self.messages))

    def _stating(self, fact: Fact) -> _Stating:
        known = (fact.text, fact.keys, fact.change)
        if known not in self._known:
            candidates = self._candidates(fact)
            self._known[known] = _Stating(fact.statement, candidates, self._index)
        return self._known[known]

    def whole(self, asked: int) -> TextIndex:
        """The log up to the position ``asked`` as ``lint`` reads it."""
        messages = self.messages[: asked + 1]
        if self._is_cut:
            return view_index(messages)
        return self._index.beginning(len(messages))

    @cached_property
    def _index(self) -> LogIndex:
        return LogIndex(self._texts)

    def frequency(self, form: str) -> int:
        """Number of messages that hold a stem."""
        return len(self._holders_of(form))

    def _holders_of(self, form: str) -> Sequence[int]:
        found = self._holders.get(form, ())
        return (found,) if isinstance(found, int) else found

    def _candidates(self, fact: Fact) -> Sequence[int]:
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
            held = [self._holders_of(stem) for stem in stems]
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
        places = self._stating(fact).until(asked, most)
        if not places or len(places) > most or (not tail and places[-1] > self.before_tail(asked)):
            return None
        if not tail and self._budget is not None and self._kept(asked, fact):
            return None
        # The index of a log may read a value in a path that a message alone does not show.
        alone = (place for place in places if states(self._texts[place], fact))
        evidence = tuple(self.messages[place].id for place in islice(alone, _MAX_EVIDENCE))
        return Found(replace(fact, evidence=evidence), places) if evidence else None

    def fact(self, candidate: Candidate) -> Fact | None:
        """The candidate with key groups that its own text states; ``None`` without them."""
        text = balanced(" ".join(candidate.text.split()))
        if not text or len(text) > MAX_FACT_CHARACTERS or STAND_IN in text or _MASKED.search(text):
            return None
        keys = candidate.keys or keys_of(text, self.frequency)
        fact = Fact(text, type=candidate.type, keys=keys, change=candidate.change)
        fact = replace(fact, language=self.language)
        agrees = bool(keys) and states(text, fact)
        return fact if agrees else None

    def task(self, text: str, type: FactType) -> Candidate:
        """A step to be done, with a key group for the verb."""
        return Candidate(text, type, task_keys(text, self.frequency))

    def before_tail(self, asked: int) -> int:
        """The last position before the tail of the log that ends at ``asked``."""
        late = asked - max(3, round((asked + 1) * LATE_SHARE))
        if self._budget is None:
            return late
        room = assumed_tail_room(self._budget)
        return min(late, assumed_tail_start(self._sizes, asked + 1, room) - 1)

    def _kept(self, asked: int, fact: Fact) -> bool:
        """Whether the tail states a fact: its messages together may state what none does alone."""
        if asked not in self._tails:
            first = self.before_tail(asked) + 1
            self._tails[asked] = SharedTexts().view(["\n".join(self._texts[first : asked + 1])])
        return self._tails[asked].is_stated(fact.statement)

    @cached_property
    def _sizes(self) -> list[int]:
        counter = shared_counter()
        return [counter.message(message) for message in self.messages]

    def turns(self, role: str) -> list[tuple[int, str]]:
        """The positions and texts of a role's messages, without code blocks and empty texts."""
        return self._turns.get(role, [])

    @cached_property
    def _turns(self) -> dict[str, list[tuple[int, str]]]:
        found: dict[str, list[tuple[int, str]]] = {}
        for place, message in enumerate(self.messages):
            plain = _CODE_BLOCK.sub("\n", message.text[:_MAX_TEXT_CHARACTERS])
            plain = _PASTED.sub("", plain)
            if message.role == "user" and of_the_program(plain):
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


def once_a_log(read: Callable[[ProbeLog], T]) -> Callable[[ProbeLog], T]:
    """A function of a log that reads each log once; nobody may change what it gives."""

    @wraps(read)
    def known(log: ProbeLog) -> T:
        if read not in log.readings:
            log.readings[read] = read(log)
        found: T = log.readings[read]
        return found

    return known


def fact_data(fact: Fact) -> dict[str, Any]:
    """A fact in the shape of a case file."""
    return {
        "text": fact.text,
        "type": fact.type,
        **({"change": fact.change} if fact.change else {}),
        **({"keys": [list(group) for group in fact.keys]} if fact.keys else {}),
        "evidence": list(fact.evidence),
    }


def states(text: str, said: Fact | Trap) -> bool:
    """Whether a text states a fact or a trap."""
    return TextIndex(text).is_stated(said.statement)
