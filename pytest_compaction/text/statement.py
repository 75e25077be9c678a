"""What a text may state: a fact with its key groups, and how these are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pytest_compaction.text.keys.alternatives import Wanted, alternative
from pytest_compaction.text.keys.reworded import reworded
from pytest_compaction.text.sentences.groups import PLAIN, Found, Signature, weigh
from pytest_compaction.text.sentences.names import camel_names, in_lower_case
from pytest_compaction.text.sentences.negatives import denies, is_denial, wordings
from pytest_compaction.text.sentences.parsed import parse
from pytest_compaction.text.words import normalize


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text may state: a fact, or its counterpart.

    ``keys`` are groups of alternatives; one alternative of every group must stand in one
    clause. Without keys the wording of ``text`` or of one of the ``aliases`` decides.
    ``counterparts`` are what would be wrong in its place, such as a value from before.
    ``change`` is what happened to the file that the keys name: created, modified, deleted,
    renamed or read. ``type`` is what the fact is about, such as ``next_step``; what is to be
    done is not stated where it is done, nor the reverse.
    """

    text: str
    aliases: tuple[str, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    counterparts: tuple[Statement, ...] = ()
    change: str | None = None
    type: str | None = None


@lru_cache(maxsize=4096)
def wanted_groups(statement: Statement) -> Wanted:
    """The key groups of a statement, read."""
    return tuple(
        tuple(
            one for form in group for same in reworded(alternative(form)) for one in wordings(same)
        )
        for group in statement.keys
    )


@lru_cache(maxsize=4096)
def asserts(statement: Statement) -> bool:
    """Whether neither the text nor any alternative denies, replaces or supposes anything."""
    own = parse(normalize(statement.text), {})
    asked = (one for group in statement.keys for one in map(alternative, group))
    return not (
        own.sense.cues or denies(own) or any(one.negative or is_denial(one) for one in asked)
    )


@lru_cache(maxsize=4096)
def signature_of(statement: Statement) -> Signature:
    """How the statement's own wording reads by its own keys; plain if it does not hold them."""
    parsed = parse(normalize(statement.text), in_lower_case(camel_names(statement.text)))
    groups = [
        [Found(match) for wanted in group for match in parsed.matches(wanted)]
        for group in wanted_groups(statement)
    ]
    if not groups or not all(groups):
        return PLAIN
    weighed = weigh(parsed, groups, ())
    if weighed.outcome != "stated":  # "may be printed": what is allowed is only supposed
        supposed = weigh(parsed, groups, (), Signature(open=True))
        weighed = supposed if supposed.outcome == "stated" else weighed
    return weighed.signature
