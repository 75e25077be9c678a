"""The observation of one compactor in one scenario; the checks read nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from pytest_compaction.checking.examples.scenario import Scenario
from pytest_compaction.compactors import Span, Status, Traits
from pytest_compaction.conversation import Message, TokenCounter, groups, pending_calls
from pytest_compaction.models import SummaryRequest

Messages = tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class SummaryCall:
    """A request to the summariser, its size in tokens, and whether the reply was empty."""

    request: SummaryRequest
    tokens: int
    empty: bool = False
    failed: bool = False


@dataclass(frozen=True)
class ObservedStep:
    """One compaction; ``again`` says that no message came since the one before.

    ``due`` is the strategy's reason to compact again right after. The states are JSON text.
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
    asked: tuple[SummaryCall, ...] = ()
    again: bool = False
    state_before: str = ""
    state_after: str = ""

    @property
    def rewrote(self) -> bool:
        """Whether the strategy says that it changed the view."""
        return self.status in {"compacted", "truncated"}

    @cached_property
    def pending(self) -> tuple[str, ...]:
        """Ids of the calls at the end of the view before that have no result yet."""
        return pending_calls(self.before)

    @cached_property
    def waiting(self) -> Messages:
        """The messages at the end of the view before with a call that has no result yet."""
        return self.before[slice(*groups(self.before)[-1])] if self.pending else ()

    @cached_property
    def said(self) -> Mapping[str, Message]:
        """The messages of the log by id."""
        return {message.id: message for message in self.log}

    @cached_property
    def sources(self) -> tuple[Message | None, ...]:
        """For each message of the view after that of the log from which it was made, if any."""
        found = [self.said.get(message.id) for message in self.after]
        if None not in found:
            return tuple(found)
        same = {key: m for m in self.log for key in (m.parts, (m.role, m.parts)) if m.parts}
        called = {_call_ids(message): message for message in self.log}
        return tuple(
            said
            or same.get((message.role, message.parts))
            or same.get(message.parts)
            or (called.get(_call_ids(message)) if any(_call_ids(message)) else None)
            for message, said in zip(self.after, found, strict=True)
        )

    @cached_property
    def by(self) -> frozenset[str]:
        """Ids of the messages that replace others in the view after."""
        return frozenset(span.by for span in self.spans if span.by is not None)


@dataclass(frozen=True, slots=True)
class Breach:
    """One break of an invariant: how, in which messages, and at which compaction (from 1)."""

    sentence: str
    ids: tuple[str, ...] = ()
    step: int = 0


def differing(one: Messages, other: Messages) -> tuple[str, ...]:
    """Ids of up to five messages in which two views differ."""
    first: dict[str, Message] = {message.id: message for message in one}
    second: dict[str, Message] = {message.id: message for message in other}
    ids = [id for id in {**first, **second} if first.get(id) != second.get(id)]
    return tuple(ids[:5])


@dataclass(frozen=True)
class Observation:
    """Everything that was seen, also by the run itself (``noted``); ``raised`` ended it."""

    scenario: Scenario
    traits: Traits
    tokens: TokenCounter = field(repr=False, compare=False)
    steps: tuple[ObservedStep, ...] = ()
    raised: str | None = None
    noted: Mapping[str, Sequence[Breach]] = field(default_factory=dict)
    repeated: Observation | None = field(default=None, repr=False)
    """The same scenario with a fresh instance; ``None`` if it was not tried."""
    undead: Observation | None = field(default=None, repr=False)
    """The same scenario without its dead calls; ``None`` if it has none."""
    renamed: Observation | None = field(default=None, repr=False)
    """The same scenario about other things, run after this one; ``None`` if it was not tried."""

    @property
    def rewriting(self) -> tuple[ObservedStep, ...]:
        """The steps that changed the view."""
        return tuple(step for step in self.steps if step.rewrote)


def _call_ids(message: Message) -> tuple[frozenset[str], frozenset[str]]:
    """The ids of the calls that a message makes, and of those whose results it holds."""
    results = frozenset(result.call_id for result in message.results)
    return frozenset(call.id for call in message.calls), results
