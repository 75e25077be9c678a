"""The kinds of probes, the types of facts, and which type a fact has by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

ProbeKind = Literal["recall", "file", "continuation", "decision", "compliance"]
TEXT_KINDS: Final[tuple[ProbeKind, ...]] = ("recall", "file", "continuation", "decision")
"""The kinds that are answered in words, which a judge scores."""
CHOICE_KIND: Final[ProbeKind] = "compliance"
"""The kind that is answered with one of two options, which no judge has to read."""
PROBE_KINDS: Final[tuple[ProbeKind, ...]] = (*TEXT_KINDS, CHOICE_KIND)

FactType = Literal[
    "value",
    "identifier",
    "error",
    "command",
    "path",
    "state",
    "decision",
    "reason",
    "next_step",
    "constraint",
]
"""What a fact is about; each criterion of the rubric reads the facts of its own types."""

Change = Literal["created", "modified", "deleted", "renamed", "read"]
"""What happened to the file of a fact of type ``path``."""

DEFAULT_TYPE: Final[Mapping[str, FactType]] = {
    "recall": "value",
    "file": "path",
    "continuation": "next_step",
    "decision": "decision",
    "compliance": "constraint",
}
