"""Tells notes from what was said: placeholders in results, and messages that name themselves."""

from __future__ import annotations

import re
from typing import Final

_LONGEST_NOTE: Final = 300
_NOTE: Final = re.compile(
    rf"\[[^\[\]]{{1,{_LONGEST_NOTE}}}\]|\([^()]{{1,{_LONGEST_NOTE}}}\)"
    rf"|<[^<>]{{1,{_LONGEST_NOTE}}}>|…|\.\.\."
    rf"|^\[[^\[\]]{{1,{_LONGEST_NOTE}}}(?=\n\[)",
    re.MULTILINE,
)
"""A note in brackets of any kind, an ellipsis, or a line with a note that the next one cut."""
_OPENINGS: Final = ("[", "(", "<", "#")
_NAMES: Final = re.compile(
    r"\b(summar\w+|conversations?|context|sessions?|histor\w+|earlier|previous\w*|before|so far"
    r"|compact\w*|condens\w*|messages?|said|records?|memory|snapshot|omitted|left out"
    r"|removed)\b",
    re.IGNORECASE,
)
"""Words for what a compaction writes, or for what it is about."""


def is_placeholder(text: str, result: str) -> bool:
    """Whether ``text`` is pieces of a tool's ``result`` in their order, cut with marks."""
    if text == result:
        return True
    pieces = _NOTE.split(text)
    if len(pieces) == 1:
        return False
    position = 0
    for piece in map(str.strip, pieces):
        found = result.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return True


def is_note(text: str) -> bool:
    """Whether a text is nothing but notes in brackets."""
    return bool(text.strip()) and not "".join(_NOTE.split(text)).strip()


def names_itself(text: str) -> bool:
    """Whether the first line says that the text is a note or a summary, and nobody's own words."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line.startswith(_OPENINGS) or _NAMES.search(line[:_LONGEST_NOTE]) is not None
