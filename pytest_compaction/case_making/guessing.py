"""Facts that a reader could guess without the log, from what every view of it shows.

That is the system prompt, files of rules, the newest messages and the questions themselves. A name
can also be guessed from another one: ``parse_log_test.py`` from ``parse_log.py``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from pytest_compaction.artifacts import named_paths
from pytest_compaction.case import Fact
from pytest_compaction.case_making.keys import telling
from pytest_compaction.case_making.log import ProbeLog, once_a_log
from pytest_compaction.case_making.needed import NAME, VALUE, fixed_text, left_tail
from pytest_compaction.conversation import readable
from pytest_compaction.text import content_stems, normalize, segments

_PART: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SUFFIX: Final = re.compile(r"(?<=\w)\.[A-Za-z]\w{0,7}$")
_COMMON_PARTS: Final = frozenset(
    "test tests spec mock mocks fixture util utils helper helpers type types index main src lib"
    " impl base get set is has to from new".split()
)
"""Parts that anyone would add to a name."""
_OF_PROSE: Final = frozenset({"decision", "constraint", "reason", "error"})
_LINE: Final = 200
_LEAST_HIDDEN: Final = 2
"""A fact without an exact name is no guess if so many of its key groups are shown nowhere."""


class Clues:
    """Texts that a reader without the log has, and what follows from them."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = [text for text in texts if text]

    @cached_property
    def _folded(self) -> str:
        return "\n".join(self._texts).casefold()

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(content_stems(normalize("\n".join(self._texts))))

    @cached_property
    def _names(self) -> frozenset[frozenset[str]]:
        """The parts of each name that is shown."""
        found = (parts_of(match[0]) for text in self._texts for match in NAME.finditer(text))
        return frozenset(found) - {frozenset()}

    @cached_property
    def _lines(self) -> tuple[frozenset[str], ...]:
        """The parts of all words of each line; a long line is read in pieces."""
        found = set[frozenset[str]]()
        for text in self._texts:
            for line in text.splitlines():
                for start in range(0, len(line), _LINE):
                    found.add(frozenset(_parts(line[start : start + _LINE])))
        return tuple(found)

    def shows(self, key: str) -> bool:
        """Whether a key stands in the texts, or is a name that follows from a line of them."""
        if key.casefold() in self._folded:
            return True
        if not telling(key):
            return self._stems.issuperset(content_stems(normalize(key)))
        parts = parts_of(key)
        if len(parts) < 2:
            return parts in self._names
        return any(parts <= line for line in self._lines)

    def tells(self, groups: Sequence[tuple[str, ...]]) -> bool:
        """Whether one sentence holds a key of each group."""
        wanted = [[frozenset(content_stems(normalize(key))) for key in group] for group in groups]
        return any(
            all(any(stems <= held for stems in group) for group in wanted)
            for held in self._sentences
        )

    @cached_property
    def _sentences(self) -> tuple[frozenset[str], ...]:
        held = (segment for text in self._texts for segment in segments(text))
        return tuple({frozenset(content_stems(normalize(segment))) for segment in held})


def _parts(text: str) -> list[str]:
    return [part.casefold() for part in _PART.findall(text)]


def parts_of(name: str) -> frozenset[str]:
    """The telling parts of a name: of a path those of its last part, without its suffix."""
    last = _SUFFIX.sub("", name.rstrip("/").rsplit("/", 1)[-1])
    return frozenset(_parts(last)) - _COMMON_PARTS


@once_a_log
def _clues_by_point(log: ProbeLog) -> dict[int, Clues]:
    return {}


def clues(log: ProbeLog, point: int) -> Clues:
    """The clues of a point: system prompt, files of rules, newest messages."""
    known = _clues_by_point(log)
    if point not in known:
        tail = log.messages[left_tail(log, point) : log.points[point] + 1]
        known[point] = Clues([fixed_text(log), working_folder(log), *map(readable, tail)])
    return known[point]


@once_a_log
def working_folder(log: ProbeLog) -> str:
    """The names of folders that a third of the paths named by calls lie in."""
    named = [path for invocation in log.invocations for path in named_paths(invocation.call)]
    times = Counter(part for path in named for part in set(path.split("/")[:-1]))
    return "\n".join(part for part, number in times.items() if number * 3 >= len(named))


def is_guessable(fact: Fact, shown: Clues, questions: Clues) -> bool:
    """Whether what is shown and the questions tell so much of a fact that the rest can be guessed.

    A decision, rule, reason or error is more than its words: it is guessed only if a line tells it.
    """
    of_prose = fact.type in _OF_PROSE
    hidden = [
        group
        for group in fact.keys
        if not any(questions.shows(key) or (not of_prose and shown.shows(key)) for key in group)
    ]
    told = of_prose and shown.tells(hidden)
    if not told and any(telling(key) or VALUE.fullmatch(key) for group in hidden for key in group):
        return False
    return told or len(hidden) < min(_LEAST_HIDDEN, len(fact.keys))
