"""Dialogues as benchmark items, and the work of the fixture ``replay``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import pytest

from pytest_compaction.case import CaseFileError
from pytest_compaction.dialogues import (
    Dialogue,
    Replayed,
    record_without_comparison,
    replayed_record,
    trigger_for_dialogues,
)
from pytest_compaction.models import OFFLINE
from pytest_compaction.records import Record, Status
from pytest_compaction.run import Arm, Trigger
from pytest_compaction.session.items.kinds import ARM, RECORD
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import Settings


@dataclass(frozen=True, slots=True)
class DialogueItem:
    """A dialogue with all its trials, with the methods of ``ProbeItem``."""

    dialogue: Dialogue | CaseFileError
    arm: Arm | None

    @property
    def error(self) -> CaseFileError | None:
        return self.dialogue if isinstance(self.dialogue, CaseFileError) else None

    @property
    def parameters(self) -> tuple[Any, ...]:
        return (self.dialogue,)

    @property
    def mark(self) -> Mapping[str, Any]:
        details: dict[str, Any] = {"case": self.dialogue.id, "kind": "dialogue"}
        if isinstance(self.dialogue, Dialogue):
            details["task"] = self.dialogue.task
        if self.arm:
            details |= {"compactor": self.arm.compactor, "trial": self.arm.trial}
        return details

    @property
    def group(self) -> str:
        """All strategies of a dialogue share the baseline, the answers from full history."""
        return f"dialogue-{self.dialogue.id}"

    @classmethod
    def planned(cls, session: BenchmarkSession, with_arms: bool) -> Iterator[tuple[str, Self]]:
        for number, error in enumerate(session.dialogue_set.errors, start=1):
            yield f"broken-{number}-{error.id}", cls(error, None)
        specs = sorted(session.specs, key=lambda spec: spec.text) if with_arms else [None]
        for spec in specs:
            for dialogue in session.dialogue_set.dialogues:
                name = f"{spec.slug}-{dialogue.id}" if spec else dialogue.id
                yield name, cls(dialogue, Arm(spec.text) if spec else None)

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self | None:
        dialogue, arm = parameters.get("dialogue"), parameters.get(ARM)
        if not isinstance(dialogue, Dialogue | CaseFileError):
            return None
        return cls(dialogue, arm if isinstance(arm, Arm) else None)

    @classmethod
    def work_ahead(
        cls, session: BenchmarkSession, items: Sequence[tuple[Self, pytest.Item]], is_dealt: bool
    ) -> None:
        """Tell the replayer what will be asked for, so that it waits for many answers at once."""
        if session.roles.responder.name == OFFLINE or not is_dealt:
            return
        order = [
            (item.dialogue, item.arm.compactor)
            for item, _ in items
            if isinstance(item.dialogue, Dialogue) and item.arm
        ]
        if order:
            # Each dialogue has two arms in flight in each trial.
            most = session.work_loop.limit.most
            session.replayer.expect(order, most // (2 * session.settings.trials))

    def finish(self, session: BenchmarkSession) -> None:
        """Replayed dialogues are kept: every strategy is compared with the same baseline."""

    def trigger(self, session: BenchmarkSession) -> Trigger:
        return trigger_for_dialogues(session.trigger)

    def measure(self, session: BenchmarkSession, judged: bool) -> None:
        """Replay the dialogue in both arms; the comparison is always judged."""
        if isinstance(self.dialogue, Dialogue) and self.arm:
            session.replayer.replayed(self.dialogue, self.arm.compactor)

    def record_without_result(
        self, nodeid: str, status: Status, reason: str, settings: Settings
    ) -> Record | None:
        if not (isinstance(self.dialogue, Dialogue) and self.arm):
            return None
        return record_without_comparison(
            nodeid, self.dialogue, self.arm.compactor, status, reason, settings
        )

    @staticmethod
    def figures(record: Mapping[str, Any]) -> Mapping[str, Any]:
        names = ("consistency", "retention", "savings")
        return {name: record[name] for name in names if record[name] is not None}

    @staticmethod
    def score(record: Record) -> str | None:
        return None if record["consistency"] is None else f"{record['consistency']:.2f}"


def replay_for(
    session: BenchmarkSession, arm: Arm, node: pytest.Item
) -> Callable[[Dialogue], Replayed]:
    """The value of the ``replay`` fixture: replays a dialogue and keeps the record of the item."""

    def replay(dialogue: Dialogue) -> Replayed:
        if not isinstance(dialogue, Dialogue):
            raise TypeError(f"replay() got {type(dialogue).__name__}; expected a dialogue")
        replayed = session.replayer.replayed(dialogue, arm.compactor)
        if session.settings.over_budget == "fail":
            replayed = replayed.failing_over_budget()
        node.stash[RECORD] = replayed_record(
            node.nodeid, replayed, session.settings, session.prices
        )
        return replayed

    return replay
