"""What a language says of a statement: negations, changes, suppositions and times, as data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal[
    "negated",
    "replaced",
    "rejected",
    "past",
    "supposed",
    "conditional",
    "asked",
    "planned",
    "uncertain",
    "claimed",
]
"""What a cue makes of what it reaches."""
Reach = Literal["after", "before", "both", "rest", "sentence"]
"""What a cue changes: what stands behind it in its clause, before it, both, all that follows it in
the sentence, or all of the sentence."""


@dataclass(frozen=True, slots=True)
class Form:
    """Expressions of one kind, as a pattern of a normalised sentence.

    Where the pattern has a group ``old``, the cue reaches what that holds and nothing else.
    """

    kind: Kind
    reach: Reach
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Language:
    """The rules of one language. ``common`` are its function words, which carry no content.

    ``clause`` matches where a clause begins. ``no_subject`` matches what may stand before a verb
    that shares the subject of the clause before it, and ``no_object`` all that may then follow.
    ``ahead`` and ``done`` tell a plan from what happened. ``units`` and ``numerals`` are its words
    for units and numbers, each with what ``values`` reads for it.
    """

    code: str
    common: frozenset[str]
    clause: re.Pattern[str]
    no_subject: re.Pattern[str]
    no_object: re.Pattern[str]
    ahead: re.Pattern[str]
    done: re.Pattern[str]
    forms: tuple[Form, ...] = ()
    stemmer: str = ""
    units: Mapping[str, str] = field(default_factory=dict)
    numerals: Mapping[str, str] = field(default_factory=dict)
    decimal_comma: bool = False
    concord: bool = False
    """Whether two negations in one clause are one, as in "no hay nada"."""
    changes: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    """What says that a file was created, modified, deleted, renamed or read."""
    particles: str = ""
    """Signs at which a row of signs may be taken apart."""


def forms(*rows: tuple[Kind, Reach, str]) -> tuple[Form, ...]:
    """The forms of a table of kind, reach and pattern."""
    return tuple(Form(kind, reach, re.compile(pattern)) for kind, reach, pattern in rows)


def patterns(**rows: str) -> dict[str, re.Pattern[str]]:
    """Patterns by name."""
    return {name: re.compile(pattern) for name, pattern in rows.items()}


def words(table: str) -> dict[str, str]:
    """What stands for each word of a table of rows such as ``seconds: Sekunde Sekunden``."""
    rows = (row.partition(": ") for row in table.split("; "))
    return {word: meant.strip() for meant, _, known in rows for word in known.split()}


def counted(small: str, tens: str) -> dict[str, str]:
    """The digits of number words: the small ones from two on, and the tens from twenty on."""
    return {word: str(number) for number, word in enumerate(small.split(), start=2)} | {
        word: str(10 * number) for number, word in enumerate(tens.split(), start=2)
    }
