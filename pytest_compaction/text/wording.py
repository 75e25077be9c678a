"""Statements without keys: how much of their wording one sentence holds, with the same polarity."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pytest_compaction.text.alternatives import (
    Alternative,
    Term,
    Wanted,
    alternative,
)
from pytest_compaction.text.binding import bound_otherwise
from pytest_compaction.text.cues import Cue
from pytest_compaction.text.denials import idea_rejected, verb_affirmed, verb_denied, word_denied
from pytest_compaction.text.differences import affirmed, difference
from pytest_compaction.text.groups import RANK, Found, Weighed, weigh
from pytest_compaction.text.overlap import Overlap, PreparedText, overlaps
from pytest_compaction.text.parsed import Parsed, joined, parse
from pytest_compaction.text.sentence_index import SentenceIndex
from pytest_compaction.text.statement import Outcome
from pytest_compaction.text.statement_keys import denies
from pytest_compaction.text.words import is_path, normalize, path_suffixes, raw_tokens

STATED_SHARE: Final = 0.75
UNCERTAIN_SHARE: Final = 0.5
"""Shares of a statement's ordinary content words from which one sentence states it, or may."""


CENTRAL: Final = 0.5
"""Share of the words found that a negation must reach to contradict a graded statement."""

PLACES: Final = 4
"""The most places of a text that are read for one graded statement, the fullest first."""

_APPOSED: Final = re.compile(r"(?<=[a-z]) ?, \d{1,3} ?,(?= [a-z])")
"""A bare number between commas, such as an age: it belongs to the name before it."""

Decision = tuple[Outcome, int | None, Weighed | None]
"""An outcome, the number of the sentence that decided, and how it was weighed."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What a statement's own words ask for: exact tokens, other words, and its polarity."""

    whole: Alternative
    exact: tuple[Term, ...]
    prose: tuple[Term, ...]
    negative: bool


@lru_cache(maxsize=8192)
def wording(form: str) -> Wording:
    """Read one form of a statement."""
    whole = alternative(form)
    tokens = set(raw_tokens(whole.normal))
    exact = tuple(term for term in whole.terms if _is_exact(term, tokens))
    prose = tuple(term for term in whole.terms if term not in exact)
    return Wording(whole, exact, prose, whole.negative)


def _is_exact(term: Term, tokens: set[str]) -> bool:
    if not term.keys:
        return True
    key = term.keys[0]
    if not isinstance(key, str):
        return True
    return not key.isalpha() or (len(term.keys) > 1 and isinstance(term.keys[1], tuple))


def read(form: str, index: SentenceIndex) -> Decision:
    """The outcome for one form, the sentence that decided, and why."""
    normal = normalize(form)
    if not normal:
        return "absent", None, None
    if " " not in normal and is_path(normal) and path_suffixes(normal):
        if index.has_path(normal):
            return "stated", None, None
        if raw_tokens(normal) == path_suffixes(normal)[:1]:
            return "absent", None, None
    asked = wording(form)
    if len(asked.exact) == 1 and not asked.prose and not asked.exact[0].is_value:
        held = sorted(index.holders(asked.exact))
        named = (number for number in held if index.parsed(number).matches(asked.whole))
        first = next(named, None)
        missing = first is None and not index.contains(normal)
        return ("absent" if missing else "stated", first, None)
    best = _read_literal(normal, index)
    if best[0] != "stated":
        best = max(best, _read_share(form, index), key=lambda one: RANK[one[0]])
    return best


def read_graded(
    form: str, text: PreparedText, type: str | None = None
) -> tuple[Outcome, str, tuple[str, ...], str]:
    """The outcome by graded overlap: how much of the form one place of the text holds.

    The words found must have its polarity, and the place must not say something else with them
    or say it of another thing. ``type`` is that of the statement.
    Gives the outcome, the passage, the words found, and why.
    """
    asked = wording(form)
    places = overlaps(form, text, UNCERTAIN_SHARE, PLACES)
    readings = [_read_place(form, type, asked, held, text) for held in places]
    if not readings:
        return "absent", "", (), "too few of its words in one place"
    return max(readings, key=lambda one: RANK[one[0]])


def _read_place(
    form: str, type: str | None, asked: Wording, held: Overlap, text: PreparedText
) -> tuple[Outcome, str, tuple[str, ...], str]:
    """What one place of a text does with a form: its share of the words, and their polarity."""
    graded = held.outcome
    why = f"{held.share:.0%} of its words in one place"
    outcome: Outcome = graded
    parsed = parse(normalize(held.sentence), {})
    weighed = _weigh(asked, parsed, all_exact=False)
    denied = weighed is not None and weighed.outcome == "contradicted"
    if (
        weighed
        and denied
        and _is_central(asked, parsed, weighed)
        and not _deny_alike(asked, parsed)
    ):
        outcome, why = ("contradicted" if graded == "stated" else "absent"), weighed.why
    elif weighed and weighed.outcome == "uncertain" and "only" in weighed.why:
        outcome = "uncertain"
    if outcome == "stated" and any(cue.whole for cue in parsed.sense.cues):
        outcome, why = "contradicted", "the sentence is taken back"
    other = _said_otherwise(form, type, asked, parsed, held, text) if outcome == "stated" else None
    if other:
        outcome, why = "uncertain", other
    return outcome, held.sentence, held.found, why


def _deny_alike(asked: Wording, parsed: Parsed) -> bool:
    """Whether both deny something, and no word that stands in both only in one of them."""
    own = parse(asked.whole.normal, {})
    mine, theirs = (
        [cue for cue in one.sense.cues if cue.kind == "negated"] for one in (own, parsed)
    )
    held = [term for term in asked.whole.terms if parsed.term_places(term)]
    return bool(mine and theirs) and all(
        _reached(own, term, mine) >= _reached(parsed, term, theirs) for term in held
    )


def _reached(parsed: Parsed, term: Term, cues: Sequence[Cue]) -> bool:
    return any(cue.reaches(*span) for span in parsed.term_places(term) for cue in cues)


def _said_otherwise(
    form: str, type: str | None, asked: Wording, parsed: Parsed, held: Overlap, text: PreparedText
) -> str | None:
    """What a place that holds the words says instead, or of which other thing it says it.

    Clauses between semicolons are read together: one may give to another thing what the
    statement says. Capitals tell nothing there, since a prose name may be of a person, a place or
    a house, and only what is of one kind can stand in the other's place.
    """
    sentences = _full_sentence(text.sentences, held.number or 0)
    around = joined([parse(_APPOSED.sub("", normalize(one)), {}) for one in sentences])
    groups: Wanted = tuple(
        (replace(asked.whole, normal="", terms=(term,), negative=False, relation=None),)
        for term in asked.whole.terms
    )
    return (
        difference(form, around, type)
        or affirmed(form, parsed)
        or verb_denied(form, around)
        or verb_affirmed(form, around)
        or idea_rejected(form, around)
        or (_asserts(form) and word_denied(form, around))
        or bound_otherwise(form, groups, around)
    )


def _asserts(form: str) -> bool:
    own = parse(normalize(form), {})
    return not own.sense.cues and not denies(own)


def _full_sentence(sentences: Sequence[str], number: int) -> Sequence[str]:
    """This sentence with those that only semicolons part from it, in order."""
    first, end = number, number + 1
    while first and sentences[first - 1].endswith(";"):
        first -= 1
    while end < len(sentences) and sentences[end - 1].endswith(";"):
        end += 1
    return sentences[first:end]


def _is_central(asked: Wording, parsed: Parsed, weighed: Weighed) -> bool:
    """Whether a negation reaches what a statement says in the end, or a good part of its words."""
    if weighed.signature.last:
        return True
    found = [_found(parsed, term)[0].match for term in asked.whole.terms if _found(parsed, term)]
    reached = max(
        (sum(cue.reaches(one.start, one.end) for one in found) for cue in parsed.sense.cues),
        default=0,
    )
    return reached >= CENTRAL * len(found)


def _read_literal(normal: str, index: SentenceIndex) -> Decision:
    if not index.contains(normal):
        return "absent", None, None
    wanted = alternative(normal)
    best: Decision = ("absent", None, None)
    held = False
    for number in index.literal(normal):
        held = True
        if index.sentences[number].removed:
            continue
        parsed = index.parsed(number)
        found = [Found(match) for match in parsed.matches(wanted)]
        weighed = weigh(parsed, [found], ())
        if RANK[weighed.outcome] > RANK[best[0]]:
            best = (weighed.outcome, number, weighed)
        if weighed.outcome == "stated":
            return best
    return best if held else ("stated", None, None)


def _read_share(form: str, index: SentenceIndex) -> Decision:
    asked = wording(form)
    best: Decision = ("absent", None, None)
    for number, share in _shares(asked, index):
        if share < UNCERTAIN_SHARE:
            break
        weighed = None if index.sentences[number].removed else _weigh(asked, index.parsed(number))
        if weighed is None:
            continue
        outcome = weighed.outcome
        if share < STATED_SHARE:
            outcome = "uncertain" if outcome == "stated" else "absent"
        if RANK[outcome] > RANK[best[0]]:
            best = (outcome, number, weighed)
        if outcome == "stated":
            break
    return best


def _shares(asked: Wording, index: SentenceIndex) -> list[tuple[int, float]]:
    """The sentences with all exact tokens and their share of the other words, best first."""
    if not asked.exact and len(asked.prose) < 2:
        return []
    names = [term for term in asked.exact if not term.is_value]
    figures = [term for term in asked.exact if term.is_value]
    candidates = index.holders(names) if names else None
    counts: dict[int, int] = defaultdict(int)
    for term in asked.prose:
        for number in index.holders([term]):
            if candidates is None or number in candidates:
                counts[number] += 1
    least = UNCERTAIN_SHARE * len(asked.prose)
    near: AbstractSet[int] | None = {number for number, count in counts.items() if count >= least}
    if not asked.prose:
        near = candidates if candidates is not None else None
    if figures:
        near = index.holders(figures, near)
    if not asked.prose:
        return [(number, 1.0) for number in sorted(near or ())]
    shares = [(number, counts[number] / len(asked.prose)) for number in near or ()]
    return sorted(shares, key=lambda pair: (-pair[1], pair[0]))


def _weigh(asked: Wording, parsed: Parsed, all_exact: bool = True) -> Weighed | None:
    """The polarity of the words of the statement in one sentence, against its own."""
    if all_exact and not all(_found(parsed, term) for term in asked.exact):
        return None
    terms = [term for term in asked.whole.terms if _found(parsed, term)]
    if not terms:
        return None
    own = parse(asked.whole.normal, {})
    if not all(_found(own, term) for term in terms):
        return weigh(parsed, [_found(parsed, term) for term in terms], ())
    meant = weigh(own, [_found(own, term) for term in terms], ()).signature
    return weigh(parsed, [_found(parsed, term) for term in terms], (), meant, strict=True)


def _found(parsed: Parsed, term: Term) -> list[Found]:
    wanted = Alternative("", (term,), negative=False)
    return [Found(match) for match in parsed.matches(wanted)][:1]
