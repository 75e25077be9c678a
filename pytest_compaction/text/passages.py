"""Short passages: up to three sentences of one bullet or paragraph, read as one.

Writers spread one fact over neighbouring clauses ("Working tree clean, all committed; nothing has
been pushed."). A passage keeps what each of its sentences negates or supposes within that
sentence; places are positions in the joined text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.text.alternatives import Key, Wanted
from pytest_compaction.text.cues import NOWHERE, Cue, Sense
from pytest_compaction.text.groups import REVERSING, Found, Weighed
from pytest_compaction.text.meaning import is_name, meaning
from pytest_compaction.text.parsed import Parsed, Places, Span

SENTENCES: Final = 3
"""The most sentences that a passage has."""
JOINT: Final = " ; "
_NO_SUBJECT: Final = re.compile(
    r"(?:(?:that|this|it|the|both|which|idea|approach|proposal|option|attempt|plan|was|is|were|then|"
    r"later|finally|user|has been|had been|got)\b ?)*"
)
_NO_OBJECT: Final = re.compile(
    r"\s*(?:$|[.,;:(]|(?:it|this|that|since|because|as|for|in favou?r|after|by|on|due|when)\b)"
)


class JoinedPlaces:
    """The places in sentences that are read as one; they are moved when they are asked for.

    ``parts`` are the places in each sentence and where it begins.
    """

    def __init__(self, parts: Sequence[tuple[int, Places]]) -> None:
        self._parts = parts

    def of(self, key: Key) -> Sequence[Span]:
        """The places of one key."""
        return [
            (start + offset, end + offset)
            for offset, places in self._parts
            for start, end in places.of(key)
        ]

    def items(self) -> Iterator[tuple[Key, Sequence[Span]]]:
        """All keys with their places."""
        return ((key, self.of(key)) for key in self)

    def among(self, keys: frozenset[Key]) -> set[Span]:
        """The places of any of the keys."""
        return {
            (start + offset, end + offset)
            for offset, places in self._parts
            for start, end in places.among(keys)
        }

    def has_any(self, keys: frozenset[Key]) -> bool:
        """Whether any of the keys stands there."""
        return any(places.has_any(keys) for _, places in self._parts)

    def __contains__(self, key: object, /) -> bool:
        return any(key in places for _, places in self._parts)

    def __iter__(self) -> Iterator[Key]:
        return iter(dict.fromkeys(key for _, places in self._parts for key in places))


def joined(sentences: Sequence[Parsed]) -> Parsed:
    """The sentences as one, each cue with the reach that it has in its own."""
    places: list[tuple[int, Places]] = []
    cues: list[Cue] = []
    starts: list[int] = []
    explains: list[int] = []
    joints: list[int] = []
    offset = 0
    for sentence in sentences:
        places.append((offset, sentence.places))
        shifted = [_shifted(cue, offset) for cue in sentence.sense.cues]
        cues += [_widened(cue, joints, sentence, offset) for cue in shifted] if joints else shifted
        joints.append(offset)
        starts += [offset, *(place + offset for place in sentence.sense.starts)]
        explains += [place + offset for place in sentence.sense.explains]
        offset += len(sentence.normal) + len(JOINT)
    normal = JOINT.join(sentence.normal for sentence in sentences)
    sense = Sense(tuple(cues), tuple(starts), tuple(explains))
    proper = frozenset[str]().union(*(sentence.proper for sentence in sentences))
    return Parsed(normal, JoinedPlaces(places), sense, (), 0, tuple(joints), proper)


def _widened(cue: Cue, joints: Sequence[int], sentence: Parsed, offset: int) -> Cue:
    """A rejection without a subject of its own is of what the sentence before says."""
    if cue.kind != "rejected" or not _NO_SUBJECT.fullmatch(sentence.normal[: cue.at[0] - offset]):
        return cue
    behind = sentence.normal[cue.at[1] - offset :]
    if not _NO_OBJECT.match(behind):
        return cue
    return replace(cue, before=(joints[-1], cue.at[0]))


def _shifted(cue: Cue, offset: int) -> Cue:
    def moved(span: Span) -> Span:
        return NOWHERE if span == NOWHERE else (span[0] + offset, span[1] + offset)

    return replace(cue, at=moved(cue.at), scope=moved(cue.scope), before=moved(cue.before))


def together(
    text: str,
    passage: Parsed,
    wanted: Wanted,
    groups: Sequence[Sequence[Found]],
    weighed: Weighed,
) -> Weighed:
    """Stated only if the sentences of the passage speak of one thing, the statement's subject."""
    if weighed.outcome != "stated":
        return weighed
    if _led_by_another(meaning(text).parsed, passage, wanted, groups):
        return replace(weighed, outcome="uncertain", why="another subject stands before it")
    if any(cue.whole for cue in passage.sense.cues):
        return replace(weighed, outcome="contradicted", why="one of the clauses is taken back")
    if _taken_back(passage, groups):
        return replace(weighed, outcome="uncertain", why="taken back in the same passage")
    return replace(weighed, why="in neighbouring clauses")


def _led_by_another(
    own: Parsed, passage: Parsed, wanted: Wanted, groups: Sequence[Sequence[Found]]
) -> bool:
    """Whether the subject of a one-clause statement stands only after all that it is to do.

    A name may come first and the one who acts on it later.
    """
    opened = {
        number: min(match.start for match in found)
        for number, group in enumerate(wanted)
        if (found := own.matches_of(group))
    }
    if not opened or len(wanted) < 2:
        return False
    low, high = min(opened.values()), max(opened.values())
    if any(low < place < high for place in own.sense.starts):
        return False
    subject = min(opened, key=lambda number: opened[number])
    others = [group for number, group in enumerate(groups) if number != subject]
    if any(
        is_name(term) for group in others for one in group for term in one.match.alternative.terms
    ):
        return False
    first = [
        min((passage.sentence(one.match.start) for one in group if one.own), default=0)
        for group in (groups[subject], *others)
    ]
    return first[0] > max(first[1:])


def _taken_back(passage: Parsed, groups: Sequence[Sequence[Found]]) -> bool:
    """Whether a group that is asserted in one clause is negated or replaced in another."""
    for group in groups:
        reached = [
            any(
                cue.kind in REVERSING and cue.reaches(one.match.start, one.match.end)
                for cue in passage.sense.cues
            )
            for one in group
            if one.own and not one.match.alternative.negative
        ]
        if any(reached) and not all(reached):
            return True
    return False
