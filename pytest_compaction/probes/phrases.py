"""Pieces of what users and agents wrote, fit for questions to quote and facts to state."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.probes.vocabulary import REQUESTS
from pytest_compaction.text.words import content_stems, normalize, printable, segments, stem

MAX_QUOTE_CHARACTERS: Final = 120
_POINTER: Final = re.compile(r"\b(?:following|below|above|attached|here(?:'s| is| are))\b", re.I)
_SENTENCE_END: Final = re.compile(r"(?<=[\w)`'\"][.!?])\s+(?=[\w`'\"(])")
_CLAUSE_END: Final = re.compile(
    r"(?:(?<=\w)[,;!?]+)?\s+(?:but|so that|so|then)\s+|(?<=\w)[,;!?]+\s+|\s+[-–—]\s+|:\s+|\.\.+"
)
_AND: Final = re.compile(r"\s+and\s+")
_LINKING: Final = re.compile(r"^\s*(?:and|but|so|then|or|also|please)\s+(?=\w+\s)", re.I)
_POLITE: Final = re.compile(
    r"^(?:(?:ok|okay|yes|yeah|no|and|also|then|so|now|well|please|just|first|actually|let'?s|hm+)"
    r"[,\s]+|(?:can|could|would|will) (?:you|we)\s+(?:please\s+)?"
    r"|i(?:'d| would) like (?:you )?to\s+|i (?:want|need) (?:you )?to\s+"
    r"|we (?:need|have|should|must|want)(?: to)?\s+"
    r"|you (?:need|have|should|must)(?: to)?\s+|make sure(?: that| to)?\s+)+",
    re.I,
)
"""Words before a request that do not belong to it."""
_WANTED: Final = re.compile(
    r"(?:i|we) (?:want|need|prefer)\b|(?:there|it|they|this|that|[\w'`./-]+(?: [\w'`./-]+){0,4})"
    r" (?:should|must|needs? to|has to|have to|may not|is not allowed|are not allowed)\b"
    r"|no (?:need for|more)\b|instead\b",
    re.I,
)
# Real users swear at their agents; questions must not repeat it.
_COARSE: Final = re.compile(r"\b\w*(?:fuck|shit|stupid|damn)\w*", re.I)


def first_line(text: str) -> str:
    """The first line of a text that is not just a file path, as pasted above a request."""
    for line in text.splitlines():
        line = line.strip()
        if line and not line.startswith(("'/", '"/', "/")):
            return line
    return ""


def quotable(text: str) -> str:
    """The first sentences of a text in one line of at most 120 characters; empty if coarse."""
    kept = ""
    for sentence in sentences(first_line(text)):
        if len(kept) + len(sentence) > MAX_QUOTE_CHARACTERS:
            break
        kept = f"{kept} {sentence}".strip()
    if not kept:
        words = first_line(text)[:MAX_QUOTE_CHARACTERS].rsplit(" ", 1)
        kept = f"{words[0]} …" if words[0] else ""
    kept = kept.rstrip(" :").replace("**", "").replace("“", '"').replace("”", '"')
    return "" if coarse(kept) or kept.count("`") % 2 else kept


def asks(clause: str) -> bool:
    """Whether a clause asks for something to be done: not a story, a question or small talk."""
    text = unasked(clause)
    words = re.findall(r"[\w'’]+", text.casefold())
    if not words or (clause.rstrip().endswith("?") and not _POLITE.match(clause)):
        return False
    return stem(words[0]) in REQUESTS or bool(_WANTED.match(text))


def unasked(clause: str) -> str:
    """A request without the polite words before it: "can you make it smaller" is "make it …"."""
    return _POLITE.sub("", clause.strip(), count=1) or clause


def whole_text(text: str) -> bool:
    """Whether a text is complete in itself: neither a lead-in nor the rest of a cut line."""
    return not re.match(r"\d+\b", text) and not text.rstrip().endswith((":", ",", "(", "…"))


def points_elsewhere(text: str) -> bool:
    """Whether a text refers to another place: "the following issue", "see below"."""
    return bool(_POINTER.search(text))


def coarse(text: str) -> bool:
    """Whether a text holds words that a question should not repeat."""
    return bool(_COARSE.search(text))


def opening(text: str) -> str:
    """A text up to its first empty line: users write first and paste below."""
    return re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0]


def sentences(text: str) -> list[str]:
    """Sentences of a text, including those that start in lower case."""
    return [piece for segment in segments(text) for piece in _SENTENCE_END.split(segment)]


def clauses(text: str, least: int = 3, most: int = 14) -> list[str]:
    """Short clauses of a text with at least ``least`` content stems and at most ``most`` words.

    A lead-in that ends with a colon states nothing, nor does a quoted string or half of
    one. A long clause is divided at "and", unless a name follows.
    """
    found: list[str] = []
    for sentence in sentences(text):
        pieces = _CLAUSE_END.split(sentence)
        for piece in pieces[:-1] if sentence.endswith(":") else pieces:
            if piece.count('"') % 2 or (piece.startswith('"') and piece.endswith('"')):
                continue
            halves = _AND.split(piece)
            whole = len(piece.split()) <= most or min(len(half.split()) for half in halves) < 4
            if not whole and any(half[:1].isupper() for half in halves[1:]):
                continue
            for part in [piece] if whole else halves:
                clause = bare(_LINKING.sub("", part))
                stems = set(content_stems(normalize(clause)))
                if 3 <= len(clause.split()) <= most and len(stems) >= least and not coarse(clause):
                    found.append(clause)
    return list(dict.fromkeys(found))


def shown_command(script: str) -> str:
    """The first line of a script in backticks, for a question; empty for an empty script."""
    line = next((line for line in script.splitlines() if line.strip()), "")
    return f"`{printable(line.replace('`', ''), 100)}`" if line else ""


def balanced(text: str) -> str:
    """A text without the rest behind a parenthesis that is opened and not closed."""
    return text if text.count("(") <= text.count(")") else text[: text.rindex("(")].rstrip(" ,;:")


def bare(text: str) -> str:
    """A text without Markdown emphasis, list marks, unpaired backticks and outer punctuation."""
    text = re.sub(r"\*\*|__(?=\w)|(?<=\w)__", "", text).strip(" \t.,;:!?*-")
    return text.replace("`", "") if text.count("`") % 2 else text
