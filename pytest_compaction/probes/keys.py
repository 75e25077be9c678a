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

from pytest_compaction.probes.exact import (
    MAX_EXACT,
    OUTER,
    exact_groups,
    telling,
    weak_alone,
)
from pytest_compaction.probes.vocabulary import NEGATED, NEGATIVE, REQUESTS, WEAK
from pytest_compaction.text import STOPWORDS, content_stems, is_path, normalize, segments, stem

Groups = tuple[tuple[str, ...], ...]
MAX_GROUPS: Final = 4
MAX_KEY: Final = 200
"""The most characters of an alternative."""
_BEFORE_VERBS: Final = frozenset(
    ["", *"to should must will can and then not please let never".split()]
)
"""Words before a verb; a request begins with one."""
_STARTS: Final = re.compile(r"(?:[:;,(–—]|\s-)\s*$")
"""What a new clause begins after."""
_MODAL: Final = re.compile(
    r"\b(?:should|must|shall|needs? to|has to|have to|may only|can only)\s+(?:always |only )?(\w+)",
    re.I,
)
_LEADING_VERBS: Final = frozenset(
    "make let leave keep do don't never always handle put apply ensure".split()
)
_WORD: Final = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_ADVERB: Final = re.compile(r"\w{3,}ly$")
_VERBAL: Final = re.compile(r"\w{3,}(?:ing|ed)$")

Frequency = Callable[[str], int]
"""How many messages of the log hold a stem."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a text, as written, its place in characters, and whether it is a verb there."""

    text: str
    place: int
    verbal: bool

    @property
    def stem(self) -> str:
        return stem(self.text.casefold())


def keys_of(text: str, frequency: Frequency) -> Groups:
    """Key groups for what a text says; empty if it has no words that tell."""
    groups = exact_groups(text)
    negation = _negation(text)
    denied = negation[0].partition(" ")[2] if negation else ""
    others = [group for group in groups if denied not in map(str.casefold, group)]
    if others and len(others) < len(groups):
        # "5 tries, not 3": what stands is enough.
        groups = others
    elif negation:
        groups.append(negation)
    # What a negation or an exact token already holds is not asked for twice.
    held = set(content_stems(normalize(" ".join(key for group in groups for key in group))))
    words = [word for word in _words(text) if word.stem not in held]
    near = _place(text, groups[0][0]) if len(groups) == 1 and not negation else None
    best = _best(words, _wanted(groups, words), frequency, near)
    groups += [(word.text,) for word in best]
    return _sound(groups[:MAX_GROUPS])


def task_keys(text: str, frequency: Frequency) -> Groups:
    """Key groups for what is to be done: first the verb, if the text begins with a request."""
    words = re.findall(r"[\w'’-]+", text)
    verb = words[0].casefold() if words else ""
    groups = keys_of(text, frequency)
    held = {part.casefold() for group in groups for key in group for part in key.split()}
    modal = _MODAL.search(text)
    if not _tells_task(verb):
        verb = modal[1].casefold() if modal else ""
    if not groups or not _tells_task(verb) or verb in held or _negation(text):
        return groups
    return ((verb,), *groups)[:MAX_GROUPS]


def title_keys(text: str, frequency: Frequency) -> Groups:
    """Key groups for a title, which is told by most of its words: as many as a fact may have."""
    groups = keys_of(text, frequency)
    held = set(content_stems(normalize(" ".join(key for group in groups for key in group))))
    words = [word for word in _words(text) if word.stem not in held]
    more = tuple((word.text,) for word in _best(words, MAX_GROUPS - len(groups), frequency))
    return _sound([*groups, *more])


def _tells_task(verb: str) -> bool:
    """Whether a verb says what is to be done; "make" and "let" only lead to what does."""
    return stem(verb) in REQUESTS and verb not in _LEADING_VERBS


def value_keys(name: str, value: str, frequency: Frequency) -> Groups:
    """Key groups for a name and its value; a value that is a phrase gives several groups."""
    values = exact_groups(value) or [(word.text,) for word in _words(value, weak=True)[:2]]
    if not values:
        values = [(value,)]
    return _sound([*values[:MAX_EXACT], *name_groups(name, frequency)][:MAX_GROUPS])


def name_groups(name: str, frequency: Frequency) -> list[tuple[str, ...]]:
    """A name as one alternative of several words, or its two most telling words if it is long."""
    name = name.strip(OUTER + " .-")
    exact = exact_groups(name)
    if exact:
        return exact[:2]
    words = [word for word in re.findall(r"[\w-]+", name) if word.casefold() not in STOPWORDS]
    if len(words) <= 3:
        return [(" ".join(words),)] if words else []
    return [(word.text,) for word in _best(_words(name), 2, frequency)]


def identifier_keys(*names: str) -> Groups:
    """Key groups of names that all must be there, each as it is written."""
    return _sound([(name,) for name in names])


def given_away(question: str, keys: Groups, text: str) -> bool:
    """Whether a sentence of a question holds what a fact asks for, whatever it says about it."""
    for sentence in segments(question):
        held = set(content_stems(normalize(sentence)))
        if not keys and set(content_stems(normalize(text))) <= held:
            return True
        if keys and all(any(_stems(key) <= held for key in group) for group in keys):
            return True
    return False


def _stems(key: str) -> set[str]:
    normal = normalize(key)
    if " " not in normal and is_path(normal):
        return {normal.rpartition("/")[2]}
    return set(content_stems(normal)) or {normal}


def _words(text: str, weak: bool = False) -> list[_Word]:
    """The content words of a text that are not exact; weak ones only if asked for."""
    exact = {key for group in exact_groups(text) for key in group[0].split()}
    found: dict[str, _Word] = {}
    low = ""
    for match in _WORD.finditer(text):
        word = match[0].strip("'’-")
        starts = _STARTS.search(text[max(0, match.start() - 3) : match.start()])
        before, low = "" if starts else low, word.casefold()
        if len(low) < 3 or low in STOPWORDS or low in NEGATIVE or low.endswith(("n't", "n’t")):
            continue
        if _part_of(word, exact) or (stem(low) in WEAK and not weak) or re.search(r"['’]", word):
            continue
        found.setdefault(stem(low), _Word(word, match.start(), _verbal(low, before)))
    return list(found.values())


def _part_of(word: str, tokens: Iterable[str]) -> bool:
    part = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)")
    return any(part.search(token) for token in tokens)


def _place(text: str, key: str) -> int | None:
    """Where a key stands in the text, in characters."""
    place = text.find(key)
    return place if place >= 0 else None


def _wanted(groups: Sequence[tuple[str, ...]], words: Sequence[_Word]) -> int:
    """How many words of the subject the groups still need."""
    strong = sum(any(telling(key) for key in group) for group in groups)
    if len(groups) > 2 or (strong and len(groups) > 1):
        return 0
    if strong:
        return 1
    wanted = 3 - len(groups)
    things = sum(not word.verbal for word in words)
    # What is done is worded in many ways; what it is done to keeps its name.
    least = 2 if len(words) + len(groups) < 4 else 3
    return min(wanted, max(things, least - len(groups)), len(words))


def _verbal(word: str, before: str) -> bool:
    """Whether a word rather says what is done than what it is done to."""
    return (before in _BEFORE_VERBS and stem(word) in REQUESTS) or bool(_VERBAL.match(word))


def _best(
    words: Sequence[_Word], wanted: int, frequency: Frequency, near: int | None = None
) -> list[_Word]:
    """The most telling words in the order of the text; next to the place ``near`` if given."""
    if wanted <= 0:
        return []

    def weight(word: _Word) -> tuple[bool, bool, bool, int, int, int]:
        low = word.text.casefold()
        times = frequency(word.stem)
        # A compound is a term, whatever its parts are.
        rare, times = (False, 0) if "-" in low else (times < 2, times)
        far = 0 if near is None else abs(word.place - near)
        return (word.verbal, rare, bool(_ADVERB.match(low)), far, times, word.place)

    return sorted(sorted(words, key=weight)[:wanted], key=lambda word: word.place)


def _negation(text: str) -> tuple[str, ...]:
    """A group with the first negation of a text and the word that it negates; empty if none."""
    words = re.findall(r"[^\W_]+(?:['’.-][^\W_]+)*", text)
    for place, word in enumerate(words):
        low = word.casefold().replace("’", "'")
        if low not in NEGATIVE and not low.endswith("n't"):
            continue
        if words[place + 1 : place + 2] == ["such"]:
            return NEGATED["no such"]
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
