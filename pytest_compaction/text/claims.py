"""Checkable claims of a text, and text that talks to the judge instead of answering.

A claim is something that can be looked up in the log: a path, an identifier, a
number of two or more digits, a quotation. Markup tags claim nothing, and a word that was
cut off ("docketry.rend…") is not one. Sentences that tell the judge what to
score are not part of an answer: they are taken out before anything is scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from pytest_compaction.text.judge_directed import talks_to_the_judge
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import is_path, normalize, raw_tokens, visible

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
    text = _WORD.sub(_uncut, text.replace(_TAG_MARK, " "))
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


def _uncut(word: re.Match[str]) -> str:
    """The word, or nothing if it was cut off."""
    return "" if any(mark in word[0] for mark in _CUT) else word[0]


def unsupported(claims_made: Iterable[Claim], log: TextIndex) -> list[Claim]:
    """The claims that the log does not contain."""
    return [claim for claim in claims_made if not _supported(claim, log)]


def _supported(claim: Claim, log: TextIndex) -> bool:
    if claim.kind == "path":
        return log.has_path(claim.text)
    if claim.kind == "quote":
        return log.contains(claim.text) or log.states([claim.text])
    if claim.kind == "name":
        return log.has_token(claim.text) or log.contains(claim.text)
    return log.has_token(claim.text)
