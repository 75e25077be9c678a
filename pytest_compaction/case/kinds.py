"""The kinds of probes, the types of facts, and which type a fact has by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, get_args

Ability = Literal[
    "abstention",
    "contradiction_resolution",
    "event_ordering",
    "information_extraction",
    "instruction_following",
    "knowledge_update",
    "multi_session_reasoning",
    "preference_following",
    "summarization",
    "temporal_reasoning",
]
"""What a question about a long conversation asks of memory, as BEAM spells it."""
ABILITIES: Final[tuple[Ability, ...]] = get_args(Ability)
"""The kinds that are answered in words of which each nugget is judged 0, ½ or 1."""
ProbeKind = Literal["recall", "file", "continuation", "decision", "compliance"] | Ability
TEXT_KINDS: Final[tuple[ProbeKind, ...]] = ("recall", "file", "continuation", "decision")
"""The kinds that are answered in words, which a judge scores by the rubric."""
CHOICE_KIND: Final[ProbeKind] = "compliance"
"""The kind that is answered with one of two options, which no judge has to read."""
PROBE_KINDS: Final[tuple[ProbeKind, ...]] = (*TEXT_KINDS, CHOICE_KIND, *ABILITIES)

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
    **dict.fromkeys(ABILITIES, "value"),
}
