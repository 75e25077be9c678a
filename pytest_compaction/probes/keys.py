"""Key groups of a fact, by rule: the words without which a faithful wording cannot do.

Exact tokens (values, names, paths) come first. Words of the subject are added until the
groups together are telling: words that several messages use are preferred, because a
term of the session survives a rewording, and of these the rarer. A negation stays in one
group with the word that it negates. All of it is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.probes.vocabulary import NEGATED, NEGATIVE, WEAK
from pytest_compaction.text.words import (
    STOPWORDS,
    content_stems,
    is_path,
    normalize,
    stem,
)

Groups = tuple[tuple[str, ...], ...]
MAX_GROUPS: Final = 4
MAX_EXACT: Final = 3
MAX_KEY: Final = 200
"""The most characters of an alternative."""
_OUTER: Final = "()[]{}<>\"'`,;:!?*“”‘’…|=&\\"
_PLAIN_NUMBER: Final = re.compile(r"[$€£]?\d{1,3}(?:[.,]\d{1,2})?")
_NUMBER: Final = re.compile(r"[$€£~]?\d[\d.,]*(?:%|[a-zA-Z]{1,3})?")
_QUOTED: Final = re.compile(r"`([^`\s]{2,60})`|\"([^\"\s]{2,60})\"|(?<!\w)'([^'\s]{2,60})'(?!\w)")
_MIXED: Final = re.compile(r"[a-z][A-Z]|[A-Za-z]_[A-Za-z]|::|^--\w|^@\w|^#\w|[A-Za-z]\d")
_CAPITALS: Final = re.compile(r"[A-Z][A-Z\d_-]{2,}")
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ADVERB: Final = re.compile(r"\w{3,}ly$")
_VERBAL: Final = re.compile(r"\w{3,}(?:ing|ed)$")

Frequency = Callable[[str], int]
"""How many messages of the log hold a stem."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text, as written, and its place."""

    text: str
    place: int

    @property
    def stem(self) -> str:
        return stem(self.text.casefold())


def keys_of(text: str, frequency: Frequency) -> Groups:
    """Key groups for what a text says; empty if it has no words that tell."""
    groups = _exact_groups(text)
    negation = _negation(text)
    if negation:
        groups.append(negation)
    # What a negation or an exact token already holds is not asked for twice.
    held = set(content_stems(normalize(" ".join(key for group in groups for key in group))))
    words = [word for word in _words(text) if word.stem not in held]
    near = _place(text, groups[0][0]) if len(groups) == 1 and not negation else None
    best = _best(words, _wanted(groups, words), frequency, near)
    groups += [(word.text,) for word in best]
    return _sound(groups[:MAX_GROUPS])


def value_keys(name: str, value: str, frequency: Frequency) -> Groups:
    """Key groups for a name and its value; a value that is a phrase gives several groups."""
    values = _exact_groups(value) or [(word.text,) for word in _words(value, weak=True)[:2]]
    if not values:
        values = [(value,)]
    return _sound([*values[:MAX_EXACT], *name_groups(name, frequency)][:MAX_GROUPS])


def name_groups(name: str, frequency: Frequency) -> list[tuple[str, ...]]:
    """A name as one alternative of several words, or its two most telling words if it is long."""
    name = name.strip(_OUTER + " .-")
    exact = _exact_groups(name)
    if exact:
        return exact[:2]
    words = [word for word in re.findall(r"[\w-]+", name) if word.casefold() not in STOPWORDS]
    if len(words) <= 3:
        return [(" ".join(words),)] if words else []
    return [(word.text,) for word in _best(_words(name), 2, frequency)]


def identifier_keys(*names: str) -> Groups:
    """Key groups of names that all must be there, each as it is written."""
    return _sound([(name,) for name in names])


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


def given_away(question: str, keys: Groups, text: str) -> bool:
    """Whether a question holds what a fact asks for, whatever it says about it."""
    held = set(content_stems(normalize(question)))
    if not keys:
        return set(content_stems(normalize(text))) <= held
    return all(any(_stems(key) <= held for key in group) for group in keys)


def _stems(key: str) -> set[str]:
    normal = normalize(key)
    if " " not in normal and is_path(normal):
        return {normal.rpartition("/")[2]}
    return set(content_stems(normal)) or {normal}


def _exact_groups(text: str) -> list[tuple[str, ...]]:
    """Exact tokens of a text in order; a plain number comes with the word that it counts."""
    quoted = {part for match in _QUOTED.finditer(text) for part in match.groups() if part}
    pieces = text.split()
    found: dict[str, None] = {}
    for place, piece in enumerate(pieces):
        token = piece.strip(_OUTER).rstrip(_OUTER + ".")
        if not token or not re.search(r"\w", token):
            continue
        if _NUMBER.fullmatch(token):
            unit = pieces[place + 1].strip(_OUTER + ".") if place + 1 < len(pieces) else ""
            counted = unit.isalpha() and unit.casefold() not in STOPWORDS
            ends = piece.rstrip("`'\"")[-1:] in {",", ";", ":", "."}
            token = f"{token} {unit}" if counted and token.isdigit() and not ends else token
            found[token] = None
        elif token in quoted or _exact(token):
            found[token] = None
    return [(token,) for token in list(found)[:MAX_EXACT]]


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


def _words(text: str, weak: bool = False) -> list[_Word]:
    """The content words of a text that are not exact; weak ones only if asked for."""
    exact = {key for group in _exact_groups(text) for key in group[0].split()}
    found: dict[str, _Word] = {}
    for match in _WORD.finditer(text):
        word = match[0].strip("'’-")
        low = word.casefold()
        if len(low) < 3 or low in STOPWORDS or low in NEGATIVE or low.endswith(("n't", "n’t")):
            continue
        if word in exact or (stem(low) in WEAK and not weak) or re.search(r"['’]", word):
            continue
        found.setdefault(stem(low), _Word(word, match.start()))
    return list(found.values())


def _place(text: str, key: str) -> int | None:
    """Where a key stands in the text, in characters."""
    place = text.find(key)
    return place if place >= 0 else None


def _wanted(groups: Sequence[tuple[str, ...]], words: Sequence[_Word]) -> int:
    """How many words of the subject the groups still need."""
    strong = sum(any(telling(key) for key in group) for group in groups)
    if strong > 1 or len(groups) > 2:
        return 0
    if strong or groups:
        return 1
    return min(3, len(words))


def _best(
    words: Sequence[_Word], wanted: int, frequency: Frequency, near: int | None = None
) -> list[_Word]:
    """The most telling words in the order of the text; next to the place ``near`` if given."""
    if wanted <= 0:
        return []

    def weight(word: _Word) -> tuple[bool, bool, bool, int, int, int]:
        times = frequency(word.stem)
        low = word.text.casefold()
        far = 0 if near is None else abs(word.place - near)
        verbal = bool(_VERBAL.match(low))
        plain = "-" not in word.text
        return (
            times < 2 and plain,
            bool(_ADVERB.match(low)),
            verbal,
            far,
            times if plain else 0,
            word.place,
        )

    return sorted(sorted(words, key=weight)[:wanted], key=lambda word: word.place)


def _negation(text: str) -> tuple[str, ...]:
    """A group with the first negation of a text and the word that it negates; empty if none."""
    words = re.findall(r"[^\W_]+(?:['’.-][^\W_]+)*", text)
    for place, word in enumerate(words):
        low = word.casefold().replace("’", "'")
        if low not in NEGATIVE and not low.endswith("n't"):
            continue
        after = [
            other.casefold()
            for other in words[place + 1 : place + 6]
            if other.casefold() not in STOPWORDS and other.casefold() not in {"longer"}
        ]
        if not after:
            continue
        negated = after[0]
        sign = low if low in {"no", "cannot"} else "not"
        known = next(
            (
                forms
                for phrase, forms in NEGATED.items()
                if stem(phrase.split()[1]) == stem(negated) and phrase.split()[0] == sign
            ),
            None,
        )
        signs = dict.fromkeys((low, "not", "never", "no", "without"))
        return known or tuple(f"{each} {negated}" for each in signs)
    return ()


def _sound(groups: Iterable[tuple[str, ...]]) -> Groups:
    """Groups without repetition, or none at all if what they hold could be anything."""
    kept: dict[tuple[str, ...], None] = {}
    for group in groups:
        alternatives = tuple(dict.fromkeys(key for key in group if 0 < len(key) <= MAX_KEY))
        if alternatives:
            kept[alternatives] = None
    found = tuple(kept)
    if len(found) == 1 and all(weak_alone(key) for key in found[0]):
        return ()
    return found


def weak_alone(key: str) -> bool:
    """Whether an alternative says nothing by itself: a small number, or one ordinary word."""
    return small_number(key) or (" " not in key.strip() and not telling(key))
