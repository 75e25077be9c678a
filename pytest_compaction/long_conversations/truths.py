"""Whether a conversation still holds what its questions ask for, and nothing that spoils them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.long_conversations.events.unmentioned import Absence
from pytest_compaction.long_conversations.questions.probing import Probing, Truth
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.statement import Statement


def is_told(truth: Truth, text: str) -> bool:
    """Whether a text states what makes a nugget true, as the matcher reads it."""
    return TextIndex(text).is_stated(Statement(Nugget(truth.nugget).content))


def untrue(probing: Probing, texts: Sequence[str], ids: Mapping[str, int]) -> str:
    """The nugget that the messages that it names do not state; empty if they state all."""
    for truth in probing.truths:
        for key in truth.keys if truth.words else ():
            if not is_told(truth, texts[ids[key]]):
                return truth.nugget
    return ""


def speaks_of(absence: Absence, texts: Sequence[str]) -> bool:
    """Whether a message speaks of what is never to be mentioned."""
    noun = re.compile(rf"\b{re.escape(absence.attribute.noun)}\b", re.IGNORECASE)
    names = absence.about.names
    return any(noun.search(text) and any(n in text.casefold() for n in names) for text in texts)
