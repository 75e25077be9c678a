"""Continuation probes about plans: which steps were open, and which was in progress?

A plan is a list of entries with a text and a state in the arguments of a call, whatever
the tool is called (``TodoWrite``, ``update_plan``, ``write_todos``, ``task_tracker``, …).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts.operations import invocations
from pytest_compaction.case.case import FactType
from pytest_compaction.conversation.messages import ToolCall
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog
from pytest_compaction.text.words import printable

_TEXT_KEYS: Final = ("content", "step", "title", "task", "description", "text", "name")
_STATE_KEYS: Final = ("status", "state", "done", "completed")
_MAX_ENTRIES: Final = 100
_PLAN_NAME: Final = re.compile(r"todo|plan|task", re.I)
_DONE: Final = frozenset({"completed", "complete", "done", "finished", "cancelled", "true"})
_UNDER_WAY: Final = frozenset({"in_progress", "inprogress", "in-progress", "active", "doing"})


@dataclass(frozen=True, slots=True)
class Plan:
    """The state of a plan after a call of the tool ``name``: steps open and under way."""

    position: int
    name: str
    open: tuple[str, ...]
    under_way: tuple[str, ...]


def plan_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about the plan at each point, unless it has not changed since the point before."""
    plans = list(_plans(log))
    before: Plan | None = None
    for point, asked in enumerate(log.points):
        plan = next((plan for plan in reversed(plans) if plan.position <= asked), None)
        if plan is None or plan is before:
            continue
        before = plan
        kept = f"`{printable(plan.name, 60).replace('`', '')}`"
        late = 0.2 if plan.position > log.before_tail(asked) else 0.0
        yield Draft(
            "continuation",
            "open-steps",
            f"According to the plan that the agent kept with {kept}, which steps were not "
            "finished yet (pending or in progress)?",
            _facts(log, (*plan.under_way, *plan.open), asked, "next_step"),
            point,
            0.1 + late,
        )
        yield Draft(
            "continuation",
            "current-step",
            f"Which step of the plan that it kept with {kept} was the agent working on?",
            _facts(log, plan.under_way, asked, "state"),
            point,
            0.35 + late,
            least=1,
        )


def _facts(log: ProbeLog, texts: tuple[str, ...], asked: int, type: FactType) -> tuple[Found, ...]:
    return log.find_all((Candidate(text, type) for text in texts), asked, most=12, tail=True)


def _plans(log: ProbeLog) -> Iterator[Plan]:
    for invocation in invocations(log.messages):
        entries = plan_entries(invocation.call)
        if entries or _cleared(invocation.call):
            yield Plan(
                log.position[invocation.message_id],
                invocation.call.name,
                tuple(text for text, state in entries if state not in _DONE | _UNDER_WAY),
                tuple(text for text, state in entries if state in _UNDER_WAY),
            )


def _cleared(call: ToolCall) -> bool:
    """Whether a call leaves a plan empty."""
    return bool(_PLAN_NAME.search(call.name)) and [] in list(call.parsed().values())


def plan_entries(call: ToolCall) -> list[tuple[str, str]]:
    """Text and state (lower case) of each entry of a plan; empty for any other call."""
    lists = [value for value in call.parsed().values() if isinstance(value, list)]
    for value in lists:
        entries = [_entry(item) for item in value[:_MAX_ENTRIES]]
        known = [entry for entry in entries if entry is not None]
        if known and len(known) == len(entries):
            return known
    return []


def _entry(item: Any) -> tuple[str, str] | None:
    if not isinstance(item, Mapping):
        return None
    text = next((item[key] for key in _TEXT_KEYS if isinstance(item.get(key), str)), None)
    state = next((item[key] for key in _STATE_KEYS if isinstance(item.get(key), str | bool)), None)
    if text is None or not text.strip() or state is None:
        return None
    return " ".join(text.split()), str(state).lower().replace(" ", "_")
