"""Fences around material that a prompt quotes: they cannot be closed from inside.

A fence is a pair of lines that carry a mark: a hash of everything that is fenced in the
prompt. The author of a text cannot know the mark, because it depends on that text and on
everything that is quoted beside it. If the mark occurs all the same, another one is
taken. The same material always gives the same mark.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.conversation import canonical_json

MARK_DIGITS: Final = 16
"""64 bits of the hash, so that no text has the mark by chance."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_BLANK_LETTERS: Final = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f\u17b4\u17b5")
"""Letters and marks without a visible shape: fillers, the empty Braille cell, joiners."""
_SELECTORS: Final = range(0xFE00, 0xFE10), range(0x180B, 0x1810), range(0xE0000, 0xE1000)
"""Code points that only choose how the character before them looks, and tags."""
_CONTROL_TOKEN: Final = re.compile(
    r"<(?=[|｜][\w/|｜▁ ]{0,40}[|｜]>|(?:/?s|bos|eos|unk|pad|start_of_turn|end_of_turn)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
    r"|<<(?=/?SYS>>)",
    re.IGNORECASE,
)
"""The start of a token with which chat templates separate turns (``<|im_end|>``, ``[INST]``)."""
_UNUSUAL: Final = re.compile(r"[^\n\t -~]")
_NOT_ASCII: Final = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")
"""Other characters, with the one before them, of which an accent may be a part."""
_SEPARATORS: Final = bytes(code for code in range(128) if not chr(code).isalnum())


@dataclass(frozen=True, slots=True)
class Fences:
    """Fences with one mark, made by :func:`fences_for` for the materials of one prompt."""

    mark: str

    def around(self, name: str, text: str) -> str:
        """The text between two lines that carry the mark; hidden characters shown."""
        return f"<<< {name} {self.mark}\n{shown(text)}\n>>> end of {name} {self.mark}"


def fences_for(materials: Iterable[str]) -> Fences:
    """Fences whose mark is not in the materials, not even with separators between its digits."""
    texts = [shown(text) for text in materials]
    packed = [_packed(text) for text in texts]
    seed = canonical_json(texts)
    number = 0
    while True:
        mark = hashlib.sha256(f"{number}\n{seed}".encode()).hexdigest()[:MARK_DIGITS]
        if not any(mark.encode() in text for text in packed):
            return Fences(mark)
        number += 1


def _packed(text: str) -> bytes:
    """The ASCII letters and digits of a text, whatever their width or case, without the rest."""
    narrow = _NOT_ASCII.sub(lambda found: _narrow(found[0]), text).lower()
    return narrow.encode("ascii", "ignore").translate(None, _SEPARATORS)


@lru_cache(maxsize=4096)
def _narrow(characters: str) -> str:
    return unicodedata.normalize("NFKC", characters).casefold()


@lru_cache(maxsize=16)
def shown(text: str) -> str:
    """The text with invisible characters made visible, and without template tokens.

    Invisible, bidirectional and control characters become escapes such as
    ``\\u200b``. Tokens of chat templates get a space after their first character, so
    that no server takes them for the end of a turn. Line breaks and tabs stay.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _UNUSUAL.sub(lambda found: _form(found[0]), text)
    return _CONTROL_TOKEN.sub(lambda found: f"{found[0]} ", text)


@lru_cache(maxsize=4096)
def _form(character: str) -> str:
    """A character that is not plain ASCII as it is shown."""
    code = ord(character)
    hidden = unicodedata.category(character) in _HIDDEN or character in _BLANK_LETTERS
    if hidden or any(code in selectors for selectors in _SELECTORS):
        return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
    return character
