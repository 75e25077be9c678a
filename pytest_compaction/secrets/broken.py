"""Keys that a terminal or a model broke over lines: both parts are secrets, as is the whole."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_compaction.secrets.blocks import Span
from pytest_compaction.secrets.formatted import find_in_piece, is_head
from pytest_compaction.secrets.named import HEX, WORDS, is_mixed

_SHORTEST: Final = 16
"""Fewest characters of a key for its line to have been broken within it."""
_TAIL: Final = 8
_LEAST: Final = 4
"""Fewest characters of a key at the end of a line."""
_BREAK: Final = r"(?:[ \t]{0,4}\\?\r?\n|\\{1,2}n)[ \t]{0,40}"
_REST: Final = re.compile(rf"{_BREAK}(?P<rest>[A-Za-z0-9_\-+/.=]{{8,400}})(?=[\s\"'`,;)\]}}\\]|\Z)")
_SIGN: Final = r"[\w\-+/.:=~$@]"
_LAST_WORD: Final = re.compile(rf"(?a)(?<!{_SIGN}){_SIGN}{{5,300}}+(?={_BREAK}{_SIGN}{{4}})")
"""The last word of a line, where the next line begins with one."""
_NEXT_WORD: Final = re.compile(rf"(?a){_BREAK}(?P<word>{_SIGN}{{4,300}}+)")
_DIGIT: Final = re.compile("[0-9]")
_LONGEST: Final = 300
"""Most characters of a key that is looked for with a break at any place."""
_LINES: Final = 3
"""Most lines that a key goes on for after the first."""


def find_broken(text: str, keys: Iterable[Span]) -> Iterator[str]:
    """Keys that are broken over lines, put together; linear.

    A key that is too long to be looked for with a break at any place is given with its breaks.
    ``keys`` are those that are known already, of which more may follow on the next line.
    """
    for first in _LAST_WORD.finditer(text):
        yield from _joined(text, first)
    for start, stop in keys:
        rest = _rest(text, start, stop)
        if rest is not None:
            yield _looked_for(text[start:stop] + rest["rest"], text[start : rest.end()])


def _rest(text: str, start: int, stop: int) -> re.Match[str] | None:
    """The rest of a key on the next line; a word, a hash or a name is none."""
    key, match = text[start:stop], _REST.match(text, stop)
    if match is None or len(key) < _SHORTEST or "\n" in key:
        return None
    rest = match["rest"]
    hash_after_key = HEX.fullmatch(rest) and not HEX.fullmatch(key[-_TAIL:])
    return match if is_mixed(rest) and not (hash_after_key or WORDS.fullmatch(rest)) else None


def _joined(text: str, first: re.Match[str]) -> Iterator[str]:
    """The key that is none before the last word of a line is joined to the next lines."""
    word = first[0]
    if not (_DIGIT.search(word) or is_head(word)):
        return
    if any(stop == len(word) for _, stop in find_in_piece(word)):
        return
    parts, end = [word], first.end()
    while len(parts) <= _LINES and (following := _NEXT_WORD.match(text, end)):
        parts.append(following["word"])
        end = following.end("word")
        whole = "".join(parts)
        for start, stop in find_in_piece(whole):
            if start <= len(word) - _LEAST and stop > len(whole) - len(parts[-1]):
                broken = text[first.start() + start : end - len(whole) + stop]
                yield (
                    broken if len(word) - start < _TAIL else _looked_for(whole[start:stop], broken)
                )
                return


def _looked_for(whole: str, broken: str) -> str:
    return whole if len(whole) <= _LONGEST else broken
