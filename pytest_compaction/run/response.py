"""The strategy and trial under test, the models of the three roles, and a response."""

from __future__ import annotations

from dataclasses import dataclass, field

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.survival import Readings, Source
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import Model
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.feeder import Step


@dataclass(frozen=True, slots=True)
class Arm:
    """One strategy in one trial, at a budget in tokens (``None``: that of the case)."""

    compactor: str
    trial: int = 1
    budget: int | None = None

    def budget_in(self, case: Case) -> int:
        """The tokens that a view of this case may take."""
        return case.budget if self.budget is None else self.budget


@dataclass(frozen=True, slots=True)
class Roles:
    """The models of the three roles and how tokens are counted."""

    compaction: Model
    responder: Model
    judges: tuple[Model, ...]
    tokens: TokenCounter

    @property
    def judge(self) -> Model:
        """The first judge, for callers that need a single one."""
        return self.judges[0]

    @property
    def leads(self) -> Source:
        """What makes the score: the view if the offline model answers, or else the answer."""
        return "view" if self.responder.name == offline.NAME else "answer"


@dataclass(frozen=True, slots=True)
class NullReading:
    """What a null states at the tokens of the view under test.

    ``overall`` is its survival, 0 to 5, and ``stated`` the share of the probe's facts, 0 to
    1; ``tokens`` are those of the view of the null, 0 if it could not be made so small.
    """

    name: str
    overall: float
    stated: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to a probe, with what is known about the view that it was answered from.

    ``reading`` is what the view does with each of the probe's facts and traps. ``leads`` says
    whether the view or the answer makes the score: the view where rules answered.
    ``view_tokens`` are the tokens of the view; if the server edited it, those that the
    server read. ``latency_s`` is in seconds. ``failure`` says why there is nothing to
    judge: the compaction failed and no model was asked, or the endpoint did not compact.
    ``nulls`` says what each null states at equal tokens; empty for a null or the control.
    """

    text: str
    probe: Probe = field(repr=False)
    case: Case = field(repr=False)
    arm: Arm
    log_tokens: int
    view_tokens: int
    reading: Readings = field(repr=False)
    prompt_hash: str
    usage: Usage = Usage()
    compaction_usage: Usage = Usage()
    latency_s: float | None = None
    steps: tuple[Step, ...] = field(default=(), repr=False)
    failure: str | None = None
    leads: Source = "answer"
    nulls: tuple[NullReading, ...] = field(default=(), repr=False)

    @property
    def survives(self) -> tuple[bool, ...]:
        """Whether the view states each of the probe's facts."""
        return self.reading.stated

    @property
    def budget(self) -> int:
        """The tokens that the view may take."""
        return self.arm.budget_in(self.case)
