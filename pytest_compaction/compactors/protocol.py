"""What a compaction strategy is: its five methods, what it is given and what it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.protocol import Model

State = dict[str, Any]
"""JSON-serialisable state of a strategy."""

S = TypeVar("S")

Fate = Literal["kept", "replaced", "masked", "dropped"]
Status = Literal["noop", "compacted", "truncated", "failed"]


class CompactorError(Exception):
    """A strategy broke its contract; the text says how, in one sentence or a few lines."""


@dataclass(frozen=True, slots=True)
class Traits:
    """What a strategy needs and does, for listings and checks.

    ``keeps_tail``: the last user message stays verbatim. ``changes_system``: the
    system message is rewritten. ``reads_once``: each message enters a summariser at
    most once and is merged into the summary so far. ``needs_record``: it can only give
    the view on record, and nothing is to be answered where there is none.
    ``by_server``: its views are the whole log with request parameters, by which the
    endpoint compacts.
    ``violations`` maps the name of an invariant that it is known to break to what it
    does instead.
    """

    needs_model: bool = False
    needs_probe: bool = False
    opaque: bool = False
    keeps_tail: bool = False
    changes_system: bool = False
    reads_once: bool = False
    needs_record: bool = False
    by_server: bool = False
    violations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """What a strategy may know besides its state.

    ``window`` and ``budget`` are tokens; ``instructions`` is the focus that a user
    gave, ``reason`` why compaction was asked for. ``recorded`` is the view that the
    agent itself went on with at this point, where the case holds it.
    """

    window: int
    budget: int
    tokens: TokenCounter
    model: Model
    reason: str = "case"
    instructions: str = ""
    recorded: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Span:
    """What became of some messages of the input; ``by`` is the id of what replaced them."""

    ids: tuple[str, ...]
    fate: Fate
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S]):
    """A new state, what happened, and what became of each input message.

    The spans partition the ids of the view before; ``error`` says why a status is
    ``failed``.
    """

    state: S
    status: Status
    spans: tuple[Span, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True)
class View:
    """The messages that the model sees.

    ``parameters`` go with the request for an answer, as JSON by name, where the
    endpoint is to edit the context itself. What the model sets, such as its name or
    the limit of the answer, cannot be among them.
    """

    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


class Compactor(Protocol[S]):
    """A compaction strategy. States are values: no method changes the one it is given."""

    @property
    def name(self) -> str:
        """The name by which it is chosen."""

    @property
    def traits(self) -> Traits:
        """What it needs and does."""

    def start(self) -> S:
        """The state before any message."""

    def observe(self, state: S, new: Sequence[Message], context: Context) -> S:
        """Take in messages that were added to the conversation."""

    def due(self, state: S, context: Context) -> str | None:
        """Why compaction is due now, or ``None``. Pure."""

    async def compact(self, state: S, context: Context) -> Outcome[S]:
        """Rewrite the view: the only place where anything is lost."""

    def render(self, state: S, context: Context, probe: str | None = None) -> View:
        """The view as it stands; ``probe`` only for strategies that read per question."""
