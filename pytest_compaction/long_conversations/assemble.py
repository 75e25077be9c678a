"""From a plan to a conversation of the length that was asked for, with its questions."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.long_memory.beam.writer import Batch, Pair, Question, write_conversation
from pytest_compaction.conversation.tokens import MESSAGE_TOKENS, TokenCounter
from pytest_compaction.long_conversations.dice import anchor, later
from pytest_compaction.long_conversations.events.event import Said
from pytest_compaction.long_conversations.plan import Plan, make_plan
from pytest_compaction.long_conversations.questions.asked import questions_of
from pytest_compaction.long_conversations.questions.probing import Probing
from pytest_compaction.long_conversations.wording import Turn, Wording

FEWEST_TOKENS: Final = 20_000
"""Shorter than this, what the questions need would leave no room for anything else."""
_BATCH_TOKENS: Final = 10_000
"""Tokens of a batch, about; a conversation has at least five and at most a hundred batches."""
_REMARKS: Final = 0.3
"""The share of the remarks in words of questions that the user makes."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """A conversation with its questions; ``ids`` are those of the messages by key."""

    plan: Plan
    batches: Sequence[Batch]
    probings: Sequence[Probing]
    ids: Mapping[str, int]
    tokens: int

    def questions(self) -> list[Question]:
        """The questions with the ids of their messages, as files have them."""
        return [
            Question(
                probing.ability,
                probing.question,
                probing.answer,
                [truth.nugget for truth in probing.truths],
                self._source(probing.source),
            )
            for probing in self.probings
        ]

    def _source(self, source: Mapping[str, Sequence[str]] | Sequence[str] | None) -> Any:
        if source is None:
            return None
        if isinstance(source, Mapping):
            return {name: [self.ids[key] for key in keys] for name, keys in source.items()}
        return [self.ids[key] for key in source]

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return 2 * sum(len(turn) for batch in self.batches for turn in batch.turns)

    def write(self, folder: Path, plans: int = 1) -> None:
        """Write the conversation into a folder, its turns in as many files as ``plans``."""
        write_conversation(folder, self.batches, self.questions(), plans)


def make_conversation(tokens: int, seed: int) -> Conversation:
    """A conversation of so many tokens (within 2 %); the same arguments give the same one.

    Raises :class:`ValueError` for fewer than :data:`FEWEST_TOKENS` tokens.
    """
    if tokens < FEWEST_TOKENS:
        raise ValueError(f"a conversation needs at least {FEWEST_TOKENS:,} tokens, not {tokens:,}")
    plan = make_plan(seed, tokens)
    probings = questions_of(plan)
    rng = random.Random(f"{seed}/{tokens}/turns")  # noqa: S311 - no secret is made of it
    script = _Script(tokens, plan, Wording(rng, plan.undertakings))
    due: list[tuple[float, Said | str]] = [(said.share, said) for said in plan.said()]
    remarks = [text for each in probings for text in each.remarks if rng.random() < _REMARKS]
    due += [(rng.uniform(0.02, 0.94), text) for text in remarks]
    for share, what in sorted(due, key=lambda pair: pair[0]):
        script.talk_until(share)
        script.say(what)
    script.talk_until(1.0)
    return Conversation(plan, script.batches(), probings, script.ids, script.tokens)


@dataclass
class _Script:
    """The turns so far. What stands at a share of the conversation stands at that of its tokens."""

    wanted: int
    plan: Plan
    wording: Wording
    tokens: int = 0
    ids: dict[str, int] = field(default_factory=dict)
    _messages: int = 0
    _batches: dict[int, list[Sequence[Pair]]] = field(default_factory=dict)
    _count: Callable[[str], int] = field(default_factory=lambda: TokenCounter().text)

    def talk_until(self, share: float) -> None:
        """Talk about other things until so much of the conversation is written."""
        while self.tokens < self.wanted * share:
            self._add(self.wording.other())

    def say(self, what: Said | str) -> None:
        """Add an event, or a remark."""
        if isinstance(what, Said):
            self._add(self.wording.event(what))
        else:
            self._add(self.wording.remark(what))

    def batches(self) -> list[Batch]:
        """The turns by batch, each with its day."""
        return [Batch(turns, anchor(self._day(n))) for n, turns in sorted(self._batches.items())]

    @property
    def _parts(self) -> int:
        return min(max(self.wanted // _BATCH_TOKENS, 5), 100)

    def _day(self, number: int) -> date:
        return later(self.plan.start, self.plan.months * 30 * number / self._parts)

    def _add(self, turn: Turn) -> None:
        number = min(self.tokens * self._parts // self.wanted, self._parts - 1)
        self._batches.setdefault(number, []).append(turn.pairs)
        if turn.key is not None:
            self.ids[turn.key] = self._messages + 2 * turn.place
        self._messages += 2 * len(turn.pairs)
        for pair in turn.pairs:
            self.tokens += self._count(pair.user) + self._count(pair.assistant) + 2 * MESSAGE_TOKENS
