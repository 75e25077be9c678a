"""Whether a conversation still holds what its questions ask for, and nothing that spoils them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.long_conversations.events.event import Undertaking
from pytest_compaction.long_conversations.events.unmentioned import Absence
from pytest_compaction.long_conversations.events.updated import Update
from pytest_compaction.long_conversations.questions.probing import Probing, Truth
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.statement import Statement

_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December)"
)
_VALUE: Final = re.compile(
    r"\d[\d,.]{0,24}(?= ?(?:euros?\b|€|volunteers|people))|[€$£]\s?\d[\d,.]*"
    r"|\d[\d,.-]{0,24}\d{2}"
    rf"|\b{_MONTH} \d{{1,2}}\b|\b\d{{1,2}} {_MONTH}\b"
)
"""Sums, counts, days, and numbers of more than two digits: what could be taken for a fact."""


def is_told(truth: Truth, text: str) -> bool:
    """Whether a text states what makes a nugget true, as the matcher reads it."""
    return TextIndex(text).is_stated(Statement(Nugget(truth.nugget).content))


def gives_away(truth: Truth, question: str) -> bool:
    """Whether a question holds what a nugget asks for, as a statement or as a guess."""
    content = Nugget(truth.nugget).content
    if not truth.words and not re.search(r"\d", content):
        return False
    spoken = question.casefold()
    return any(words and words.casefold() in spoken for words in (truth.words, content)) or is_told(
        truth, question
    )


def untrue(probing: Probing, texts: Sequence[str], ids: Mapping[str, int]) -> str:
    """What a question rests on and the messages that it names do not say; empty if they do."""
    for truth in probing.truths:
        for key in truth.keys if truth.words else ():
            if key not in ids or not is_told(truth, texts[ids[key]]):
                return truth.nugget
    if probing.rule is not None:
        key, word = probing.rule
        if key not in ids or word not in texts[ids[key]].casefold():
            return word
    lost = [key for key in probing.keys if key not in ids]
    return f"what its evidence was to say ({lost[0]})" if lost else ""


def speaks_of(absence: Absence, turns: Iterable[str]) -> bool:
    """Whether a turn speaks of what is never to be mentioned."""
    noun = re.compile(rf"\b{re.escape(absence.attribute.noun)}\b", re.IGNORECASE)
    return any(noun.search(text) and names(absence.about, text) for text in turns)


def names(about: Undertaking, text: str) -> bool:
    """Whether a text names an undertaking."""
    spoken = text.casefold()
    return any(name.casefold() in spoken for name in about.names)


def is_overtaken(update: Update, texts: Sequence[str], ids: Mapping[str, int]) -> bool:
    """Whether an older value is said again after the newest one, or the newest one before."""
    newest = ids.get(update.said[-1].key, len(texts))
    *former, last = (_whole(value) for value in update.values)
    return any(last.search(text) for text in texts[:newest]) or any(
        value.search(text) for text in texts[newest + 1 :] for value in former
    )


def invented(text: str, given: str) -> str:
    """A value in a text that is not in what was given for it; empty if there is none."""
    known = {_digits(match[0]) for match in _VALUE.finditer(given)}
    found = (match[0] for match in _VALUE.finditer(text))
    return next((value for value in found if _digits(value) not in known), "")


def _digits(value: str) -> str:
    return re.sub(r"\D", "", value)


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w,]){re.escape(words)}(?!\w)", re.IGNORECASE)
