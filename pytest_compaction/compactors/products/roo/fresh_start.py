"""Roo Code's fresh start: the blocks after its summary, with commands and definitions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_compaction.compactors.base.file_contents import Contents, folded_files
from pytest_compaction.compactors.base.profiles import scaled
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, ToolResult

PRODUCT_WINDOW: Final = 200_000
FOLDED_CHARACTERS: Final = 50_000
CANCELLED: Final = "[no result: the conversation was condensed before the tool had run]"
_COMMAND: Final = re.compile(r"<command\b[^<>]{0,200}>(?:(?!<command\b).)*?</command>", re.S)


def commands_in(message: Message) -> list[str]:
    """The ``<command>`` blocks of a message, word for word."""
    return _COMMAND.findall(message.text)


def cancelled(calls: Iterable[str]) -> tuple[Message, ...]:
    """A result for each call without one, so that the summariser can read the call."""
    return tuple(
        Message(f"roo-cancelled-{id}", "tool", (ToolResult(id, CANCELLED),), "synthetic")
        for id in calls
    )


def blocks_of(commands: Sequence[str], files: Contents, room: int, context: Context) -> list[str]:
    """The blocks after the summary: commands and folded files, each in a quarter of ``room``."""
    text = "\n".join(commands)
    blocks = [text] if text and context.tokens.text(text) <= room // 4 else []
    characters = scaled(FOLDED_CHARACTERS, PRODUCT_WINDOW, context)
    folded = folded_files(files, characters, room // 4, context.tokens)
    return [*blocks, folded] if folded else blocks
