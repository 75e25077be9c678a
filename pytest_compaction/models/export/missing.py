"""Finds the calls that a run lacks: a replay that notes what the store does not hold.

Nothing stands in for a missing reply. What depends on one is not asked, so that every
call that is noted is one that the run itself will make.
"""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.calls.store import Store
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.protocol import NotRecordedError
from pytest_compaction.models.wire.call import Call, Caller, CallReply, ChainedCaller

_ORDER: Final = ("compaction", "responder", "judge")


class MissingCalls:
    """A caller that answers from the store, and notes every other call."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._noted: dict[str, Call] = {}

    async def call(self, call: Call) -> CallReply:
        """The stored reply; raises :class:`NotRecordedError` if there is none."""
        found = await self._store.find(call)
        if found is None:
            self._noted.setdefault(call.digest, call)
            raise NotRecordedError("this request is not in the store yet")
        return found

    async def close(self) -> None:
        """Do nothing: no connection is open."""

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls noted, each once: compactions, answers, judgements, each by digest."""
        ranked = sorted((_ORDER.index(c.role), digest) for digest, c in self._noted.items())
        return tuple(self._noted[digest] for _, digest in ranked)


class UntilMissing(ChainedCaller):
    """Passes calls on to ``following`` until one is missing, and none after that.

    A strategy that goes on without its summary would ask for what no run asks for.
    """

    def __init__(self, following: Caller) -> None:
        super().__init__(following)
        self._missing: NotRecordedError | None = None

    async def call(self, call: Call) -> CallReply:
        """The reply of the next caller; raises :class:`NotRecordedError` from the first miss on."""
        if self._missing is not None:
            raise NotRecordedError(*self._missing.args)
        try:
            return await self._following.call(call)
        except NotRecordedError as error:
            self._missing = error
            raise


class CompactingModel(ChatModel):
    """A chat model for compactions: what :meth:`at_trial` gives stops at its first missing call.

    The engine takes one for each case, strategy and trial.
    """

    def at_trial(self, trial: int) -> ChatModel:
        """The model of one compacted log."""
        caller = UntilMissing(self._caller)
        return ChatModel(self._name, caller, self._tokens, self._prompts, self._log_tokens, trial)
