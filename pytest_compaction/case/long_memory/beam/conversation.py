"""A conversation of the set as a case: one point at its end, and a probe for each question."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pytest_compaction.case.case import Case, Point, Probe
from pytest_compaction.case.long_memory.beam.chat import Turns
from pytest_compaction.case.long_memory.beam.folder import (
    CHAT,
    ConversationFiles,
    conversation_files,
)
from pytest_compaction.case.long_memory.beam.questions import probes_of
from pytest_compaction.case.long_memory.shapes import FileFaults, ShapeError, bytes_of, json_of
from pytest_compaction.case.long_memory.size import size_of
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.conversation.messages import Message

TASK: Final = "long-memory"
WINDOW: Final = 128_000
"""Tokens of the context windows that the set was made for."""
BUDGET: Final = 14_000
"""Tokens that the memory of the published system may put before a question."""
_FORMAT: Final = b"1"
_DIGITS: Final = 16


def read_conversation(path: Path, source: str, truncated: bool = False) -> Case | list[FileFaults]:
    """The case of a conversation folder, or what is wrong with which of its files.

    ``source`` names the folder in messages; see :func:`conversation_files` for the rest.
    """
    files = conversation_files(path, truncated)
    if not files.chats:
        fault = CaseFault("", "no such file", f"the turns of the conversation, or plan-*/{CHAT}")
        return [FileFaults(files.folder / CHAT, (fault,))]
    if files.missing:  # without them the ids of evidence would stand for other messages
        fault = CaseFault("", "no such file", "the turns of each plan from the first to the last")
        return [FileFaults(files.missing, (fault,))]
    digest = hashlib.sha256(_FORMAT)
    turns = Turns()
    for chat in files.chats:
        try:
            content = bytes_of(chat)
            digest.update(content)
            turns.add(json_of(chat, content, "a list of batches"))
        except ShapeError as error:
            return [FileFaults(chat, (error.fault,))]
    if not turns.messages:
        fault = CaseFault("", "no message", "at least one message with text")
        return [FileFaults(files.chats[0], (fault,))]
    return _case(files, turns, digest, source)


def _case(
    files: ConversationFiles, turns: Turns, digest: hashlib._Hash, source: str
) -> Case | list[FileFaults]:
    try:
        content = bytes_of(files.questions)
        questions = json_of(files.questions, content, "an object of questions by ability")
        probes, faults = probes_of(questions, turns.ids)
    except ShapeError as error:
        probes, faults = [], [error.fault]
    if faults:
        return [FileFaults(files.questions, tuple(faults))]
    digest.update(content)
    messages = tuple(turns.messages)
    return case_of(files.id, messages, probes, source, digest, files.size)


def case_of(
    id: str,
    messages: tuple[Message, ...],
    probes: Sequence[Probe],
    source: str,
    digest: hashlib._Hash,
    size: str = "",
) -> Case:
    """A case of a long conversation, compacted once, at its end."""
    # It takes long to import, and most runs have no long conversation.
    from pytest_compaction.case.long_memory.calculated import without_calculated

    return Case(
        id=id,
        task=TASK,
        window=WINDOW,
        budget=BUDGET,
        messages=messages,
        points=(Point("end", len(messages) - 1),),
        probes=tuple(without_calculated(probes, messages)),
        source=source,
        digest=digest.hexdigest()[:_DIGITS],
        size=size or size_of(messages),
    )
