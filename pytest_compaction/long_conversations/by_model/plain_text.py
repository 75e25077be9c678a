"""What a model replied, as text that a conversation can hold."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.case.long_memory.beam.chat import MARKER

_MARKED: Final = re.compile(
    rf"{re.escape(MARKER)}(?:\s{{0,9}}\d{{1,9}}\s{{0,9}},\s{{0,9}}\d{{1,9}})?"
)
"""A reader of the set takes what follows a marker for no part of the text."""
_CONTROL: Final = re.compile(
    r"\x1b\[[0-9;?]{0,32}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""Escapes of terminals, and characters that turn the direction of what is shown."""


def plain(reply: str) -> str:
    """The reply without what would change how it is read or shown."""
    return _CONTROL.sub("", _MARKED.sub("", reply)).strip()
