"""One call to an endpoint as data: what is asked, what came back, and who carries it.

A model renders its requests to calls. Callers stand one behind the other. The store
answers what it holds. The next caller leaves out what a model refuses, the next repeats
what may succeed later, the next keeps the limit on costs, and the last one, the
endpoint, talks to the network. Each knows only the next.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Protocol

from pytest_compaction.conversation import canonical_json
from pytest_compaction.models.usage import Usage

Operation = Literal[
    "chat.completions",
    "responses",
    "responses.compact",
    "embeddings",
    "models",
    "messages",
    "messages.count_tokens",
    "messages.models",
]
ANTHROPIC: Final[frozenset[Operation]] = frozenset(
    {"messages", "messages.count_tokens", "messages.models"}
)
"""Requests in the form of Anthropic; the others are in that of OpenAI."""
Role = Literal["compaction", "responder", "judge", "reader", "check"]


@dataclass(frozen=True, slots=True)
class Call:
    """A request to an endpoint; ``body`` is its JSON without the key and the host.

    ``trial`` makes repetitions of one request different calls. The rest is not part of
    its identity: ``role`` says for whom the call is made, ``sent`` is the body to send
    where the endpoint does not take all of ``body``, and ``seconds`` is how long the call may take,
    ``None`` for as long as the endpoint allows.
    """

    operation: Operation
    body: Mapping[str, Any] = field(repr=False)
    trial: int = 1
    role: Role = "compaction"
    sent: Mapping[str, Any] | None = field(default=None, repr=False)
    seconds: float | None = None
    is_ours: bool = True
    """Whether the plugin wrote the request; else it comes from the client of a strategy."""
    _digest: list[str] = field(default_factory=list, init=False, repr=False, compare=False)
    """Holds the digest once it is known."""

    @property
    def model(self) -> str:
        """The name of the model that is asked."""
        return str(self.body.get("model") or "no model")

    @property
    def digest(self) -> str:
        """SHA-256 (64 hexadecimal digits) of operation, body and trial; made once."""
        if not self._digest:
            identity = {"operation": self.operation, "body": self.body, "trial": self.trial}
            text = canonical_json(identity)
            self._digest.append(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
        return self._digest[0]


@dataclass(frozen=True, slots=True)
class CallReply:
    """What an endpoint answered: its JSON as it came, and the tokens that it charged for.

    ``latency_s`` is how long the reply took, in seconds; ``None`` if it came from the store.
    """

    body: Mapping[str, Any] = field(repr=False)
    usage: Usage = Usage()
    latency_s: float | None = None


class Caller(Protocol):
    """Carries calls. Failures raise :class:`~pytest_compaction.models.protocol.ModelError`."""

    async def call(self, call: Call) -> CallReply:
        """The reply to a call."""

    async def close(self) -> None:
        """Close all connections."""


class ChainedCaller:
    """The base of a caller that passes calls on to ``following``."""

    def __init__(self, following: Caller) -> None:
        self._following = following

    async def close(self) -> None:
        await self._following.close()


class LocalCaller:
    """The base of a caller that has no connection open."""

    async def close(self) -> None:
        """Do nothing."""
