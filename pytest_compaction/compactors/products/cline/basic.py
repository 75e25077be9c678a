"""Cline's ``basic`` compaction: what the user typed stays, work goes, and a note lists it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from pytest_compaction.artifacts.operations import file_operations
from pytest_compaction.artifacts.tool_calls import shell_script
from pytest_compaction.compactors.base.cuts import tail_start, user_turns
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import (
    Image,
    Message,
    Thinking,
    groups,
    leading_system,
    text_message,
)

NOTE_ID: Final = "cline-note"
NOTE: Final = "[Earlier context was compacted. What you did after the request above:]"
KEPT_TEXTS: Final = 3
"""How many of the newest texts of the model are kept, as part of the notes."""
COMMAND_CHARACTERS: Final = 100


def folded(
    messages: Sequence[Message],
    wanted: int,
    kept_before: Collection[str],
    context: Context,
) -> tuple[Message, ...] | None:
    """The messages without older work, in about ``wanted`` tokens; ``None`` if no user spoke.

    All that the user typed stays, images only in the last message. Of the last turn the
    newest messages that fit stay, of each older turn the answer that ends it, newest first.
    What an earlier compaction kept, the ids ``kept_before``, stays too.
    """
    turns = user_turns(messages)
    if not turns:
        return None
    first = leading_system(messages)
    typed = {
        turn: messages[turn] if turn == turns[-1] else _without_images(messages[turn])
        for turn in turns
    }
    kept = {index: message for index, message in typed.items() if message.parts}
    kept |= {index: messages[index] for index in range(first)}
    for begin, end in groups(messages):
        if any(message.id in kept_before for message in messages[begin:end]):
            kept |= {index: messages[index] for index in range(begin, end)}
    rest = wanted - context.tokens.messages([m for i, m in kept.items() if i >= first])
    newest = tail_start(messages, rest, context, turns[-1] + 1)
    for index in range(newest, len(messages)):
        kept[index] = messages[index]
    rest -= context.tokens.messages(messages[newest:])
    for begin, end in reversed([*pairwise(turns)]):
        index, answer = _answer(messages, begin, end)
        if answer is None or index in kept:
            continue
        cost = context.tokens.message(answer)
        if cost <= rest:
            kept[index] = answer
            rest -= cost
    return tuple(_with_notes(messages, kept, first))


def touched_files(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Paths that the tool calls read, and those that they changed in any way."""
    found: dict[str, set[str]] = {"read": set(), "edited": set()}
    for operation in file_operations(messages):
        if operation.succeeded and operation.operation != "restored":
            found["read" if operation.operation == "read" else "edited"].add(operation.path)
    return {kind: sorted(paths) for kind, paths in found.items()}


def files_section(files: Mapping[str, Sequence[str]], limit: int, context: Context) -> str:
    """The list of files in at most ``limit`` tokens; files that were only read go first."""
    read, edited = list(files["read"]), list(files["edited"])
    while True:
        text = f"## Files\nRead: {_listed(read)}\nEdited: {_listed(edited)}"
        if context.tokens.text(text) <= limit:
            return text
        if not read and not edited:
            return ""
        (read or edited).pop()


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths) or "none"


def _without_images(message: Message) -> Message:
    return replace(message, parts=tuple(p for p in message.parts if not isinstance(p, Image)))


def _answer(messages: Sequence[Message], begin: int, end: int) -> tuple[int, Message | None]:
    """The last message of the model in a turn that makes no call, without its thinking."""
    for index in range(end - 1, begin, -1):
        message = messages[index]
        if message.role != "assistant" or message.calls:
            continue
        parts = tuple(part for part in message.parts if not isinstance(part, Thinking))
        return index, replace(message, parts=parts) if message.text.strip() else None
    return begin, None


def _with_notes(
    messages: Sequence[Message], kept: dict[int, Message], first: int
) -> Iterator[Message]:
    """The kept messages, and a note in each place where work was left out.

    The original writes none after work that it kept before; here the view would then end on
    a message of the model.
    """
    said = [i for i, m in enumerate(messages) if m.role == "assistant" and m.text.strip()]
    texts = set(said[-KEPT_TEXTS:])
    gap: list[int] = []
    last: Message | None = None
    for index in range(len(messages) + 1):
        if index < len(messages) and index not in kept:
            gap.append(index)
            continue
        if gap and last is not None:
            ends = index == len(messages) and last.role == "assistant"
            yield from _note(messages, gap, texts, always=ends)
        if index < len(messages):
            yield kept[index]
            last = kept[index] if index >= first else None
        gap = []


def _note(
    messages: Sequence[Message], gap: list[int], texts: set[int], always: bool
) -> Iterator[Message]:
    """A note on what is left out; none for neither work nor an answer, except ``always``."""
    left_out = [messages[index] for index in gap]
    files = touched_files(left_out)
    scripts = [shell_script(call) for message in left_out for call in message.calls]
    commands = list(dict.fromkeys(_short(script.strip()) for script in scripts if script))
    answers = [messages[index].text.strip() for index in gap if index in texts]
    if not (always or files["read"] or files["edited"] or commands or answers):
        return
    lists = (
        ("Files read:", files["read"]),
        ("Files edited:", files["edited"]),
        ("Commands ran:", commands),
    )
    blocks = ["\n".join([title, *entries]) for title, entries in lists]
    if answers:
        blocks.append("Your recent answers:\n" + "\n---\n".join(answers))
    text = "\n\n".join([NOTE, *blocks])
    yield text_message(f"{NOTE_ID}-{left_out[0].id}", "user", text, "synthetic")


def _short(command: str) -> str:
    if len(command) <= COMMAND_CHARACTERS:
        return command
    return f"{command[:COMMAND_CHARACTERS]}..."
