"""What a model is asked: for a turn of the user, one of the assistant, and a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pytest_compaction.case.long_memory.beam.writer import Pair
from pytest_compaction.long_conversations.questions.probing import Probing

_USER = """\
You write what the user of a chat assistant says in a conversation over months. You get a sketch \
of one message. Write the message as a person would, in the first person, with about {words} words.
Keep every fact, name, number and date of the sketch, and leave out none. Add no other names, \
numbers, dates, sums or addresses. Reply with the message and nothing else."""
_KEEP = "These words must stand in it exactly: {kept}."
_ASSISTANT = """\
You are a helpful assistant in a conversation over months. Answer the last message with about \
{words} words. Use no numbers, dates, sums, addresses or names that the user did not use just now, \
and ask nothing."""
_QUESTION = """\
Word this question of a user about earlier talks with an assistant in other words. It must ask for \
the same and name the same things, and must not answer itself. Reply with the question alone."""


def user_turn(sketch: str, kept: Sequence[str], before: Sequence[Pair]) -> list[dict[str, Any]]:
    """Asks for what the user says; ``kept`` are words that the message has to have."""
    told = _USER.format(words=max(len(sketch.split()), 12))
    if kept:
        told += "\n" + _KEEP.format(kept="; ".join(f'"{words}"' for words in kept))
    said = "".join(f"User: {pair.user}\nAssistant: {pair.assistant}\n\n" for pair in before)
    earlier = f"What was said just before:\n\n{said}" if said else ""
    return [_of("system", told), _of("user", f"{earlier}The sketch:\n\n{sketch}")]


def assistant_turn(user: str, words: int, before: Sequence[Pair]) -> list[dict[str, Any]]:
    """Asks for the reply of the assistant, of about so many words."""
    earlier = [
        message
        for pair in before
        for message in (_of("user", pair.user), _of("assistant", pair.assistant))
    ]
    return [_of("system", _ASSISTANT.format(words=words)), *earlier, _of("user", user)]


def question(probing: Probing) -> list[dict[str, Any]]:
    """Asks for other words for a question."""
    return [_of("system", _QUESTION), _of("user", probing.question)]


def _of(role: str, content: str) -> dict[str, Any]:
    return {"role": role, "content": content}
