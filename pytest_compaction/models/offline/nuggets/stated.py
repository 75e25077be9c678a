"""How far an answer says what a nugget asks for: whole, in part or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.case.remark_forms import ABSTAINS
from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer, Passage, passages_of, stems_of
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.quantities.values import Value, equal, values_of
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.words import normalize, printable

WHOLE: Final = 0.65
"""The share of a nugget's own words that a passage has to hold to satisfy it."""
PART: Final = 0.35
"""The share that satisfies it in part."""
THEMATIC: Final = (
    *("event_ordering", "instruction_following", "multi_session_reasoning"),
    *("preference_following", "summarization"),
)
"""Abilities whose nuggets without a value name a theme, which an answer may spread widely."""
THEME: Final = 0.5
"""The share of a theme's words that the whole answer has to hold to satisfy it."""
THEME_PART: Final = 0.2
"""The share that satisfies it in part. Both were chosen on one half of the labelled answers."""
_ADVICE: Final = "preference_following"
"""The ability whose answers say what one would or could do, and are sure of it."""
_PAIR: Final = 2
SHOWN: Final = 80
"""Characters of an answer in a reasoning."""
_DENIAL: Final = "not"
"""The stem that all words of denial share."""
_FRAME: Final = (
    "said say told tell mentioned mention stated state noted reported indicated "
    "suggest suggests recommend recommends propose proposes advise advises "
    "no not never none nothing neither without cannot"
)
"""What frames a statement, as in "you also mentioned that you have never", and says none of it."""
_BOTH: Final = re.compile(r"\b(?:between|of|for) (?:the |these )?two \w+")
"""Names the things that a question is about, and counts nothing: "between the two events"."""
_GUESS: Final = re.compile(
    r"\b(?:my|best|only a|just a|a good|an educated) guess\b|\bI(?:['’]d| would) guess\b"
    r"|\bI['’]m guessing\b|\bpresumably\b",
    re.IGNORECASE,
)
_EITHER: Final = re.compile(r"\b([a-z][\w-]{1,30}) or ([a-z][\w-]{1,30})\b", re.IGNORECASE)
"""Two words of which either will do, as in "reclaimed or second-hand materials"."""
_ENDS: Final = re.compile(r"(?:from|between) (.{1,40}) (?:till|until|to|and) (.{1,40})")
"""A nugget of two ends, as in "from March 3 till April 2"."""


def stated(nugget: Nugget, answer: Answer, kind: str = "") -> NuggetScore:
    """Whether an answer states a nugget; "says otherwise" is 0 whatever else it says."""
    answer = _heard(nugget, answer)
    if not answer.said:
        return NuggetScore(0.0, "says nothing of it")
    if ends := _ends(nugget):
        return _both(ends, answer)
    alternatives = _alternatives(nugget)
    if alternatives:
        found = (_of_one(each, answer, kind) for each in alternatives)
        return max(found, key=lambda score: score.score)
    return _of_one(nugget, answer, kind)


def _of_one(nugget: Nugget, answer: Answer, kind: str) -> NuggetScore:
    reading = answer.index.read(Statement(nugget.content))
    if reading.outcome == "stated" and reading.clause and _says_its_own(nugget, answer):
        guessed = _GUESS.search(reading.clause) and not _GUESS.search(nugget.content)
        how, score = ("guesses", 0.5) if guessed else ("states", 1.0)
        return NuggetScore(score, f"{how} it: {printable(reading.clause, SHOWN)}")
    if reading.outcome == "contradicted":
        return NuggetScore(0.0, f"says otherwise: {printable(reading.why, SHOWN)}")
    uncertain = reading.outcome == "uncertain" and kind != _ADVICE
    return graded(nugget, answer, answer.passages, uncertain, kind in THEMATIC)


def side_stated(nugget: Nugget, answer: Answer) -> NuggetScore:
    """The same of one side of a contradiction, which the other side does not take back."""
    answer = _heard(nugget, answer)
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
    nugget: Nugget,
    answer: Answer,
    passages: Sequence[Passage],
    uncertain: bool,
    thematic: bool = False,
) -> NuggetScore:
    """By the passage that holds most of its values and words; what is uncertain is never whole.

    What the question holds already is not asked for, if the nugget holds more.
    """
    normal = _normal(nugget)
    all_values = tuple(value for value in values_of(normal) if not _is_compound(value, normal))
    new = tuple(v for v in all_values if not any(equal(v, given) for given in answer.given))
    asked = new or all_values
    wanted, words = _wanted(normal), own_words(nugget, answer)
    if _DENIAL in stems_of(normal):
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
    if thematic and not asked and answer.all.share(words):  # the question alone earns nothing
        whole = answer.all.share(wanted)
        if whole >= THEME_PART:
            score = 1.0 if whole >= THEME and not uncertain else 0.5
            return NuggetScore(score, f"{whole:.0%} of its words in the answer")
    if share >= WHOLE and not uncertain:
        return NuggetScore(1.0, f"{said} in one passage")
    return NuggetScore(0.5 if share >= PART else 0.0, f"{said} in one passage")


def own_words(nugget: Nugget, answer: Answer) -> frozenset[str]:
    """The stems of what a nugget says, without those of its question if there are others."""
    wanted = _wanted(_normal(nugget))
    return (wanted - answer.asked) or wanted


def _normal(nugget: Nugget) -> str:
    said = normalize(nugget.content)
    return _BOTH.sub("", said) or said


def _wanted(text: str) -> frozenset[str]:
    """The stems of a text without what frames a statement, if there are others."""
    stems = stems_of(text)
    return (stems - stems_of(_FRAME)) or stems


def _heard(nugget: Nugget, answer: Answer) -> Answer:
    """The answer with all of its sentences where the nugget itself reads like abstaining."""
    return replace(answer, whole=True) if ABSTAINS.search(nugget.content) else answer


def _says_its_own(nugget: Nugget, answer: Answer) -> bool:
    """Whether an answer holds more of a nugget than its question does, and both words of two."""
    words = stems_of(nugget.content)
    if values_of(normalize(nugget.content)):
        return True
    own = words - answer.asked
    return (len(words) != _PAIR or words <= answer.stems) and (
        not own or answer.all.share(own) >= PART
    )


def _alternatives(nugget: Nugget) -> list[Nugget]:
    """The nugget with one word or the other, where either will do."""
    match = _EITHER.search(nugget.content)
    if match is None:
        return []
    before, after = nugget.content[: match.start()], nugget.content[match.end() :]
    return [replace(nugget, text=f"{before}{word}{after}") for word in match.groups()]


def _held(asked: Sequence[Value], words: frozenset[str], passage: Passage) -> tuple[float, float]:
    """The shares of the values and of the words that a passage holds."""
    held = sum(any(equal(one, other) for other in passage.values) for one in asked)
    return (held / len(asked) if asked else 1.0), passage.share(words)


def _is_compound(value: Value, text: str) -> bool:
    """Whether a number is the beginning of another word, as in "second-hand"."""
    return value.kind == "ordinal" and text[value.span[1] :].startswith("-")


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
