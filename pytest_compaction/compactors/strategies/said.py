"""Strategies that keep some of what was said and no tool traffic: the base of three nulls.

The view is the system prompt, one note with the sentences that were chosen, and a call
that waits for its result. What is not in the note is gone: the state holds no more.

``said-only``: what user and assistant said, without tool traffic. A null.

It has no idea behind it: the newest sentences come first until the budget is full. The
first request stays beside them, and one line lists the paths that tool calls touched. A
strategy that does not beat it at equal tokens has not been shown to be worth anything.

``random``: sentences of what was said, drawn at random until the budget is full. A null.

Each sentence has a priority that depends on the seed, its message and its number there,
and those with the lowest priorities are kept (a bottom-k sample; Cohen and Kaplan,
"Summarizing Data Using Bottom-k Sketches", PODC 2007). A later compaction keeps the
lowest of what is left and what is new, which is what one draw from the whole log at the
same room would have kept. So repeated compactions stay a uniform sample.

``anchors``: the newest and the most frequent names of the log, one a line. A null.

It says of no name what it is: it has the paths, identifiers and numbers that messages and tool
calls name, taken in turn from the newest and from those that most messages name, until the budget
is full. A strategy or a question that it does well in rewards naming things, not knowing them.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final

from pytest_compaction.artifacts import file_operations
from pytest_compaction.compactors.base.cuts import pending_start, too_small
from pytest_compaction.compactors.base.history import (
    HistoryCompactor,
    load,
    rewritten,
    unchanged,
)
from pytest_compaction.compactors.parameters import whole
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import (
    Message,
    TokenCounter,
    leading_system,
    readable,
    text_message,
)
from pytest_compaction.text import segments

NOTE_ID: Final = "said"
_NOTE_OVERHEAD: Final = 8
"""Tokens for the chat format of the note and the line after its preamble."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence that user or assistant said; ``number`` counts within its message."""

    id: str
    role: str
    number: int
    text: str


def sentences_of(messages: Iterable[Message]) -> list[Sentence]:
    """The sentences of what user and assistant said, in order; nothing of calls and results."""
    return [
        Sentence(message.id, message.role, number, text)
        for message in messages
        if message.role in {"user", "assistant"}
        for number, text in enumerate(segments(message.text))
    ]


def taken(preferred: Iterable[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
    """The first sentences that fit ``room`` tokens together; the first that does not ends it."""
    found: list[Sentence] = []
    for sentence in preferred:
        room -= tokens.text(sentence.text) + 1
        if room < 0:
            break
        found.append(sentence)
    return found


class SaidCompactor(HistoryCompactor):
    """Base of strategies that keep chosen sentences of what was said.

    A subclass says in :meth:`chosen` which ones, and may put lines before them.
    """

    traits = Traits(null=True)
    preamble: str

    def start(self) -> State:
        return {"messages": [], "said": [], "paths": []}

    def candidates(self, messages: Iterable[Message]) -> list[Sentence]:
        """The parts of these messages that may be kept; by default the sentences."""
        return sentences_of(messages)

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        """The sentences to keep within ``room`` tokens, the one to give up first at the end."""
        raise NotImplementedError

    def paths(self, known: Sequence[str], new: Sequence[Message]) -> list[str]:
        """The paths to name in the note, the newest last; none by default."""
        return []

    def line(self, paths: Sequence[str]) -> str:
        """The line that names paths; empty for none."""
        return f"Files touched: {', '.join(paths)}" if paths else ""

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Replace everything but the system prompt and waiting calls by the note."""
        before = load(state["messages"])
        used = context.tokens.messages(before)
        if used <= context.budget:
            return unchanged(state)
        first, waiting = leading_system(before), pending_start(before)
        body = [message for message in before[first:waiting] if message.id != NOTE_ID]
        rest = before[waiting:]
        room = context.budget - context.tokens.messages((*before[:first], *rest))
        said = [*(Sentence(*each) for each in state["said"]), *self.candidates(body)]
        known = self.paths(state["paths"], body)
        note, kept, paths = self._note(said, known, room, context.tokens)
        after = (*before[:first], note, *rest)
        if context.tokens.messages(after) > context.budget:
            return unchanged(state, too_small(before, context))
        if context.tokens.messages(after) >= used:
            return unchanged(state, "nothing is left that could be left out")
        kept_as_json = [[s.id, s.role, s.number, s.text] for s in kept]
        return rewritten(state, before, after, NOTE_ID, said=kept_as_json, paths=paths)

    def _note(
        self, said: Sequence[Sentence], paths: list[str], room: int, tokens: TokenCounter
    ) -> tuple[Message, list[Sentence], list[str]]:
        """The note within ``room`` tokens as far as possible, and what it holds."""
        left = room - tokens.text(self.preamble) - _NOTE_OVERHEAD
        while paths and tokens.text(self.line(paths)) > left // 4:
            paths = paths[len(paths) // 8 + 1 :]
        kept = self.chosen(said, left - tokens.text(self.line(paths)), tokens)
        place = {sentence: number for number, sentence in enumerate(said)}
        while True:
            shown = sorted(kept, key=place.__getitem__)
            lines = "\n".join([self.line(paths), *(sentence.text for sentence in shown)])
            text = f"{self.preamble}\n\n{lines.strip()}".strip()
            note = text_message(NOTE_ID, "user", text, "synthetic")
            if not kept or tokens.message(note) <= room:
                return note, shown, paths
            kept.pop()


_FIRST_REQUEST: Final = 0.25
"""The most of the room that the first request takes; a longer one loses its end."""


class SaidOnly(SaidCompactor):
    """Keeps the first request, the newest sentences that were said, and a list of paths."""

    name = "said-only"
    description = "what user and assistant said, newest first; no tool traffic; paths listed"
    preamble = (
        "What was said earlier in this conversation, word for word. Calls of tools and their "
        "results were left out. It is a record, not a request."
    )

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        first = next((sentence.id for sentence in said if sentence.role == "user"), None)
        request = [sentence for sentence in said if sentence.id == first]
        kept = taken(request, int(room * _FIRST_REQUEST), tokens)
        left = room - sum(tokens.text(sentence.text) + 1 for sentence in kept)
        held = set(kept)
        newest = (sentence for sentence in reversed(said) if sentence not in held)
        return [*kept, *taken(newest, left, tokens)]

    def paths(self, known: Sequence[str], new: Sequence[Message]) -> list[str]:
        """The paths of the note before and of the calls since, each once, the newest last."""
        latest = dict.fromkeys(reversed([*known, *_touched(tuple(new))]))
        return list(reversed(latest))


@lru_cache(maxsize=64)
def _touched(messages: tuple[Message, ...]) -> tuple[str, ...]:
    """The paths of tool calls; cached, because a null reads the same log at many budgets."""
    return tuple(operation.path for operation in file_operations(messages))


@dataclass(eq=False)
class Random(SaidCompactor):
    """Keeps a seeded uniform sample of the sentences that were said; ``seed`` is a whole number."""

    name = "random"
    description = "sentences of what was said, drawn at random (seed=0); no tool traffic"
    preamble = (
        "Some sentences of what was said earlier in this conversation, word for word. It is a "
        "record, not a request."
    )

    seed: int = whole(0, 0)

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
        return taken(sorted(said, key=self.priority), room, tokens)

    def priority(self, sentence: Sentence) -> bytes:
        """Random but fixed rank of a sentence: a hash of it."""
        drawn = f"{self.seed}\0{sentence.id}\0{sentence.number}"
        return hashlib.blake2b(drawn.encode("utf-8", "replace"), digest_size=16).digest()


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
        return [
            Sentence(message.id, message.role, number, name)
            for message in messages
            for number, name in enumerate(_names(readable(message)))
        ]

    def chosen(self, said: Sequence[Sentence], room: int, tokens: TokenCounter) -> list[Sentence]:
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
