"""``anchors``: the newest and the most frequent names of the log, one a line. A null.

It says of no name what it is: it has the paths, identifiers and numbers that messages and tool
calls name, taken in turn from the newest and from those that most messages name, until the budget
is full. A strategy or a question that it does well in rewards naming things, not knowing them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from pytest_compaction.compactors.strategies.said import SaidCompactor, Sentence, taken
from pytest_compaction.conversation import Message, TokenCounter, readable

_STEP: Final = 8
"""The list grows by as many names, so that few budgets make a list of their own."""
_WORD: Final = re.compile(r"[\w./@%+-]+")
_AROUND: Final = "./@%+-"
_LONGEST: Final = 120


class Anchors(SaidCompactor):
    """Keeps a list of names, and nothing that is said of them."""

    name = "anchors"
    description = "the newest and the most frequent names, as a list; no sentence"
    preamble = "Names in the conversation so far. It is a record, not a request."

    def candidates(self, messages: Iterable[Message]) -> list[Sentence]:
        """The names of each message, of calls and results too."""
        return [
            Sentence(message.id, message.role, number, name)
            for message in messages
            for number, name in enumerate(_names(readable(message)))
        ]

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        """The newest name, the most frequent one, the second newest, and so on, in whole steps."""
        latest = {sentence.text: sentence for sentence in said}
        newest = dict.fromkeys(sentence.text for sentence in reversed(said))
        frequent = (name for name, _ in Counter(s.text for s in said).most_common())
        in_turn = dict.fromkeys(chain.from_iterable(zip(newest, frequent, strict=True)))
        kept = taken((latest[name] for name in in_turn), room, tokens)
        return kept if len(kept) == len(latest) else kept[: len(kept) // _STEP * _STEP]


@lru_cache(maxsize=4096)
def _names(text: str) -> tuple[str, ...]:
    """The names of a text, each once; cached, because a null reads the same log at many budgets."""
    words = (word.strip(_AROUND) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if _is_name(word)))


def _is_name(word: str) -> bool:
    """Whether a word has a digit, a capital letter, a stroke, a slash or a dot within it."""
    return 1 < len(word) <= _LONGEST and any(
        ch in "/_." or ch.isdigit() or ch.isupper() for ch in word[1:]
    )
