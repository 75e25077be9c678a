"""A dialogue, the answers of two arms to its user turns, and how far the answers agree."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, Final

TASKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "AR": "Anaphora Resolution",
        "CC": "Content Confusion",
        "CM": "Context Memory",
        "CR": "Content Rephrasing",
        "FR": "Format Rephrasing",
        "GR": "General Reasoning",
        "IC": "Instruction Clarification",
        "MR": "Mathematical Reasoning",
        "PI": "Proactive Interaction",
        "SA": "Self-affirmation",
        "SC": "Self-correction",
        "SI": "Separate Input",
        "TS": "Topic Shift",
    }
)
"""The tasks of MT-Bench-101 by code (Bai et al., ACL 2024)."""

RECORD_TYPE: Final = "dialogue"
"""The ``type`` of a record that holds a dialogue, under the key ``comparison``."""
CHAT: Final = "chat"
"""The task of a dialogue whose file names no task."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """A recorded tool call: ``arguments`` is JSON text, ``result`` the text of the tool."""

    name: str
    arguments: str = "{}"
    result: str = ""
    is_error: bool = False


@dataclass(frozen=True, slots=True)
class UserTurn:
    """The text of the user, the recorded answer, and before it the calls, grouped by message."""

    user: str
    reference: str
    calls: tuple[tuple[RecordedCall, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Recorded turns to be answered again; ``named`` is the id as the file has it, if it does."""

    id: str
    task: str
    turns: tuple[UserTurn, ...]
    source: str = ""
    system: str = ""
    named: str = ""


@dataclass(frozen=True, slots=True)
class TurnReply:
    """An answered turn with the tokens of its prompt and of the answer.

    ``calls`` are the tools that this arm called itself, ``summarised`` says whether the prompt had
    a summary.
    """

    text: str
    prompt_tokens: int
    completion_tokens: int
    calls: tuple[str, ...] = ()
    summarised: bool = False
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """One pass over a dialogue by one arm, and what its summaries took."""

    replies: tuple[TurnReply, ...]
    generation_tokens: int = 0
    generation_calls: int = 0

    @property
    def prompt_tokens(self) -> int:
        return sum(reply.prompt_tokens for reply in self.replies)

    @property
    def completion_tokens(self) -> int:
        return sum(reply.completion_tokens for reply in self.replies)


@dataclass(frozen=True, slots=True)
class TrialMatch:
    """How far one trial of the summary arm agrees with the baseline; all figures in 0..1.

    ``turns`` has the consistency and ``retained`` the retention of every turn, if known. ``kept``
    and ``extracted`` count the key items of retention by rules.
    """

    consistency: float | None
    retention: float | None
    turns: tuple[float, ...] = ()
    retained: tuple[float, ...] = ()
    kept: int | None = None
    extracted: int | None = None
    unscored: str = ""


@dataclass(frozen=True, slots=True)
class BothArms:
    """One dialogue answered by both arms, as a record of the evaluation holds it.

    ``method`` says how answers were compared: ``lexical`` or ``model``.
    """

    dialogue_id: str
    task: str
    turns: int
    baseline: tuple[Trial, ...]
    summary: tuple[Trial, ...]
    agreements: tuple[TrialMatch, ...]
    method: str = "lexical"

    @property
    def summarised(self) -> bool:
        """Whether any prompt of any trial had a summary."""
        return any(reply.summarised for trial in self.summary for reply in trial.replies)

    @property
    def paid(self) -> bool:
        return any(trial.generation_tokens for trial in self.summary)

    @property
    def unscored(self) -> int:
        return sum(agreed.consistency is None for agreed in self.agreements)

    def as_json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> BothArms:
        return cls(
            **{
                **data,
                **{arm: tuple(map(_trial, data[arm])) for arm in ("baseline", "summary")},
                "agreements": tuple(TrialMatch(**_tuples(item)) for item in data["agreements"]),
            }
        )


def _trial(data: Mapping[str, Any]) -> Trial:
    return Trial(
        **{**data, "replies": tuple(TurnReply(**_tuples(item)) for item in data["replies"])}
    )


def _tuples(data: Mapping[str, Any]) -> dict[str, Any]:
    """The members of an object, their lists as tuples."""
    return {key: tuple(each) if isinstance(each, list) else each for key, each in data.items()}
