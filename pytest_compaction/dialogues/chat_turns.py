"""The turns of a conversation in OpenAI chat format, with the recorded tool calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compaction.case.validation import CaseFault
from pytest_compaction.conversation.messages import Message, groups, structure_faults
from pytest_compaction.dialogues.dialogue import RecordedCall, Turn
from pytest_compaction.text import printable

_TOLERATED = frozenset({"calls-answered", "no-empty-message"})
"""Faults that a replay repairs: a call that was broken off, and an empty message."""


def turns_of(messages: Sequence[Message]) -> list[Turn | CaseFault]:
    """The turns of a conversation in order, or the fault of a turn.

    User messages in a row are one turn. Messages before the first of them are left out,
    and so are images and thinking. The text of the assistant in a turn, before or after
    its calls, is the recorded answer. Calls keep name, arguments and result; the result
    is empty if there is none before the next turn.
    """
    spoken = [m for m in messages if m.role in {"user", "assistant", "tool"}]
    return [_turn(*pair, number) for number, pair in enumerate(_exchanges(spoken), start=1)]


def _turn(asked: Sequence[Message], answered: Sequence[Message], number: int) -> Turn | CaseFault:
    user = "\n".join(m.text for m in asked).strip()
    if not user:
        found = f"user turn {number} (message {asked[0].id!r}) without text"
        return CaseFault("/messages", found, "text in every user turn")
    broken = [f for f in structure_faults(answered) if f.invariant not in _TOLERATED]
    if broken:
        found = f"in user turn {number} that {broken[0].sentence} (message {broken[0].ids[0]!r})"
        return CaseFault("/messages", printable(found, 200), "each result after its one call")
    reference = "\n".join(m.text for m in answered if m.text.strip())
    steps = (_step(answered[begin:end]) for begin, end in groups(answered))
    return Turn(user, reference, tuple(step for step in steps if step))


def _step(group: Sequence[Message]) -> tuple[RecordedCall, ...]:
    """The calls of one message with their results; empty for a message without calls."""
    results = {result.call_id: result for message in group for result in message.results}
    return tuple(
        RecordedCall(
            call.name,
            call.arguments,
            results[call.id].text if call.id in results else "",
            call.id in results and results[call.id].is_error,
        )
        for call in group[0].calls
    )


def _exchanges(spoken: Sequence[Message]) -> Iterator[tuple[list[Message], list[Message]]]:
    """Pairs: the messages of the user, and the messages of the assistant that follow."""
    asked: list[Message] = []
    answered: list[Message] = []
    for message in spoken:
        if message.role == "user":
            if answered:
                yield asked, answered
                asked, answered = [], []
            asked.append(message)
        elif asked:
            answered.append(message)
    if asked:
        yield asked, answered
