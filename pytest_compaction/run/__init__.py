"""Runs cases: compacts each once, asks its probes, and has the answers judged.

Other rooms import from here alone. An :class:`Engine` of a :class:`Method` gives the
:class:`Compaction` of a case in an :class:`Arm`, that a :class:`Response` to each probe, and the
engine the verdict on it. A :class:`WorkLoop` does all the waiting, a :class:`Feeder` feeds one
strategy, ``Elsewhere`` measures cases by tasks of an executor, and a ``RecordingEndpoint`` answers
clients of strategies. All is loaded when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.run.endpoint import *
    from pytest_compaction.run.engine import *
    from pytest_compaction.run.executor import *
    from pytest_compaction.run.feeder import *
    from pytest_compaction.run.figures.shipped_nulls import *
    from pytest_compaction.run.loop import *
    from pytest_compaction.run.next_actions import *
    from pytest_compaction.run.remote import *
    from pytest_compaction.run.responder import *
    from pytest_compaction.run.response import *
    from pytest_compaction.run.strategy_thread import *
    from pytest_compaction.run.triggers import *

_NAMES: Final = {
    "endpoint": "Door RecordingEndpoint",
    "engine": "CaseWork Engine Method PlannedCase PlannedProbe",
    "executor": "ExecutorError Opened Tasks opener_for",
    "feeder": "CaseFeeder CheckedStrategy CompactionError Feeder Step",
    "figures.shipped_nulls": "Nulls",
    "loop": "RequestLimit RunStoppedError SharedLoop WorkLoop",
    "next_actions": "NextAction NextCall asked_next next_call",
    "remote": "Briefing Elsewhere Task own_modules perform",
    "responder": "Responder bounded",
    "response": "Arm Compaction FactHistory Response Roles",
    "strategy_thread": "StrategyThread TimeLimitError is_users",
    "triggers": "Trigger TriggerError parse_trigger",
}
"""The names that other rooms import, by the module that defines them."""

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
