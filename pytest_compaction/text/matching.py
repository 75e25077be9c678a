"""Whether a text states a fact: the one definition, for survival, judging and evidence.

A form of a fact (its text or an alias) is stated by a text when one of these holds:

* the form is a path, the text names a path, and one is a suffix of the other on
  component boundaries (a bare file name counts unless it is a generic one such as
  ``__init__.py``); a path with signs that end a token, such as
  ``app/(group)/page.tsx``, also counts if it stands there literally;
* the normalised form stands in the normalised text between word boundaries;
* one sentence of the text holds every exact token of the form (numbers compared
  by value, identifiers, paths) and at least three quarters of its other content
  stems; a negated form needs a negation in that sentence.

A trap is hit when its stale value is stated and the current one is not.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from pytest_compaction.text.words import (
    NEGATIONS,
    STOPWORDS,
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    segments,
    stem,
    token_forms,
)

PROSE_SHARE: Final = 0.75
"""Share of a form's ordinary content stems that one sentence must hold."""

GENERIC_NAMES: Final = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "main.py",
        "index.js",
        "index.ts",
        "index.html",
        "mod.rs",
        "lib.rs",
        "main.go",
        "readme.md",
        "makefile",
        "dockerfile",
        "conftest.py",
        "package.json",
        "pyproject.toml",
        "setup.py",
    }
)


Outcome = Literal["stated", "contradicted", "uncertain", "absent"]
"""What a text does with a statement."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text may state: a fact, or its counterpart.

    ``keys`` are groups of alternatives; one alternative of every group must stand in one
    clause. Without keys the wording of ``text`` or of one of the ``aliases`` decides.
    ``counterparts`` are what would be wrong in its place, such as a value from before.
    """

    text: str
    aliases: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    counterparts: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How a text was read for one statement: the outcome, the clause and words that decided."""

    outcome: Outcome
    clause: str = ""
    words: tuple[str, ...] = ()
    why: str = ""


class TextIndex:
    """A text prepared for many questions of the form "is this stated here?".

    Building is linear in the text; each question touches only the sentences
    that share a token with it.
    """

    def __init__(self, text: str) -> None:
        self._normal = f" {normalize(text)} "
        self._holders: dict[str, list[int]] = defaultdict(list)
        self._full: set[str] = set()
        self._segments = tuple(segments(text))
        for number, segment in enumerate(self._segments):
            forms: set[str] = set()
            for token in raw_tokens(normalize(segment)):
                forms.update(token_forms(token))
                self._full.add(canonical_number(token))
                if is_path(token):
                    self._full.add("/".join(path_suffixes(token)[:1]))
            for form in forms:
                self._holders[form].append(number)

    def has_token(self, token: str) -> bool:
        """Whether the text holds this token, number, identifier or path suffix."""
        return any(form in self._holders for form in _exact_forms(normalize(token)))

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return _bounded_in(normalize(text), self._normal)

    def has_path(self, path: str) -> bool:
        """Whether the text names this path, fully or by a suffix on component boundaries."""
        suffixes = path_suffixes(path)
        if not suffixes:
            return False
        if suffixes[0] in self._holders or suffixes[0] in self._full:
            return True
        return any(
            suffix in self._full
            for suffix in suffixes[1:]
            if "/" in suffix or (suffix not in GENERIC_NAMES and "." in suffix)
        )

    def read(self, statement: Statement) -> Reading:
        """What the text does with the statement, and which words decided."""
        if not statement.keys:
            stated = self.states((statement.text, *statement.aliases))
            return Reading("stated" if stated else "absent")
        for segment in self._segments:
            own = TextIndex(segment)
            found = [
                next((form for form in group if own.contains(form)), None)
                for group in statement.keys
            ]
            if all(found):
                return Reading("stated", segment, tuple(form for form in found if form))
        return Reading("absent")

    def states(self, forms: Iterable[str]) -> bool:
        """Whether any of the forms is stated; see the module's text for the rule."""
        return any(self._states_form(form) for form in forms)

    def _states_form(self, form: str) -> bool:
        normal = normalize(form)
        if not normal:
            return False
        if " " not in normal and is_path(normal):
            if self.has_path(normal):
                return True
            whole = raw_tokens(normal) == path_suffixes(normal)[:1]
            return not whole and _bounded_in(normal, self._normal)
        return _bounded_in(normal, self._normal) or self._states_in_one_sentence(normal)

    def _states_in_one_sentence(self, normal: str) -> bool:
        exact, prose, negated = _requirements(normal)
        if not exact and len(prose) < 2:
            return False
        candidates: set[int] | None = None
        for alternatives in exact:
            holders: set[int] = set()
            for form in alternatives:
                holders.update(self._holders.get(form, ()))
            candidates = holders if candidates is None else candidates & holders
            if not candidates:
                return False
        if negated:
            holders = set(self._holders.get("not", ()))
            candidates = holders if candidates is None else candidates & holders
        counts: dict[int, int] = defaultdict(int)
        for form in prose:
            for number in self._holders.get(form, ()):
                counts[number] += 1
        needed = math.ceil(PROSE_SHARE * len(prose))
        if needed == 0:
            return bool(candidates)
        return any(
            count >= needed and (candidates is None or number in candidates)
            for number, count in counts.items()
        )


def _exact_forms(token: str) -> tuple[str, ...]:
    if is_path(token):
        suffixes = path_suffixes(token)
        return tuple(suffixes[:1]) or (token,)
    return (canonical_number(token),)


@lru_cache(maxsize=8192)
def _requirements(normal: str) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...], bool]:
    """Exact tokens (each with its alternatives), prose stems, and whether the form is negated."""
    exact: dict[tuple[str, ...], None] = {}
    prose: dict[str, None] = {}
    negated = False
    for token in raw_tokens(normal):
        if token in NEGATIONS or token.endswith("n't"):
            negated = True
        elif re.search(r"[\d_/\\]", token) or is_path(token):
            exact[_exact_forms(token)] = None
        else:
            for word in re.split(r"[.:@+\-']+", token):
                if word and word not in STOPWORDS:
                    prose[stem(word)] = None
    return tuple(exact), tuple(prose), negated


def _bounded_in(needle: str, hay: str) -> bool:
    """Substring search that respects word boundaries and does not cut numbers."""
    if not needle:
        return False
    start = hay.find(needle)
    while start >= 0:
        end = start + len(needle)
        before, after = hay[start - 1 : start], hay[end : end + 2]
        if not (
            _joins(before, needle[0])
            or _joins(after[:1], needle[-1])
            or (
                needle[-1].isdigit() and len(after) == 2 and after[0] in ".," and after[1].isdigit()
            )
            or (
                needle[0].isdigit()
                and before in {".", ","}
                and hay[start - 2 : start - 1].isdigit()
            )
        ):
            return True
        start = hay.find(needle, start + 1)
    return False


def _joins(outside: str, edge: str) -> bool:
    return (outside.isalnum() or outside == "_") and (edge.isalnum() or edge == "_")
