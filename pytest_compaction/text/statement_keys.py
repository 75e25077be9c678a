"""Query of a statement: its key groups, their other forms, and its own polarity.

Some verbs and adjectives deny another one: "ignored" is "not considered", "differs" "not equal". A
key alternative finds both. One with a negation also asks for the word that denies its verb, and one
with such a word also asks for the negated verb.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Final

from pytest_compaction.text.alternatives import Alternative, Term, Wanted, alternative
from pytest_compaction.text.cues import REVERSING, sense_of
from pytest_compaction.text.excerpts import camel_names, in_lower_case
from pytest_compaction.text.groups import CLAIMED, PLAIN, PLANNED, KeyMatch, Signature, weigh
from pytest_compaction.text.languages import is_read, language_of
from pytest_compaction.text.other_languages import PLAIN_POLARITY, Asked, Polarity, names_among
from pytest_compaction.text.parsed import Parsed, parse
from pytest_compaction.text.standing import is_step
from pytest_compaction.text.statement import Keys, Statement
from pytest_compaction.text.vocabulary import base_stem, forms_of, same_expressions, table
from pytest_compaction.text.words import NEGATIONS, is_path, normalize, raw_tokens, stem

_UN: Final = 5
"""Letters from which on a word in "un" is taken for a denial."""


_DENIED: Final[dict[str, list[str]]] = defaultdict(list)
_MEANT: Final[dict[str, list[str]]] = defaultdict(list)
for _row in table("denials"):
    _positive, _negative = ([*map(stem, side.split())] for side in _row.split("/"))
    for _one, _other in product(_positive, _negative):
        _DENIED[_one] += [_other] if _other not in _DENIED[_one] else []
        _MEANT[_other] += [_one] if _one not in _MEANT[_other] else []
"""The words that deny each verb, and the verbs that each word denies; all as stems."""


def _denials(asked: Alternative) -> Iterator[Alternative]:
    """How else the negation of an alternative may be put."""
    if asked.relation:
        return
    for place, term in enumerate(asked.terms):
        if term.is_value or not term.keys:
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


_LONGEST: Final = 4
"""Words of the longest expression that is looked for."""
_DEGREE: Final = frozenset(
    stem(word)
    for word in """actually altogether certainly clearly completely definitely directly entirely
    explicitly fully quite really simply totally wholly""".split()
)
_CHANGES: Final = {
    "created": "created|added|new|written",
    "modified": "modified|changed|edited|updated",
    "deleted": "deleted|removed|gone",
    "renamed": "renamed|moved",
    "read": "read|opened|viewed|looked at",
}
_PLAIN_CHANGE: Final = re.compile(
    r"(?:the file )?(?P<path>\S+) (?:was|is|has been|were|got) (?:(?:newly|only|just) )?(?:"
    + "|".join(f"(?P<{change}>{words})" for change, words in _CHANGES.items())
    + r")(?: (?:to|as) (?P<new>\S+))?\.?"
)


class Keyed:
    """A statement as texts are asked for it; equal statements share one (see :func:`asked_of`)."""

    def __init__(self, statement: Statement) -> None:
        match = None if statement.keys else _PLAIN_CHANGE.fullmatch(normalize(statement.text))
        if match:  # the path and the change are its keys, if it says nothing further
            path = match["new"] or match["path"]
            change = next(change for change in _CHANGES if match[change])
            if is_path(path) and (change == "renamed" or not match["new"]):
                statement = replace(statement, keys=((path,),), change=change)
        self.own = language_of(statement.text, statement.language)
        """The language of its own text."""
        self.prose = self.own != "en" and not statement.keys
        if self.prose:
            statement = replace(statement, keys=((statement.text, *statement.aliases),))
        elif given := dict(statement.keys_in).get(self.own):
            statement = replace(statement, keys=given)
        self.statement = statement
        self._asked: dict[str, Asked | None] = {}

    def asked_in(self, code: str) -> Asked | None:
        """The groups for sentences of a language; ``None`` where nothing of it stands in them.

        Names, numbers and paths stand in any. English has rules of its own, see ``wanted``.
        """
        if code not in self._asked:
            keys = self.keys_for(code)
            meant = None if code == self.own else self._own_polarity()
            asked = None if keys is None else Asked(keys, code, self.statement, meant)
            self._asked[code] = asked
        return self._asked[code]

    def reads(self, code: str) -> bool:
        """Whether an absence of the statement in prose of a language can be told."""
        if self.prose:
            return False
        return self.keys_for(code) is not None and (is_read(code) or self.names is not None)

    def keys_for(self, code: str) -> Keys | None:
        """The key groups by which sentences of a language can be read, if there are any."""
        statement = self.statement
        given = dict(statement.keys_in).get(code)
        if given or code == self.own:
            return given or statement.keys or ((statement.text, *statement.aliases),)
        keys = statement.keys or ((statement.text, *statement.aliases),)
        groups = tuple(names_among(group, self.own) for group in keys)
        return groups if all(groups) else None

    @cached_property
    def names(self) -> Asked | None:
        """The groups for sentences of a language without rules: names, numbers and paths alone."""
        statement = self.statement
        keys = tuple(names_among(group, self.own) for group in statement.keys)
        return Asked(keys, "zh", statement, self._own_polarity()) if keys and all(keys) else None

    @cached_property
    def in_english(self) -> Keyed | None:
        """A statement in another language as English sentences are asked for it."""
        keys = self.keys_for("en")
        if keys is None:
            return None
        statement = replace(self.statement, keys=keys, language="en", keys_in=())
        found = Keyed(statement)
        found.own = self.own
        meant = self._own_polarity()
        deny = any(all(sense_of(normalize(one)).cues for one in group) for group in keys)
        inner = REVERSING if deny else REVERSING - {"rejected"}  # "dropped" may be a mere deed
        found.__dict__["meant"] = Signature(int(meant.all), int(meant.last), meant.open, inner)
        return found

    def _own_polarity(self) -> Polarity:
        if self.own == "en":
            meant = self.meant
            return Polarity(bool(meant.all), bool(meant.last), meant.open)
        own = self.asked_in(self.own)
        return PLAIN_POLARITY if own is None else own.meant

    @cached_property
    def wanted(self) -> Wanted:
        """The key groups, read."""
        return tuple(
            tuple(
                one
                for form in group
                for same in reworded(alternative(form))
                for one in (same, *_denials(same))
            )
            for group in self.statement.keys
        )

    @cached_property
    def asserts(self) -> bool:
        """Whether neither the text nor any alternative denies, replaces or supposes anything."""
        own = parse(normalize(self.statement.text), {})
        asked = (one for group in self.statement.keys for one in map(alternative, group))
        return not (own.sense.cues or denies(own)) and not any(
            one.negative or any(key in _DENYING for term in one.terms for key in term.keys[:1])
            for one in asked
        )

    @cached_property
    def is_step(self) -> bool:
        """Whether it is a step that a list of what is not done yet states."""
        return is_step(self.statement.text, self.statement.type) and not self.meant.all

    @cached_property
    def meant(self) -> Signature:
        """Polarity of the statement by its keys; a plan states a plan, a rule or a decision."""
        text, type = self.statement.text, self.statement.type
        parsed = parse(normalize(text), in_lower_case(camel_names(text)))
        groups = [[KeyMatch(match) for match in parsed.matches_of(group)] for group in self.wanted]
        own = PLAIN  # if it does not hold the keys
        if groups and all(groups):
            weighed = weigh(parsed, groups, ())
            if weighed.outcome != "stated":  # "may be printed": what is allowed is only supposed
                supposed = weigh(parsed, groups, (), Signature(open=CLAIMED))
                claimed = weighed.signature.open == CLAIMED
                weighed = supposed if claimed or supposed.outcome == "stated" else weighed
            own = weighed.signature
        plans = type in _PLANS or is_step(text, type)
        return replace(own, open=max(own.open, PLANNED)) if plans else own


_PLANS: Final = frozenset({"constraint", "decision"})
asked_of = lru_cache(maxsize=8192)(Keyed)
"""The statement, read once."""


@lru_cache(maxsize=8192)
def reworded(asked: Alternative) -> tuple[Alternative, ...]:
    """The alternative, and how else the same may be put.

    What is a set expression as a whole is not asked for by its one content word: "left out" is not
    any "left".
    """
    if asked.relation:
        return (asked,)
    words = raw_tokens(asked.normal.replace("-", " "))
    keys = same_expressions(tuple(map(base_stem, words)))
    if keys and len(asked.terms) < len(words) and not asked.negative:
        return (replace(asked, terms=(Term(keys),)),)
    firm = tuple(term for term in asked.terms if term.is_value or _DEGREE.isdisjoint(term.keys[:1]))
    without_degree = [replace(asked, normal="", terms=firm)] if firm and firm != asked.terms else []
    return (asked, *_by_expression(asked, words), *without_degree)


def _by_expression(asked: Alternative, words: list[str]) -> Iterator[Alternative]:
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST, len(words)) + 1):
            row = words[start:end]
            keys = same_expressions(tuple(map(base_stem, row)))
            if keys and not NEGATIONS.intersection(row):
                inside = {term for word in row for term in alternative(word).terms}
                others = tuple(term for term in asked.terms if term not in inside)
                yield replace(asked, normal="", terms=(Term(keys), *others))
