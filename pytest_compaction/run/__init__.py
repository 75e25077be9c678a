"""Runs cases: compacts each once, asks its probes, and has the answers judged.

Other rooms import from here alone. An :class:`Engine` of a :class:`Method` gives the
:class:`Compaction` of a case in an :class:`Arm`, that a :class:`Response` to each probe, and the
engine the verdict on it. A :class:`WorkLoop` does all the waiting, a :class:`Feeder` feeds one
strategy, ``Elsewhere`` measures cases by tasks of an executor, and a ``RecordingEndpoint`` answers
clients of strategies. All is loaded when first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from pytest_compaction.run.endpoint import Door as Door
    from pytest_compaction.run.endpoint import RecordingEndpoint as RecordingEndpoint
    from pytest_compaction.run.engine import CaseWork as CaseWork
    from pytest_compaction.run.engine import Engine as Engine
    from pytest_compaction.run.engine import Method as Method
    from pytest_compaction.run.engine import PlannedCase as PlannedCase
    from pytest_compaction.run.engine import PlannedProbe as PlannedProbe
    from pytest_compaction.run.executor import ExecutorError as ExecutorError
    from pytest_compaction.run.executor import Opened as Opened
    from pytest_compaction.run.executor import Tasks as Tasks
    from pytest_compaction.run.executor import opener_for as opener_for
    from pytest_compaction.run.feeder import CaseFeeder as CaseFeeder
    from pytest_compaction.run.feeder import CheckedStrategy as CheckedStrategy
    from pytest_compaction.run.feeder import CompactionError as CompactionError
    from pytest_compaction.run.feeder import Feeder as Feeder
    from pytest_compaction.run.feeder import Step as Step
    from pytest_compaction.run.figures.shipped_nulls import Nulls as Nulls
    from pytest_compaction.run.loop import RequestLimit as RequestLimit
    from pytest_compaction.run.loop import RunStoppedError as RunStoppedError
    from pytest_compaction.run.loop import SharedLoop as SharedLoop
    from pytest_compaction.run.loop import WorkLoop as WorkLoop
    from pytest_compaction.run.remote import Briefing as Briefing
    from pytest_compaction.run.remote import Elsewhere as Elsewhere
    from pytest_compaction.run.remote import Task as Task
    from pytest_compaction.run.remote import own_modules as own_modules
    from pytest_compaction.run.remote import perform as perform
    from pytest_compaction.run.responder import Responder as Responder
    from pytest_compaction.run.responder import bounded as bounded
    from pytest_compaction.run.response import Arm as Arm
    from pytest_compaction.run.response import Compaction as Compaction
    from pytest_compaction.run.response import FactHistory as FactHistory
    from pytest_compaction.run.response import Response as Response
    from pytest_compaction.run.response import Roles as Roles
    from pytest_compaction.run.strategy_thread import StrategyThread as StrategyThread
    from pytest_compaction.run.strategy_thread import TimeLimitError as TimeLimitError
    from pytest_compaction.run.strategy_thread import is_users as is_users
    from pytest_compaction.run.triggers import Trigger as Trigger
    from pytest_compaction.run.triggers import TriggerError as TriggerError
    from pytest_compaction.run.triggers import parse_trigger as parse_trigger

_NAMES: Final = {
    "endpoint": "Door RecordingEndpoint",
    "engine": "CaseWork Engine Method PlannedCase PlannedProbe",
    "executor": "ExecutorError Opened Tasks opener_for",
    "feeder": "CaseFeeder CheckedStrategy CompactionError Feeder Step",
    "figures.shipped_nulls": "Nulls",
    "loop": "RequestLimit RunStoppedError SharedLoop WorkLoop",
    "remote": "Briefing Elsewhere Task own_modules perform",
    "responder": "Responder bounded",
    "response": "Arm Compaction FactHistory Response Roles",
    "strategy_thread": "StrategyThread TimeLimitError is_users",
    "triggers": "Trigger TriggerError parse_trigger",
}
"""The names by the module that defines them."""
_HOMES: Final = {name: module for module, names in _NAMES.items() for name in names.split()}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = importlib.import_module(f"{__name__}.{_HOMES[name]}")
        found = globals()[name] = getattr(module, name)
        return found
