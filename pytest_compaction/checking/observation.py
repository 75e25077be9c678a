"""What was seen of one compactor over one scenario; the checks read nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from pytest_compaction.checking.examples.scenario import Scenario
from pytest_compaction.compactors.protocol import Span, Status, Traits
from pytest_compaction.conversation.messages import Message, pending_calls
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.protocol import SummaryRequest

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A request to the summariser, its size in tokens, and whether an empty reply came back."""

    request: SummaryRequest
    tokens: int
    empty: bool = False
    failed: bool = False


@dataclass(frozen=True)
class ObservedStep:
    """One compaction. ``again``: nothing was said since the one before.

    ``log`` is everything said so far; ``before`` and ``after`` are the views, with
    their tokens; ``due`` what the strategy said of the view after.
    """

    log: Messages
    before: Messages
    after: Messages
    tokens_before: int
    tokens_after: int
    status: Status
    spans: tuple[Span, ...] = ()
    error: str | None = None
    due: str | None = None
    asked: tuple[Asked, ...] = ()
    again: bool = False
    state_before: str = ""
    state_after: str = ""

    @property
    def rewrote(self) -> bool:
        """Whether the strategy says that it changed the view."""
        return self.status in {"compacted", "truncated"}

    @cached_property
    def pending(self) -> tuple[str, ...]:
        """Ids of the calls that wait for a result at the end of the view before."""
        return pending_calls(self.before)

    @cached_property
    def said(self) -> Mapping[str, Message]:
        """The messages of the log by id."""
        return {message.id: message for message in self.log}

    @cached_property
    def by(self) -> frozenset[str]:
        """Ids of the messages that stand for others in the view after."""
        return frozenset(span.by for span in self.spans if span.by is not None)


@dataclass(frozen=True, slots=True)
class Mutation:
    """A method changed something that it was given; ``what`` names it."""

    method: str
    what: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Two views that should be equal: what was done, and both views."""

    what: str
    expected: Messages
    found: Messages


@dataclass(frozen=True)
class Observation:
    """Everything that was seen; ``raised`` says what a method raised or wrongly returned.

    ``growth`` compares the view after messages were added with the view before and
    those messages, ``trips`` with the view of a state that went through JSON,
    ``probed`` with views for questions, ``restored`` with views of earlier states
    seen later.
    """

    scenario: Scenario
    traits: Traits
    tokens: TokenCounter = field(repr=False, compare=False)
    steps: tuple[ObservedStep, ...] = ()
    raised: str | None = None
    mutations: tuple[Mutation, ...] = ()
    unserialisable: tuple[str, ...] = ()
    growth: tuple[Difference, ...] = ()
    trips: tuple[Difference, ...] = ()
    probed: tuple[Difference, ...] = ()
    restored: tuple[Difference, ...] = ()
    repeated: Observation | None = field(default=None, repr=False)
    """The same once more, with a fresh instance; ``None`` where it was not tried."""
    undead: Observation | None = field(default=None, repr=False)
    """The same without dead calls; only where a call died in the middle."""

    @property
    def rewriting(self) -> tuple[ObservedStep, ...]:
        """The steps that changed the view."""
        return tuple(step for step in self.steps if step.rewrote)
