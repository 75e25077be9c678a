"""How many calls each item of a run will make, from what is known before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, cast

from pytest_compaction.case.kinds import CHOICE_KIND
from pytest_compaction.compactors.composition import asks_model
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.records.record import Record
from pytest_compaction.session.items.probe import ProbeItem
from pytest_compaction.session.items.protocol import BenchmarkItem
from pytest_compaction.session.progress.call_ledger import ItemCalls, calls_in
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import CONTROL

if TYPE_CHECKING:
    from pytest_compaction.session.items.dialogue import DialogueItem

_SHARED: Final[Mapping[str, str]] = {"probe": "compaction", "dialogue": "baseline"}
"""The role whose calls the items of a group share, by the type of an item."""


class CallPlans:
    """Plans the calls of items, and reads from their records what became of the plan."""

    def __init__(self, session: BenchmarkSession) -> None:
        roles, settings = session.roles, session.settings
        self._answers = int(_at_endpoint(roles.responder))
        self._judgements = settings.judgements * sum(map(_at_endpoint, roles.judges))
        self._judges = sum(map(_at_endpoint, roles.judges))
        self._trials = settings.trials
        self._reminds = CONTROL in settings.arms
        summarises = _at_endpoint(roles.compaction)
        self._asks = {
            spec.text: summarises and asks_model(session.registry.example(spec))
            for spec in session.specs
        }
        self._own_clients = settings.calls.proxy and bool(session.asking_outside)
        self._roles = {
            role
            for role, asked in (
                ("compaction", summarises or self._own_clients),
                ("view", summarises or self._own_clients),
                ("baseline", self._answers),
                ("responder", self._answers),
                ("judge", self._judges),
            )
            if asked
        }

    def of(self, item: BenchmarkItem, judged: bool = True) -> ItemCalls | None:
        """The plan of an item; ``None`` for one that measures nothing."""
        if isinstance(item, ProbeItem):
            return self._of_probe(item, judged)
        return self._of_dialogue(cast("DialogueItem", item))

    def _of_probe(self, item: ProbeItem, judged: bool) -> ItemCalls | None:
        if item.probe is None or item.arm is None or item.error is not None:
            return None
        if item.probe.kind == CHOICE_KIND:  # rules read the letter
            own = self._answers * (2 if self._reminds and item.arm.compactor != CONTROL else 1)
        else:
            own = self._answers + (self._judgements if judged else 0)
        asks = self._asks.get(item.arm.compactor, False)
        points = len(getattr(item.case, "points", ()))
        return ItemCalls(own, item.group, points if asks else 0, asks or self._own_clients)

    def _of_dialogue(self, item: DialogueItem) -> ItemCalls | None:
        if item.arm is None or item.error is not None:
            return None
        turns = self._trials * len(getattr(item.dialogue, "turns", ()))
        asks = self._asks.get(item.arm.compactor, False)
        own = turns * (self._answers + self._judges) + (turns / 2 if asks else 0)
        return ItemCalls(own, item.group, turns * self._answers, guessed=True)

    def taken(self, record: Record) -> tuple[int, int]:
        """The calls that an item made itself, and those of its group."""
        usage: Mapping[str, Any] = record.get("usage") or {}
        shared = _SHARED.get(record.get("type", "probe"), "compaction")
        own = calls_in(usage, self._roles - {shared})
        return own, calls_in(usage, self._roles & {shared})


def _at_endpoint(model: object) -> bool:
    return isinstance(model, ChatModel)
