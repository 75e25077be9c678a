"""A statement's own text, read for comparison with a passage that holds its words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.alternatives import Term, alternative, is_value
from pytest_compaction.text.parsed import Parsed, parse
from pytest_compaction.text.words import normalize

STOP: Final = re.compile(r"[;:()]|, |\. | - |\b(?:and|but|while|so|because|since|which)\b")
"""Where a clause ends, or something else begins."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """A statement's own text, read, with its content words and values."""

    parsed: Parsed
    terms: tuple[Term, ...]


@lru_cache(maxsize=4096)
def meaning(text: str) -> Meaning:
    """Read the text of a statement."""
    normal = normalize(text)
    terms = alternative(normal).terms
    relation = alternative(normal).relation
    if relation:
        terms = tuple(
            term for side in (relation.first, relation.second) for term in alternative(side).terms
        )
    return Meaning(parse(normal, {}), terms)


def is_name(term: Term) -> bool:
    """Whether a term asks for a path or an identifier and not for a word or a value."""
    return not term.keys or (not is_value(term) and not str(term.keys[0]).isalpha())
