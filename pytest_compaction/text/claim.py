"""Checkable claims of a text, and text that talks to the judge instead of answering.

A claim is something that can be looked up in the log: a path, an identifier, a
number of two or more digits, a quotation. Markup tags claim nothing, and a word that was
cut off ("docketry.rend…") is not one. Sentences that tell the judge what to
score are not part of an answer: they are taken out before anything is scored.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.alternatives import Key, path_keys
from pytest_compaction.text.judge_directed import talks_to_the_judge
from pytest_compaction.text.parsed import bounded_find
from pytest_compaction.text.sentence_index import posted
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    visible,
)

_QUOTED: Final = re.compile(r"`([^`\s][^`\n]{1,198}[^`\s])`|\"([^\"\n]{3,200})\"|“([^”\n]{3,200})”")
_CODE_NAME: Final = re.compile(r"\b[a-z]+[A-Z]\w+\b|\b(?:[A-Z][a-z0-9]+){2,}\b|\b\w+(?=\(\))")
_EXTENSION: Final = re.compile(r"\.[a-z][a-z0-9]{0,5}$")

_TAG: Final = re.compile(
    r"</?[A-Za-z_][\w:.-]*(?:\s+[\w:.-]+=(?:\"[^\"<>\n]*\"|'[^'<>\n]*'))*\s*/?>"
)
_WORD: Final = re.compile(r"\S+")
_TAG_MARK: Final = "\x00"
"""Stands for a tag, so that a quotation that held one can be told."""
_CUT: Final = ("…", "...")
_LEFT_OUT: Final = re.compile(
    r" ?\[[^\[\]\n]{0,40}\b(?:left out|omitted|truncated|cut)\b[^\[\]\n]{0,40}\] ?"
)
"""A note that something was left out; the words on both sides may be halves."""

_LONGEST: Final = 20_000
"""Characters of a message whose tokens are kept."""
_LINE_OR_SENTENCE: Final = re.compile(r"(?<=[.!?])[ \t]+|\n")


@dataclass(frozen=True, slots=True)
class Claim:
    """One checkable thing that a text asserts: ``path``, ``name``, ``number`` or ``quote``."""

    kind: str
    text: str


def answer_proper(text: str) -> tuple[str, tuple[str, ...]]:
    """The answer without sentences to the judge, and those sentences (normally none).

    Such sentences are recognised by their phrases (see :mod:`.judge_directed`); others go
    unnoticed. Invisible characters are removed first, so that they cannot hide one.
    """
    kept: list[str] = []
    aside: list[str] = []
    for line in visible(text).splitlines():
        pieces = [piece for piece in _LINE_OR_SENTENCE.split(line) if piece.strip()]
        honest: list[str] = []
        for piece in pieces:
            (aside if talks_to_the_judge(piece) else honest).append(piece)
        if honest or not pieces:
            kept.append(line if len(honest) == len(pieces) else " ".join(honest))
    return "\n".join(kept), tuple(piece.strip() for piece in aside)


def claims(text: str) -> list[Claim]:
    """The checkable claims of a text in order, each once."""
    text = _LEFT_OUT.sub("…", _TAG.sub(_TAG_MARK, text.replace(_TAG_MARK, " ")))
    found: dict[Claim, None] = {}
    for groups in _QUOTED.findall(text):
        quote = next(group for group in groups if group)
        if not any(mark in quote for mark in (_TAG_MARK, *_CUT)) and len(quote.split()) >= 2:
            found[Claim("quote", quote)] = None
    text = _WORD.sub(
        lambda word: "" if any(mark in word[0] for mark in _CUT) else word[0],
        text.replace(_TAG_MARK, " "),
    )
    for name in _CODE_NAME.findall(text):
        found[Claim("name", name)] = None
    for token in raw_tokens(normalize(text)):
        if is_path(token) and (_EXTENSION.search(token) or token.count("/") >= 2):
            found[Claim("path", token)] = None
        elif "_" in token.strip("_"):
            found[Claim("name", token)] = None
        elif re.fullmatch(r"\d[\d,.]*\d", token):
            found[Claim("number", token)] = None
    return list(found)


class LogTokens:
    """What a log holds, token by token, without its sentences. Building is linear in the log.

    It agrees with ``TextIndex`` on paths, names and numbers, but for numbers that only count the
    items of a list and for paths with what a search found behind them (``src/a.py:def``), which it
    knows too. Of quotations it finds those that stand in the log as they are.
    """

    def __init__(self, text: str, messages: Sequence[str] = ()) -> None:
        """``messages`` are what the log is of; the text if they are not given.

        The tokens of a message are read once, though it stands in the log up to each point. A
        quotation stands in one message.
        """
        self._normals: list[str] = []
        self._keys = set[Key]()
        for message in messages or (text,):
            read = _read if len(message) <= _LONGEST else _read.__wrapped__
            normal, keys = read(message)
            self._normals.append(normal)
            self._keys |= keys

    def holds(self, claim: Claim) -> bool:
        """Whether the log has the token, or the quotation as it is."""
        normal = normalize(claim.text)
        if claim.kind == "path":
            return bool(path_suffixes(claim.text)) and any(
                key in self._keys for key in path_keys(claim.text)
            )
        if claim.kind != "quote" and canonical_number(normal) in self._keys:
            return True
        return claim.kind != "number" and any(
            bounded_find(normal, message) >= 0 for message in self._normals
        )


@lru_cache(maxsize=512)
def _read(text: str) -> tuple[str, frozenset[Key]]:
    """A message, normalised, and the forms of its tokens."""
    normal = normalize(text)
    whole = set(raw_tokens(normal))
    tokens = whole.union(*(token.split(":") for token in whole if ":" in token))
    return normal, frozenset[Key]().union(*map(posted, tokens))
