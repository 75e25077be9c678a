"""Judges nuggets by rules: each is 0, ½ or 1, from evidence that its reasoning names.

A nugget is satisfied where the answer states it (see :mod:`~pytest_compaction.text.matching`:
numbers, dates and durations count as values, and what is negated is not stated), or where one
passage of the answer holds all its values and most of its words. It is satisfied in part where
that is so of some. Words of the question earn nothing: an answer that repeats it knows nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_compaction.case.nuggets import ABSTAINS, ASKS_BACK, TELLS_CONTRADICTION, Nugget
from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.event_list import events_of
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest
from pytest_compaction.text.claims import answer_proper
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.quantities.values import Value, equal, values_of
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.words import content_stems, normalize, printable, segments

_WHOLE: Final = 0.65
"""The share of a nugget's own words that a passage has to hold to satisfy it."""
_PART: Final = 0.35
"""The share that satisfies it in part."""
_PASSAGE: Final = 3
"""Neighbouring sentences that are read together."""
_OPENING: Final = 1
"""Sentences of an answer in which it says that it cannot answer."""
_SHOWN: Final = 80
_FENCE: Final = re.compile(r"^\s*```\w", re.MULTILINE)
_ASKS_FOR_CODE: Final = re.compile(r"\bcode (?:block|snippet|example)s?\b", re.IGNORECASE)


def judge_nuggets(request: JudgeRequest) -> JudgeReply:
    """Judge each nugget of a request; deterministic, and deaf to text addressed to the judge."""
    text, aside = answer_proper(request.response)
    answer = _Answer(text.strip(), request.question)
    scores = tuple(_score(nugget, request.kind, answer) for nugget in request.nuggets)
    events = None
    if request.kind == "event_ordering":
        events = events_of(text, [nugget.content for nugget in request.nuggets])
    flags = ("text addressed to the judge was left out",) if aside else ()
    return JudgeReply(flags=flags, nuggets=scores, events=events)


@dataclass(frozen=True)
class _Answer:
    """An answer, with the sentences that say something apart from those that abstain."""

    text: str
    question: str

    @cached_property
    def sentences(self) -> list[str]:
        return segments(self.text)

    @cached_property
    def said(self) -> list[str]:
        """The sentences that do not say that there is no information."""
        return [sentence for sentence in self.sentences if not ABSTAINS.search(sentence)]

    @cached_property
    def index(self) -> TextIndex:
        return TextIndex("\n".join(self.said))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The stems of the question."""
        return frozenset(content_stems(normalize(self.question)))

    @cached_property
    def passages(self) -> list[tuple[frozenset[str], tuple[Value, ...]]]:
        """The stems and values of neighbouring sentences."""
        each = [(content_stems(normalize(s)), values_of(normalize(s))) for s in self.said]
        found: list[tuple[frozenset[str], tuple[Value, ...]]] = []
        for start in range(len(each)):
            near = each[start : start + _PASSAGE]
            stems = frozenset(stem for words, _ in near for stem in words)
            found.append((stems, tuple(value for _, values in near for value in values)))
        return found


def _score(nugget: Nugget, kind: str, answer: _Answer) -> NuggetScore:
    if not answer.text:
        return NuggetScore(0.0, "the answer is empty")
    if nugget.abstains or kind == "abstention":
        return _abstention(answer)
    if nugget.forbids:
        return _forbidden(nugget, answer)
    if kind == "contradiction_resolution" and nugget.tells_contradiction:
        return _cue(TELLS_CONTRADICTION, answer, "that there is a contradiction")
    if kind == "contradiction_resolution" and nugget.asks_back:
        return _cue(ASKS_BACK, answer, "to ask which is right")
    return _stated(nugget, answer)


def _abstention(answer: _Answer) -> NuggetScore:
    """Satisfied by an answer that opens with it; in part if it only comes later."""
    if any(ABSTAINS.search(sentence) for sentence in answer.sentences[:_OPENING]):
        return NuggetScore(1.0, "says that there is no such information")
    if len(answer.said) < len(answer.sentences):
        return NuggetScore(0.5, "says it, but only after it has answered")
    return NuggetScore(0.0, "does not say that there is no such information")


def _cue(pattern: re.Pattern[str], answer: _Answer, what: str) -> NuggetScore:
    match = pattern.search(answer.text)
    if match:
        return NuggetScore(1.0, f"{what}: {printable(match[0], _SHOWN)!r}")
    return NuggetScore(0.0, f"no word of it: {what}")


def _forbidden(nugget: Nugget, answer: _Answer) -> NuggetScore:
    """An answer that says nothing keeps to no rule: it earns nothing."""
    if not answer.said:
        return NuggetScore(0.0, "says nothing that could keep to it")
    found = _stated(nugget, answer)
    if found.score == 0:
        return NuggetScore(1.0, "does not say what it must not")
    return NuggetScore(1.0 - found.score, f"must not say it, but: {found.reasoning}")


def _stated(nugget: Nugget, answer: _Answer) -> NuggetScore:
    if _ASKS_FOR_CODE.search(nugget.content):
        has = _FENCE.search(answer.text) is not None
        return NuggetScore(
            float(has), "holds a marked block of code" if has else "no block of code"
        )
    if not answer.said:
        return NuggetScore(0.0, "says nothing of it")
    reading = answer.index.read(Statement(nugget.content))
    if reading.outcome == "stated":
        return NuggetScore(1.0, f"states it: {printable(reading.clause, _SHOWN)}")
    if reading.outcome == "contradicted":
        return NuggetScore(0.0, f"says otherwise: {printable(reading.why, _SHOWN)}")
    return _graded(nugget, answer, uncertain=reading.outcome == "uncertain")


def _graded(nugget: Nugget, answer: _Answer, uncertain: bool) -> NuggetScore:
    """By the passage that holds most of its values and words; what is uncertain is never whole."""
    normal = normalize(nugget.content)
    asked = values_of(normal)
    wanted = frozenset(content_stems(normal))
    words = (wanted - answer.asked) or wanted
    best = max((_held(asked, words, passage) for passage in answer.passages), default=(0.0, 0.0))
    values, share = best
    said = f"{share:.0%} of its words" + (f" and {values:.0%} of its values" if asked else "")
    if asked and values < 1:
        part = values > 0 and share >= _PART
        return NuggetScore(0.5 if part else 0.0, f"{said} in one passage")
    if share >= _WHOLE and not uncertain:
        return NuggetScore(1.0, f"{said} in one passage")
    return NuggetScore(0.5 if share >= _PART else 0.0, f"{said} in one passage")


def _held(
    asked: Sequence[Value], words: frozenset[str], passage: tuple[frozenset[str], tuple[Value, ...]]
) -> tuple[float, float]:
    """The shares of the values and of the words that a passage holds."""
    stems, values = passage
    held = sum(any(equal(one, other) for other in values) for one in asked)
    return (held / len(asked) if asked else 1.0), len(words & stems) / max(len(words), 1)
