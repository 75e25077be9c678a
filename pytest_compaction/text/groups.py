"""Whether one sentence states what key groups ask for: all groups, with the right polarity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final

from pytest_compaction.text.alternatives import Match
from pytest_compaction.text.cues import REVERSING, Cue
from pytest_compaction.text.parsed import Parsed
from pytest_compaction.text.statement import Outcome
from pytest_compaction.text.words import stem

MAX_CHOICES: Final = 128
"""The most ways of choosing one match of each group that are weighed in one sentence."""

RANK: Final = {"stated": 3, "contradicted": 2, "uncertain": 1, "absent": 0, "unread": 0}

_REJECTING: Final = frozenset(
    stem(word)
    for word in """reject abandon revert undo undone discard drop dismiss withdraw decline
    cancel rollback""".split()
)
"""A statement with one of these words is about a rejection, however the text words it."""
_PLAIN_KIND: Final = {
    "negated": "negated by",
    "replaced": "replaced:",
    "rejected": "rejected:",
    "past": "no longer so:",
    "supposed": "only supposed:",
    "conditional": "only on a condition:",
    "asked": "only asked:",
    "planned": "only planned:",
    "uncertain": "not sure:",
    "claimed": "only claimed or doubted:",
}


_ACTS: Final = re.compile(
    r".{0,5}?\b(?:do|does|did)(?:n't| not) (?!(?:happen|occur|exist|appear|work|apply|show|matter|"
    r"help|arise|do|take place|fit|match|count|run)\b)\w"
)
"""Negated actions of a thing that is there all the same."""
_DETERMINER: Final = re.compile(r"\b(?:the|an?|this|that|its|their|our|as|to|in|of|for)\b|[,:;(]")
_NEED: Final = re.compile(r" (?:need|require|have to|has to|call for)")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """A match of one group; ``own`` if it stands in the sentence and not in a heading above it."""

    match: Match
    own: bool = True


@dataclass(frozen=True, slots=True)
class Signature:
    """Polarity: reversals of the whole statement and of its last group, modulo 2.

    ``open`` is 1 where it is planned, 2 where it is supposed or asked, and 3 where others claim it,
    it is doubted, or a condition stands before it. ``inner`` are kinds of cues that count
    among the words asked for as well.
    """

    all: int = 0
    last: int = 0
    open: int = 0
    inner: frozenset[str] = frozenset()


PLAIN: Final = Signature()
PLANNED: Final = 1
CLAIMED: Final = 3
_OPEN: Final = {"planned": PLANNED, "claimed": CLAIMED, "conditional": CLAIMED}


def openness(cues: Iterable[Cue]) -> int:
    """How open these cues leave what they reach, as in :class:`Signature`."""
    return max((_OPEN.get(cue.kind, 2) for cue in cues if cue.kind not in REVERSING), default=0)


@dataclass(frozen=True, slots=True)
class Weighed:
    """Outcome of the key groups in one sentence; ``width`` is the span of the words."""

    outcome: Outcome
    words: tuple[str, ...]
    why: str
    signature: Signature
    width: int


def weigh(
    sentence: Parsed,
    groups: Sequence[Sequence[KeyMatch]],
    above: Sequence[Cue],
    meant: Signature = PLAIN,
    strict: bool = False,
) -> Weighed:
    """The best that the sentence does with the groups, over all choices of their matches.

    ``above`` are the cues of the headings and lead-ins. ``meant`` is how the statement's own
    wording reads by its own keys, so that "A was chosen instead of B" may hold a group for B.
    ``strict`` asks for just that polarity, where nothing else says which one the words have.
    """
    cues = sentence.sense.cues
    own = [one.match for group in groups for one in group if one.own]
    whole = None  # "it is false that", if all that stands in the sentence stands behind it
    for cue in cues if own else ():
        if cue.whole and all(cue.reaches_any(one.spans) and not _holds(one, cue) for one in own):
            whole = cue
            break
    if whole is not None:
        rest = tuple(cue for cue in cues if cue is not whole)
        inner = replace(sentence, sense=replace(sentence.sense, cues=rest))
        found, why = weigh(inner, groups, above, meant, strict), _reason(whole, sentence)
        if found.outcome == "stated":
            return replace(found, outcome="contradicted", why=why)
        if found.outcome == "contradicted":
            return replace(found, outcome="stated", why=f"{found.why}; {why}")
        return found
    best: Weighed | None = None
    for choice in sorted(islice(product(*groups), MAX_CHOICES), key=_width):
        weighed = _weigh_choice(sentence, choice, above, meant, strict)
        if best is None or RANK[weighed.outcome] > RANK[best.outcome]:
            best = weighed
        if best.outcome == "stated":  # no wider choice is better
            break
    assert best is not None, "a group without matches"  # noqa: S101
    return best


def choices(groups: Sequence[Sequence[Match]]) -> list[tuple[Match, ...]]:
    """The choices of one match of each group, those that stand close together first."""
    found = islice(product(*groups), MAX_CHOICES) if groups and all(groups) else ()
    return sorted(found, key=width)


def width(choice: Sequence[Match]) -> int:
    """The room that the words take."""
    return max(match.end for match in choice) - min(match.start for match in choice)


def _width(choice: Sequence[KeyMatch]) -> int:
    return width([found.match for found in choice if found.own])


def _weigh_choice(
    sentence: Parsed,
    choice: Sequence[KeyMatch],
    above: Sequence[Cue],
    meant: Signature,
    strict: bool,
) -> Weighed:
    own = [found.match for found in choice if found.own]
    words = tuple(
        " ".join(sentence.normal[start:end] for start, end in found.match.spans)
        if found.own
        else found.match.alternative.normal
        for found in choice
    )
    width = _width(choice)
    spent = [cue for cue in sentence.sense.cues if any(_holds(match, cue) for match in own)]
    named = [found.match for found in choice if not found.own]
    outer = [cue for cue in above if not any(_holds(match, cue) for match in named)]
    cues = [cue for cue in sentence.sense.cues if cue not in spent]
    if (
        not meant.inner
        and any(cue.kind == "rejected" for cue in cues)
        and (
            any(cue.kind == "rejected" for cue in spent)
            or any(
                not _REJECTING.isdisjoint(term.keys[:1])
                for found in choice
                for term in found.match.alternative.terms
            )
        )
    ):  # what was asked for is itself a rejection
        cues = [cue for cue in cues if cue.kind != "rejected"]
    reasons: list[str] = []
    hits = [(cue, *_hits(cue, choice)) for cue in cues]
    reached = [(cue, last) for cue, hit, last in hits if hit]
    is_open = openness([*outer, *(cue for cue, _ in reached)])
    if is_open == CLAIMED and meant.open < CLAIMED:
        why = "; ".join(_reason(cue, sentence) for cue, _ in reached if openness([cue]) == CLAIMED)
        why = why or "by the heading or lead-in above"
        return Weighed("uncertain", words, why, Signature(open=CLAIMED), width)
    for found in choice:
        if not (found.match.alternative.negative and found.match.whole is None):
            continue
        cue = next((cue for cue in [*cues, *outer] if _reverses(sentence, cue, found)), None)
        if cue is None:
            why = f'without the negation of "{found.match.alternative.normal}"'
            outcome: Outcome = "uncertain" if _is_other_word(found, choice) else "contradicted"
            return Weighed(outcome, words, why, Signature(1, 1), width)
        if not meant.inner:
            (cues if cue in cues else outer).remove(cue)
    if meant.inner:  # in another language nothing tells which denials the keys hold
        reached += [(cue, _holds(own[-1], cue)) for cue in spent if cue.kind in meant.inner]
    else:
        reached = [(cue, last) for cue, last in reached if cue in cues]
    reasons += [_reason(cue, sentence) for cue, _ in reached]
    reasons += ["by the heading or lead-in above" for _ in outer]
    signature = _signature(sentence, choice, reached, outer, is_open)
    right = (
        (signature.all, signature.last) == (meant.all, meant.last)
        or ((signature.all, signature.last) == (0, 0) and not (strict or reached or outer))
        or (
            (signature.all, signature.last) == (1, 0)
            and not meant.last
            and _explained(sentence, choice)
        )
    )
    why = "; ".join(reasons)
    if is_open > meant.open:
        return Weighed("uncertain", words, why, signature, width)
    if not right:
        return Weighed("contradicted", words, why or "without its negation", signature, width)
    parts = [_parts_of(sentence, match) for match in own] if sentence.parts else []
    single = any(len(match.alternative.terms) == 1 for match in own)
    if any(len(one) > 1 for one in parts) or (single and len(set().union(*parts)) > 1):
        why = "the groups stand in different clauses"
        return Weighed("uncertain", words, why, signature, width)
    why = "all groups in one clause" if len(own) == len(choice) else "below a heading that fits"
    return Weighed("stated", words, why, signature, width)


def _signature(
    sentence: Parsed,
    choice: Sequence[KeyMatch],
    reached: Sequence[tuple[Cue, bool]],
    outer: Sequence[Cue],
    is_open: int,
) -> Signature:
    """Nested cues cancel out ("it is false that it is not …"); cues side by side do not.

    Nor does one in a heading cancel one below it.
    """
    chains: list[list[tuple[Cue, bool]]] = []
    for cue, last in reached:
        if cue.kind not in REVERSING:
            continue
        inside = next((one for one in chains if one[-1][0].reaches(*cue.at)), None)
        if inside is None:
            chains.append([(cue, last)])
        else:
            inside.append((cue, last))
    above = sum(cue.kind in REVERSING for cue in outer)
    if above and not chains:
        firm = any(cue.kind != "rejected" for cue in outer) or not _explained(sentence, choice)
        return Signature(above % 2, above % 2 if firm else 0, is_open)
    whole = bool(above) or any(len(chain) % 2 for chain in chains)
    end = bool(above) or any(sum(hit for _, hit in chain) % 2 for chain in chains)
    return Signature(int(whole), int(end), is_open)


def _hits(cue: Cue, choice: Sequence[KeyMatch]) -> tuple[bool, bool]:
    """Whether a cue reaches the statement, and whether it reaches its last group."""
    own = [found for found in choice if found.own]
    inside = [found for found in own if cue.reaches_any(found.match.spans)]
    if cue.kind in {"supposed", "conditional"} and len(inside) < len(own):
        return False, False
    if inside:
        return True, choice[-1] in inside
    behind = all(found.match.end <= cue.at[0] for found in own)
    if behind and any(cue.reaches_back(found.match.start, found.match.end) for found in own):
        return True, True
    return False, False


def _parts_of(sentence: Parsed, match: Match) -> set[int]:
    """The parts of the sentence, each with a subject and a value of its own, that hold it.

    An alternative that is complete by itself, such as "dim 238", may stand in a part of its own.
    """
    if match.whole:
        return {sentence.part(match.start)} if match.end > sentence.header else set()
    return {sentence.part(start) for start, end in match.spans if end > sentence.header}


def _reverses(sentence: Parsed, cue: Cue, found: KeyMatch) -> bool:
    """Whether a cue gives a group the negation that its alternative asks for."""
    if cue.kind not in REVERSING or cue.whole:
        return False
    if (
        found.own
        and cue.at[1]
        and _NEED.match(sentence.normal, cue.at[1], max(cue.at[1], found.match.start))
    ):  # what needs no change may have been changed
        return False
    if cue.scope == cue.before:
        return True
    if not found.own:
        return False
    if not found.match.alternative.normal and not any(
        cue.reaches(*span) and not _DETERMINER.search(sentence.normal, cue.at[1], span[0])
        for span in found.match.spans
    ):  # "not the table checks" is no negation of the verb
        return False
    return cue.reaches_any(found.match.spans) or (
        cue.reaches_back(found.match.start, found.match.end)
        and not _ACTS.match(sentence.normal[max(cue.at[0] - 5, 0) :])
    )


def _is_other_word(found: KeyMatch, choice: Sequence[KeyMatch]) -> bool:
    """Whether the verb that is to be denied is a word of another group here, such as a name."""
    return not found.match.alternative.normal and any(
        one is not found
        and one.own
        and one.match.start < found.match.end
        and found.match.start < one.match.end
        for one in choice
    )


def _holds(match: Match, cue: Cue) -> bool:
    """Whether the cue is one of the words that were asked for."""
    start, end = cue.at
    if start == end and match.whole:
        return match.whole[0] < start == match.whole[1]
    return start < end and any(at < end and start < to for at, to in match.spans)


def _explained(sentence: Parsed, choice: Sequence[KeyMatch]) -> bool:
    """Whether the last group stands in an explanation after all of the others."""
    last = choice[-1]
    if not last.own:
        return False
    others = [found.match.end for found in choice[:-1] if found.own]
    first = max(others, default=0)
    return len(choice) > 1 and any(
        first <= place <= last.match.start for place in sentence.sense.explains
    )


def _reason(cue: Cue, sentence: Parsed) -> str:
    said = sentence.normal[cue.at[0] : cue.at[1]] or "?"
    return f'{_PLAIN_KIND[cue.kind]} "{said}"'
