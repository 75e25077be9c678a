"""The protocol of a compaction strategy: its five methods, their inputs and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, Protocol, TypeVar

from pytest_compaction.conversation import Message, TokenCounter
from pytest_compaction.models import Model

State = dict[str, Any]
"""JSON-serialisable state of a strategy."""

S = TypeVar("S")

Fate = Literal["kept", "replaced", "masked", "dropped"]
Status = Literal["noop", "compacted", "truncated", "failed"]


class CompactorError(Exception):
    """A strategy broke its contract; the text says how, in one sentence or a few lines."""


@dataclass(frozen=True, slots=True)
class Traits:
    """Needs and properties of a strategy, for listings and checks.

    ``keeps_tail``: the last user message stays verbatim. ``changes_system``: the
    system message is rewritten. ``reads_once``: each message enters a summariser at
    most once and is merged into the summary so far. ``needs_record``: it can only give
    the view that the case records, and no probe is asked if there is none.
    ``by_server``: its view is the whole log, with request parameters that make the
    endpoint compact it. ``null``: it has no idea behind it, and others are compared with
    it at equal tokens. ``searches``: for a question it adds the finds of a search to its view,
    which count among the tokens of the view, and for which the window has room and not
    the budget. ``prompt_only`` names the parameters that change nothing but what
    a model is told, so that they have no effect on the offline model. ``violations`` maps
    the name of each invariant that it is known to break to what it does instead.
    """

    needs_model: bool = False
    needs_probe: bool = False
    opaque: bool = False
    keeps_tail: bool = False
    changes_system: bool = False
    reads_once: bool = False
    needs_record: bool = False
    by_server: bool = False
    null: bool = False
    searches: bool = False
    prompt_only: tuple[str, ...] = ()
    violations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Context:
    """Everything that a strategy may know besides its state.

    ``window`` and ``budget`` are tokens; ``instructions`` is the focus that a user
    asked for, ``reason`` the reason for the compaction. ``recorded`` is the view with
    which the agent itself continued at this point, if the case holds it.
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
    """The fate of some input messages; ``by`` is the id of the message that replaced them."""

    ids: tuple[str, ...]
    fate: Fate
    by: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome(Generic[S]):
    """The result of a compaction: the new state, the status, the fate of each message.

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

    ``parameters`` are added to the request for an answer, as JSON by name, for an
    endpoint that edits the context itself. They cannot include what the model sets,
    such as its name or the limit of the answer.
    """

    messages: tuple[Message, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


class Compactor(Protocol[S]):
    """A compaction strategy. States are values: no method changes the state that it is given.

    A strategy whose view for a question takes a model to make also has a coroutine
    ``asked_view(state, context, probe)``, which is called in place of ``render`` then.
    """

    @property
    def name(self) -> str:
        """The name by which it is chosen."""

    @property
    def traits(self) -> Traits:
        """Its needs and properties."""

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
