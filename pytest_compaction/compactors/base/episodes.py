"""Episodes: pairs of user and assistant, found by their words or by notes, shown as they were."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, overload

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.passages import (
    Archive,
    Count,
    Passage,
    cut_to,
    indexed_by,
    shown,
)
from pytest_compaction.compactors.base.windows import newest_part
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, groups, last_user, readable

HEADING: Final = "## Episodes"
_ORIGIN: Final = 10
"""Tokens for the line that says which message an episode is from."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A user message with the reply that follows it, or a further reply with its results."""

    messages: tuple[Message, ...]

    @property
    def id(self) -> str:
        """The id of its first message."""
        return self.messages[0].id

    @property
    def text(self) -> str:
        """Its messages, word for word."""
        return "\n".join(f"{message.role}: {readable(message)}" for message in self.messages)


def episodes_of(messages: Sequence[Message]) -> Iterator[Episode]:
    """The episodes of messages, in order; every message is in one of them."""
    held: list[Message] = []
    ranges = groups(messages)
    for number, (begin, end) in enumerate(ranges):
        held += messages[begin:end]
        follows = messages[ranges[number + 1][0]].role if number + 1 < len(ranges) else ""
        if messages[begin].role == "user" and follows == "assistant":
            continue
        yield Episode(tuple(held))
        held = []


class _PassagesOfEpisodes(Sequence[Passage]):
    """The episodes of messages, each made when it is asked for: kept, they would double a log."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages
        self._ends = array("Q", accumulate(len(each.messages) for each in episodes_of(messages)))

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, number: int) -> Passage: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[Passage]: ...

    def __getitem__(self, number: int | slice) -> Passage | Sequence[Passage]:
        if isinstance(number, slice):
            return [self[each] for each in range(*number.indices(len(self)))]
        place = range(len(self))[number]
        begin = self._ends[place - 1] if place else 0
        episode = Episode(tuple(self._messages[begin : self._ends[place]]))
        return Passage(episode.id, episode.text, 2 * place)


def episode_index(messages: Sequence[Message], keys: Mapping[str, str]) -> Archive:
    """The episodes of messages, found by their notes; one without notes by its own words."""
    passages = _PassagesOfEpisodes(messages)
    return indexed_by(passages, (keys.get(each.origin) or each.text for each in passages))


def newest_pairs(
    body: Sequence[Message], most: int, room: int, context: Context
) -> tuple[Message, ...] | None:
    """The newest episodes that fit, ``most`` at most, with the last message of the user.

    ``body`` are the messages after the system prompt; see :func:`newest_part`.
    """
    lengths = [len(episode.messages) for episode in episodes_of(body)]
    begin = len(body) - sum(lengths[len(lengths) - min(most, len(lengths)) :])
    begin = min(begin, pending_start(body))
    live = last_user(body)
    older = [live] if live is not None and live not in body[begin:] else []
    return newest_part([*older, *body[begin:]], room, context, opened=True)


def shown_episodes(best: Sequence[Passage], room: int, count: Count) -> str:
    """Episodes word for word as far as the room goes.

    A nearer episode may take half of the rest, so that a long one leaves room for others.
    """
    kept: list[Passage] = []
    left = room - count(HEADING)
    for place, episode in enumerate(best, start=1):
        most = left if place == len(best) else left // 2
        text = cut_to(episode.text, most - _ORIGIN, count)
        if text:
            kept.append(replace(episode, text=text))
            left -= count(text) + _ORIGIN
    text = f"{HEADING}\n{shown(kept)}" if kept else ""
    return text if count(text) <= room else ""
