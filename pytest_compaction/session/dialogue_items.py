"""Dialogues as items: one for each dialogue and strategy, with all trials of both arms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_compaction.dialogues.dialogue import Dialogue
from pytest_compaction.dialogues.records import record_without_comparison, replayed_record
from pytest_compaction.dialogues.replayed import Replayed
from pytest_compaction.judges.verdict import BelowPassScoreError, UnscoredError
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import ChargedError
from pytest_compaction.records.records import spent_before
from pytest_compaction.records.run_file import Record
from pytest_compaction.run.response import Arm
from pytest_compaction.session.probe_items import ARM, RECORD, SAYS_ENOUGH, left_unscored, nothing
from pytest_compaction.session.session import BenchmarkSession, BrokenCase


@dataclass(frozen=True, slots=True)
class DialogueParameters:
    """The parameters of one item with its id; all strategies of a dialogue share a group."""

    id: str
    dialogue: Dialogue | BrokenCase
    arm: Arm | None

    @property
    def group(self) -> str:
        """Items with the same group stay on one worker, because they share the baseline arm."""
        return f"dialogue-{self.dialogue.id}"


def parameters(session: BenchmarkSession, with_arms: bool = True) -> list[DialogueParameters]:
    """The parameters of all dialogue items in order: compactor, dialogue."""
    found = []
    for number, error in enumerate(session.dialogue_set.errors, start=1):
        broken = BrokenCase(error)
        found.append(DialogueParameters(f"broken-{number}-{broken.id}", broken, None))
    specs = sorted(session.specs, key=lambda spec: spec.text) if with_arms else [None]
    for spec in specs:
        for dialogue in session.dialogue_set.dialogues:
            name = f"{spec.slug}-{dialogue.id}" if spec else dialogue.id
            arm = Arm(spec.text) if spec else None
            found.append(DialogueParameters(name, dialogue, arm))
    return found


def groups(session: BenchmarkSession) -> dict[str, str]:
    """The group of each parameter id, for scheduling."""
    return {item.id: item.group for arms in (False, True) for item in parameters(session, arms)}


def parametrize(metafunc: pytest.Metafunc, session: BenchmarkSession) -> None:
    """Give a test function its dialogue and, if it replays, its strategy."""
    with_arms = ARM in metafunc.fixturenames
    names = ("dialogue", ARM) if with_arms else ("dialogue",)
    params = [
        pytest.param(
            *(item.dialogue, item.arm)[: len(names)],
            id=item.id,
            marks=pytest.mark.compaction(**_details(item)),
        )
        for item in parameters(session, with_arms)
    ]
    metafunc.parametrize(names, params or [nothing(names)], scope="session")


def _details(item: DialogueParameters) -> dict[str, Any]:
    details: dict[str, Any] = {"case": item.dialogue.id, "kind": "dialogue"}
    if isinstance(item.dialogue, Dialogue):
        details["task"] = item.dialogue.task
    if item.arm:
        details |= {"compactor": item.arm.compactor, "trial": item.arm.trial}
    return details


def _parameter(item: pytest.Item, name: str) -> Any:
    return getattr(getattr(item, "callspec", None), "params", {}).get(name)


def select(session: BenchmarkSession, items: Iterable[pytest.Item]) -> None:
    """Tell the replayer what will be asked for, so that a model's answers are waited for together.

    The offline model waits for nothing and is not begun ahead. Under pytest-xdist
    the workers are what runs at the same time; none knows what it will be given.
    """
    order: list[tuple[Dialogue, str]] = []
    for item in items:
        dialogue, arm = _parameter(item, "dialogue"), _parameter(item, ARM)
        if isinstance(dialogue, Dialogue) and isinstance(arm, Arm):
            order.append((dialogue, arm.compactor))
            worker = hasattr(item.config, "workerinput")
            if worker or session.roles.responder.name == offline.NAME:
                return
    settings = session.settings
    if order:
        session.replayer.expect(order, settings.concurrency // (2 * settings.trials))


def replay_for(
    session: BenchmarkSession, arm: Arm, node: pytest.Item
) -> Callable[[Dialogue], Replayed]:
    """What the ``replay`` fixture gives: replays a dialogue and keeps the record of the item."""

    def replay(dialogue: Dialogue) -> Replayed:
        if not isinstance(dialogue, Dialogue):
            raise TypeError(f"replay() got {type(dialogue).__name__}; expected a dialogue")
        replayed = session.replayer.replayed(dialogue, arm.compactor)
        node.stash[RECORD] = replayed_record(
            node.nodeid, replayed, session.settings, session.prices
        )
        return replayed

    return replay


def refuse_broken(item: pytest.Item) -> None:
    """Fail an item that stands for a dialogue that cannot be used."""
    dialogue = _parameter(item, "dialogue")
    if isinstance(dialogue, BrokenCase):
        raise dialogue.error


def before_report(
    item: pytest.Item, call: pytest.CallInfo[None], session: BenchmarkSession
) -> Record | None:
    """The record of an item whose call has ended; flat properties go to JUnit."""
    dialogue, arm = _parameter(item, "dialogue"), _parameter(item, ARM)
    if not (isinstance(dialogue, Dialogue) and isinstance(arm, Arm)):
        return None
    failure = call.excinfo.value if call.excinfo is not None else None
    if call.when != "call" and failure is None:
        return None
    record = item.stash.get(RECORD, None)
    expected = isinstance(failure, BelowPassScoreError | UnscoredError | pytest.skip.Exception)
    if failure is not None and not expected:
        said = str(failure) if isinstance(failure, SAYS_ENOUGH) else ""
        reason = said or f"{type(failure).__name__}: {failure}"
        status = "unscored" if left_unscored(failure) else "error"
        record = record_without_comparison(
            item.nodeid, dialogue, arm.compactor, status, reason, session.settings
        )
        if isinstance(failure, ChargedError):
            record |= spent_before(failure, session.settings, session.prices)
    if record is not None and call.when != "teardown":
        item.user_properties.extend(_properties(record))
    return record


def _properties(record: Record) -> Sequence[tuple[str, Any]]:
    names = ("status", "consistency", "retention", "savings")
    return [(f"compaction.{name}", record[name]) for name in names if record[name] is not None]
