"""What an answer says of the conversation: that it holds nothing, that it contradicts itself."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.case.remark_forms import ABSTAINS
from pytest_compaction.metrics.nugget_scores import NuggetScore
from pytest_compaction.models.offline.nuggets.answer import Answer, stems_of
from pytest_compaction.models.offline.nuggets.stated import SHOWN
from pytest_compaction.text.words import printable

_ANSWERS: Final = 0.5
"""The share of the words of a question in a sentence that answers it."""
_OF_NOTHING: Final = (
    "information mention details record evidence answer chat conversation context history log "
    "memory notes messages text say tell state provide discuss specify cover contain include know "
    "find determine based related regarding available explicitly specific relevant such exact "
    "no not never nothing cannot could"
)
"""Words of a sentence that abstains, which do not say about what."""
_DENIED: Final = re.compile(
    r"(?:\b(?:no|not|never|without|nothing)|n['’]t)\s+(?:\w+\s+){0,2}$", re.IGNORECASE
)
"""Words of denial right before something."""
_LEFT_OUT: Final = re.compile(
    r"(?:\b(?:no|not|never|without|avoid(?:ing|s|ed)?|skip(?:ping|s)?|(?:instead|free) of"
    r"|rather than)|n['’]t)\s+(?:\w+\s+){0,2}$",
    re.IGNORECASE,
)
"""What says right before something that it is left out."""
_BEFORE: Final = 60
"""Characters before something that are looked at."""
_WORD: Final = re.compile(r"\w+")


def abstention(nugget: Nugget, answer: Answer) -> NuggetScore:
    """Satisfied by saying it of what was asked, and in part if the answer is given as well."""
    empty = stems_of(_OF_NOTHING)
    asked = (stems_of(answer.question) | stems_of(nugget.content)) - empty
    about = [stems_of(text) - empty for text in answer.sentences if ABSTAINS.search(text)]
    if not any(not answer.said or not words or words & asked for words in about):
        return NuggetScore(0.0, "does not say that there is no such information")
    for text in answer.said:
        held = answer.asked & stems_of(text)
        if held and len(held) >= _ANSWERS * len(answer.asked):
            return NuggetScore(0.5, f"says it, and answers all the same: {printable(text, SHOWN)}")
    return NuggetScore(1.0, "says that there is no such information")


def remark(pattern: re.Pattern[str], answer: Answer, what: str) -> NuggetScore:
    """Satisfied by a sentence with such words that are not denied."""
    for text in answer.sentences:
        for match in pattern.finditer(text):
            if not _DENIED.search(text[: match.start()]):
                return NuggetScore(1.0, f"{what}: {printable(match[0], SHOWN)!r}")
    return NuggetScore(0.0, f"no word of it: {what}")


def only_denied(words: frozenset[str], answer: Answer) -> bool:
    """Whether some words stand in the answer, and each time right after a word of denial."""
    found = False
    for text in answer.said:
        for match in _WORD.finditer(text):
            if stems_of(match[0]) & words:
                found = True
                if not _LEFT_OUT.search(text[max(match.start() - _BEFORE, 0) : match.start()]):
                    return False
    return found
