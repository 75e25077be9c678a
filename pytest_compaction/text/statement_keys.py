"""How a statement is asked for: its key groups, its own polarity, and its signature."""

from __future__ import annotations

from functools import lru_cache

from pytest_compaction.text.keys.alternatives import Wanted, alternative
from pytest_compaction.text.keys.reworded import reworded
from pytest_compaction.text.sentences.groups import PLAIN, Found, Signature, weigh
from pytest_compaction.text.sentences.names import camel_names, in_lower_case
from pytest_compaction.text.sentences.negatives import denies, is_denial, wordings
from pytest_compaction.text.sentences.parsed import parse
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.words import normalize


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
        [Found(match) for match in parsed.matches_of(group)] for group in wanted_groups(statement)
    ]
    if not groups or not all(groups):
        return PLAIN
    weighed = weigh(parsed, groups, ())
    if weighed.outcome != "stated":  # "may be printed": what is allowed is only supposed
        supposed = weigh(parsed, groups, (), Signature(open=True))
        weighed = supposed if supposed.outcome == "stated" else weighed
    return weighed.signature
