"""How far an answer says what a nugget asks for: whole, in part or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer, Passage, passages_of
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.quantities.values import Value, equal, values_of
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.words import content_stems, normalize, printable

WHOLE: Final = 0.65
"""The share of a nugget's own words that a passage has to hold to satisfy it."""
PART: Final = 0.35
"""The share that satisfies it in part."""
SHOWN: Final = 80
"""Characters of an answer in a reasoning."""
_FENCE: Final = re.compile(r"^\s*```\w", re.MULTILINE)
_ASKS_FOR_CODE: Final = re.compile(r"\bcode (?:block|snippet|example)s?\b", re.IGNORECASE)
_DENIAL: Final = "not"
"""The stem that all words of denial share."""
_FRAME: Final = (
    "said say told tell mentioned mention stated state noted reported indicated "
    "no not never none nothing neither without cannot"
)
"""What frames a statement, as in "you also mentioned that you have never", and says none of it."""
_BOTH: Final = re.compile(r"\b(?:between|of|for) (?:the |these )?two \w+")
"""Names the things that a question is about, and counts nothing: "between the two events"."""
_ENDS: Final = re.compile(r"(?:from|between) (.{1,40}) (?:till|until|to|and) (.{1,40})")
"""A nugget of two ends, as in "from March 3 till April 2"."""


def stated(nugget: Nugget, answer: Answer) -> NuggetScore:
    """Whether an answer states a nugget; "says otherwise" is 0 whatever else it says."""
    if _ASKS_FOR_CODE.search(nugget.content):
        has = _FENCE.search(answer.text) is not None
        return NuggetScore(
            float(has), "holds a marked block of code" if has else "no block of code"
        )
    if not answer.said:
        return NuggetScore(0.0, "says nothing of it")
    if ends := _ends(nugget):
        return _both(ends, answer)
    reading = answer.index.read(Statement(nugget.content))
    if reading.outcome == "stated":
        return NuggetScore(1.0, f"states it: {printable(reading.clause, SHOWN)}")
    if reading.outcome == "contradicted":
        return NuggetScore(0.0, f"says otherwise: {printable(reading.why, SHOWN)}")
    return graded(nugget, answer, answer.passages, uncertain=reading.outcome == "uncertain")


def side_stated(nugget: Nugget, answer: Answer) -> NuggetScore:
    """The same of one side of a contradiction, which the other side does not take back."""
    found = stated(nugget, answer)
    if found.score == 1:
        return found
    statement = Statement(nugget.content)
    agreeing: list[str] = []
    for part in answer.sides:
        reading = TextIndex(part).read(statement)
        if reading.outcome == "stated":
            return NuggetScore(1.0, f"states it: {printable(reading.clause, SHOWN)}")
        if reading.outcome != "contradicted":
            agreeing.append(part)
    parts = graded(nugget, answer, passages_of(agreeing), uncertain=False)
    return max(found, parts, key=lambda score: score.score)


def graded(
    nugget: Nugget, answer: Answer, passages: Sequence[Passage], uncertain: bool
) -> NuggetScore:
    """By the passage that holds most of its values and words; what is uncertain is never whole.

    What the question holds already is not asked for, if the nugget holds more.
    """
    normal = _BOTH.sub("", normalize(nugget.content)) or normalize(nugget.content)
    all_values = values_of(normal)
    new = tuple(v for v in all_values if not any(equal(v, given) for given in answer.given))
    asked = new or all_values
    stems = frozenset(content_stems(normal))
    wanted = stems.difference(content_stems(_FRAME)) or stems
    words = (wanted - answer.asked) or wanted
    if _DENIAL in stems:
        passages = [passage for passage in passages if _DENIAL in passage.stems]
    read = [_held(asked, words, passage) for passage in passages]
    if new:  # an answer with all values that the question lacks knows more than the question
        read += [held for passage in passages if (held := _held(asked, wanted, passage))[0] == 1]
    values, share = max(read, default=(0.0, 0.0))
    said = f"{share:.0%} of its words" + (f" and {values:.0%} of its values" if asked else "")
    if asked and values < 1:
        part = values > 0 and share >= PART
        return NuggetScore(0.5 if part else 0.0, f"{said} in one passage")
    if new and answer.stems <= wanted | answer.asked and "?" not in answer.text:
        return NuggetScore(1.0, "is its value and no more")
    if share >= WHOLE and not uncertain:
        return NuggetScore(1.0, f"{said} in one passage")
    return NuggetScore(0.5 if share >= PART else 0.0, f"{said} in one passage")


def _held(asked: Sequence[Value], words: frozenset[str], passage: Passage) -> tuple[float, float]:
    """The shares of the values and of the words that a passage holds."""
    held = sum(any(equal(one, other) for other in passage.values) for one in asked)
    share = len(words & passage.stems) / max(len(words), 1)
    return (held / len(asked) if asked else 1.0), share


def _ends(nugget: Nugget) -> tuple[Value, ...]:
    """The values of a nugget that is nothing but two ends; none of another one."""
    match = _ENDS.fullmatch(normalize(nugget.content))
    ends = [values_of(end) for end in match.groups()] if match else []
    return tuple(value for end in ends for value in end) if ends and all(ends) else ()


def _both(ends: Sequence[Value], answer: Answer) -> NuggetScore:
    """Both ends have to stand in one passage, in whatever words."""
    held = max((_held(ends, frozenset(), passage)[0] for passage in answer.passages), default=0.0)
    score = 1.0 if held == 1 else 0.5 if held > 0 else 0.0
    return NuggetScore(score, f"{held:.0%} of both ends in one passage")
