"""Exact tokens of a text: paths, names, numbers with what they count, dates, quoted words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_compaction.probes.vocabulary import NEGATIVE
from pytest_compaction.text import STOPWORDS, is_path, normalize

MAX_EXACT: Final = 3
OUTER: Final = "()[]{}<>\"'`,;:!?*“”‘’…|=&\\"
_PLAIN_NUMBER: Final = re.compile(r"[$€£]?\d{1,3}(?:[.,]\d{1,2})?")
_NUMBER: Final = re.compile(r"[$€£~]?\d[\d.,]*(?:%|[a-zA-Z]{1,3})?")
_MONTHS: Final = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_DAY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th)?")
_INDEX: Final = re.compile(r"(?<=\w)\[\d+\]?$")
_QUOTED: Final = re.compile(r"`([^`\s]{2,60})`|\"([^\"\s]{2,60})\"|(?<!\w)'([^'\s]{2,60})'(?!\w)")
_MIXED: Final = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]|::|^--\w|^@\w|^#\w|[A-Za-z]\d")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z\d_-]{2,}")


def exact_groups(text: str) -> list[tuple[str, ...]]:
    """Exact tokens of a text in order; a plain number comes with the word that it counts."""
    quoted = {part for match in _QUOTED.finditer(text) for part in match.groups() if part}
    pieces = text.split()
    found: dict[str, None] = {}
    for place, piece in enumerate(pieces):
        token = _INDEX.sub("", piece.strip(OUTER).rstrip(OUTER + "."))
        if not token or not re.search(r"\w", token):
            continue
        before = pieces[place - 1].strip(OUTER + ".") if place else ""
        if before.casefold()[:3] in _MONTHS and _DAY.fullmatch(token):
            found[f"{before} {token}"] = None
        elif _NUMBER.fullmatch(token):
            found[_counted(token, piece, pieces[place + 1 : place + 2])] = None
        elif token in quoted or _exact(token):
            found[token] = None
    groups: list[tuple[str, ...]] = [
        (token,) for token in found if not _part_of_another(token, found)
    ]
    return groups[:MAX_EXACT]


def _part_of_another(token: str, tokens: Iterable[str]) -> bool:
    part = re.compile(rf"(?<![\w.]){re.escape(token)}(?![\w.])")
    return any(token != other and part.search(other) for other in tokens)


def _counted(number: str, piece: str, following: Sequence[str]) -> str:
    """A whole number with the word that it counts, if one follows directly."""
    unit = following[0].strip(OUTER + ".") if following else ""
    ends = piece.rstrip("`'\"")[-1:] in {",", ";", ":", "."}
    counts = number.isdigit() and unit.isalpha() and unit.casefold() not in STOPWORDS
    of_day = unit.casefold() in {"am", "pm"}
    return f"{number} {unit}" if (counts or of_day) and not ends else number


def _exact(token: str) -> bool:
    normal = normalize(token)
    if normal in STOPWORDS or normal in NEGATIVE:
        return False
    if "/" in token and re.fullmatch(r"[a-z]{2,}/[a-z]{2,}", token):
        return False
    return bool(
        is_path(normal)
        or re.search(r"\d", token)
        or _MIXED.search(token)
        or _CAPITALS.fullmatch(token)
    )


def telling(key: str) -> bool:
    """Whether an alternative identifies something alone: a path, a name, a long number."""
    key = key.strip()
    if " " in key:
        return any(telling(part) for part in key.split())
    if is_path(normalize(key)):
        return True
    if _NUMBER.fullmatch(key):
        digits = sum(char.isdigit() for char in key)
        return digits > 3 or (digits == 3 and not key.isdigit())
    return len(key) > 3 and bool(_MIXED.search(key) or _CAPITALS.fullmatch(key) or "-" in key)


def small_number(key: str) -> bool:
    """Whether an alternative is only a number of up to three digits, which occurs everywhere."""
    return bool(_PLAIN_NUMBER.fullmatch(key.strip()))


def weak_alone(key: str) -> bool:
    """Whether an alternative says nothing by itself: a small number, or one ordinary word."""
    return small_number(key) or (" " not in key.strip() and not telling(key))
