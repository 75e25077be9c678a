"""From a plan to a conversation of the length that was asked for, with its questions."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.long_memory.beam.writer import Batch, Pair, Question, write_conversation
from pytest_compaction.conversation.tokens import MESSAGE_TOKENS, TokenCounter
from pytest_compaction.long_conversations.dice import anchor, later
from pytest_compaction.long_conversations.events.event import Said, Undertaking
from pytest_compaction.long_conversations.plan import Plan, make_plan, one_of_each
from pytest_compaction.long_conversations.questions.asked import questions_of
from pytest_compaction.long_conversations.questions.probing import Probing
from pytest_compaction.long_conversations.wording import Turn, Wording

FEWEST_TOKENS: Final = 4_000
"""Shorter than this, what the questions need would leave no room for anything else."""
_TWO_OF_EACH: Final = 20_000
"""From this length on there are two questions of each ability, and below it one."""
_BATCH_TOKENS: Final = 10_000
"""Tokens of a batch, about; a conversation has at least five and at most a hundred batches."""
_BEGINNING: Final = 0.02
"""The share of the conversation in which the user has told of all undertakings."""
_LAST_TURN: Final = {False: 200, True: 50}
"""Tokens of a turn, about, also of a brief one: so much is missing before the last turn."""
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

    def texts(self) -> list[str]:
        """The texts of the messages in order; an id is a place in it."""
        turns = (turn for batch in self.batches for turn in batch.turns)
        return [text for turn in turns for each in turn for text in (each.user, each.assistant)]

    @property
    def messages(self) -> int:
        """How many messages there are."""
        return 2 * sum(len(turn) for batch in self.batches for turn in batch.turns)

    def write(self, folder: Path, plans: int = 1) -> None:
        """Write the conversation into a new folder, its turns in as many files as ``plans``.

        The folder is there as a whole or not at all. Raises :class:`OSError` if it cannot be made.
        """
        partial = folder.with_name(f".{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        write_conversation(partial, self.batches, self.questions(), plans)
        partial.rename(folder)


@dataclass(frozen=True, slots=True)
class Draft:
    """The plan of a conversation with its questions, and its turns as templates word them.

    ``spare`` makes more turns about other things, for turns that come out shorter.
    """

    tokens: int
    plan: Plan
    probings: Sequence[Probing]
    turns: Sequence[Turn]
    spare: Callable[[], Turn]


def make_conversation(tokens: int, seed: int) -> Conversation:
    """A conversation of so many tokens (within 2 %); the same arguments give the same one.

    Raises :class:`ValueError` for fewer than :data:`FEWEST_TOKENS` tokens.
    """
    made = draft(tokens, seed)
    return conversation_of(made, made.turns, made.probings)


def draft(tokens: int, seed: int) -> Draft:
    """The draft of a conversation of so many tokens; raises as :func:`make_conversation`."""
    if tokens < FEWEST_TOKENS:
        raise ValueError(f"a conversation needs at least {FEWEST_TOKENS:,} tokens, not {tokens:,}")
    plan = make_plan(seed, tokens)
    brief = tokens < _TWO_OF_EACH
    if brief:
        plan = one_of_each(plan)
    probings = questions_of(plan)
    rng = random.Random(f"{seed}/{tokens}/turns")  # noqa: S311 - no secret is made of it
    wording = Wording(rng, brief)
    due: list[tuple[float, Said | str | Undertaking]] = [(each.share, each) for each in plan.said()]
    due += [(_BEGINNING * rng.random(), each) for each in plan.undertakings]
    remarks = [text for each in probings for text in each.remarks if rng.random() < _REMARKS]
    due += [(rng.uniform(0.02, 0.94), text) for text in remarks]
    script = _Script(tokens, wording)
    for share, what in sorted(due, key=lambda pair: pair[0]):
        script.talk_until(share)
        script.add(_turn_of(what, wording))
    script.talk_until(1.0 - _LAST_TURN[brief] / tokens)
    return Draft(tokens, plan, probings, script.turns, wording.other)


def _turn_of(what: Said | str | Undertaking, wording: Wording) -> Turn:
    if isinstance(what, Undertaking):
        return wording.begun(what)
    return wording.event(what) if isinstance(what, Said) else wording.remark(what)


def conversation_of(
    made: Draft, turns: Sequence[Turn], probings: Sequence[Probing]
) -> Conversation:
    """The conversation of some turns, in parts of about the same length, each with its day."""
    parts = min(max(made.tokens // _BATCH_TOKENS, 5), 100)
    batches: dict[int, list[Sequence[Pair]]] = {}
    ids: dict[str, int] = {}
    tokens = messages = 0
    count = TokenCounter().text
    for turn in turns:
        batches.setdefault(min(tokens * parts // made.tokens, parts - 1), []).append(turn.pairs)
        if turn.key is not None:
            ids[turn.key] = messages + 2 * turn.place
        messages += 2 * len(turn.pairs)
        tokens += tokens_of(turn, count)
    days = made.plan.months * 30
    dated = [
        Batch(said, anchor(later(made.plan.start, days * number / parts)))
        for number, said in sorted(batches.items())
    ]
    return Conversation(made.plan, dated, probings, ids, tokens)


def tokens_of(turn: Turn, count: Callable[[str], int]) -> int:
    """The tokens of the messages of a turn; ``count`` counts those of a text."""
    texts = [text for pair in turn.pairs for text in (pair.user, pair.assistant)]
    return sum(count(text) + MESSAGE_TOKENS for text in texts)


@dataclass
class _Script:
    """The turns so far. What stands at a share of the conversation stands at that of its tokens."""

    wanted: int
    wording: Wording
    tokens: int = 0
    turns: list[Turn] = field(default_factory=list)
    _count: Callable[[str], int] = field(default_factory=lambda: TokenCounter().text)

    def talk_until(self, share: float) -> None:
        """Talk about other things until so much of the conversation is written."""
        while self.tokens < self.wanted * share and self.turns:
            self.add(self.wording.other(self.tokens / self.wanted))

    def add(self, turn: Turn) -> None:
        """Add a turn."""
        self.turns.append(turn)
        self.tokens += tokens_of(turn, self._count)
