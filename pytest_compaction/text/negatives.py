"""Verbs and adjectives that deny another one: "ignored" is "not considered", "differs" "not equal".

A key alternative finds both. One with a negation also asks for the word that denies its verb, and
one with such a word also asks for the negated verb.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Final

from pytest_compaction.text.keys.alternatives import Alternative, Term, is_value
from pytest_compaction.text.lexicon.synonyms import forms_of
from pytest_compaction.text.parsed import Parsed
from pytest_compaction.text.words import stem

_UN: Final = 5
"""Letters from which on a word in "un" is taken for a denial."""
_ROWS: Final = (
    """
match agree correspond coincide equal identical fit exact / differ deviate diverge mismatch
  disagree different discrepancy
consider respect honour honor heed observe obey notice detect account regard compare check
  include look / ignore disregard overlook neglect skip omit bypass
find occur appear exist present contain hold include mention hit match / absent missing miss
  lack empty devoid
contain hold include implement provide define declare set carry possess exist present available
  / lack miss missing absent
use take choose adopt keep accept want go pursue / reject discard abandon dismiss refuse
  decline scrap veto revert unused avoid forgo drop
allow permit accept / forbid prohibit refuse reject deny bar ban disallow forbidden
change modify touch edit alter rewrite amend / unchanged untouched intact unmodified frozen
  immutable read-only verbatim unaltered byte-identical
reset clear invalidate update refresh restore put / stale outdated leak forget
keep retain preserve remember / lose lost drop forget discard
fix do handle finish address implement solve / postpone defer pending open unfinished
  outstanding todo park shelve unresolved remain
cause blame responsible explain fault guilty / innocent clear exonerate acquit unrelated
  exclude irrelevant
affect matter influence / irrelevant unaffected immaterial immune
work succeed pass run / fail break broken crash
need require necessary must / optional unnecessary superfluous redundant dispensable
support available / unsupported unavailable missing
write create / skip omit
know / unknown unclear
""".strip()
    .replace("\n  ", " ")
    .splitlines()
)


def _table() -> tuple[dict[str, tuple[str, ...]], dict[str, tuple[str, ...]]]:
    denied: dict[str, dict[str, None]] = defaultdict(dict)
    meant: dict[str, dict[str, None]] = defaultdict(dict)
    for row in _ROWS:
        positive, negative = ([stem(word) for word in side.split()] for side in row.split("/"))
        for one in positive:
            denied[one].update(dict.fromkeys(negative))
        for one in negative:
            meant[one].update(dict.fromkeys(positive))
    return (
        {one: tuple(others) for one, others in denied.items()},
        {one: tuple(others) for one, others in meant.items()},
    )


_DENIED, _MEANT = _table()
"""What denies each verb, and which verbs each word denies; all as stems."""


@lru_cache(maxsize=8192)
def wordings(asked: Alternative) -> tuple[Alternative, ...]:
    """The alternative, and how else its negation may be put."""
    return (asked, *_others(asked))


def _others(asked: Alternative) -> Iterator[Alternative]:
    if asked.relation:
        return
    for place, term in enumerate(asked.terms):
        if is_value(term) or not term.keys:
            continue
        own = str(term.keys[0])
        table = _DENIED if asked.negative else _MEANT
        words = [*table.get(own, ())]
        if asked.negative and own.isalpha():
            words += [f"un{form}" for form in forms_of(own)]
        elif not asked.negative and own.startswith("un") and len(own) > _UN:
            words.append(own[2:])
        if words:
            keys = tuple(dict.fromkeys(form for word in words for form in forms_of(word)))
            changed = (*asked.terms[:place], Term(keys), *asked.terms[place + 1 :])
            yield replace(asked, normal="", terms=changed, negative=not asked.negative)


_DENYING: Final = frozenset(_MEANT) | {"exclud", "without", "against", "stop", "prevent"}


def denies(sentence: Parsed) -> bool:
    """Whether a sentence holds a word that denies another."""
    return not _DENYING.isdisjoint(key for key in sentence.places if isinstance(key, str)) or any(
        isinstance(key, str) and key.startswith("un") and len(key) > _UN for key in sentence.places
    )


def is_denial(asked: Alternative) -> bool:
    """Whether an alternative holds a word that denies another."""
    return any(key in _DENYING for term in asked.terms for key in term.keys[:1])
