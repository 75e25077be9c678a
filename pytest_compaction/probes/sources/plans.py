"""Continuation probes about plans: which steps were open, and which were done?

A plan is a list of entries with a text and a state in the arguments of a call, whatever
the tool is called (``TodoWrite``, ``update_plan``, ``write_todos``, ``task_tracker``, …), or
tasks that one tool creates and another updates by their numbers (``TaskCreate``, ``TaskUpdate``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation
from pytest_compaction.case.kinds import FactType
from pytest_compaction.conversation.messages import ToolCall
from pytest_compaction.probes.draft import Draft, Found
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.text import printable

_TEXT_KEYS: Final = ("content", "step", "title", "task", "description", "text", "name")
_STATE_KEYS: Final = ("status", "state", "done", "completed")
_CREATED: Final = re.compile(r"\bTask #(\d+) created")
_MAX_ENTRIES: Final = 100
_LEAST_STEPS: Final = 2
"""One step is the whole task under another name."""
_PLAN_NAME: Final = re.compile(r"todo|plan|task", re.I)
_DONE: Final = frozenset({"completed", "complete", "done", "finished", "cancelled", "true"})
_UNDER_WAY: Final = frozenset({"in_progress", "inprogress", "in-progress", "active", "doing"})


@dataclass(frozen=True, slots=True)
class Plan:
    """The state of a plan after a call of the tool ``name``: steps open, under way and done."""

    position: int
    name: str
    open: tuple[str, ...]
    under_way: tuple[str, ...]
    done: tuple[str, ...] = ()


def plan_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about the plan at each point, unless it has not changed since the point before.

    Once the user has asked for something else, nobody knows whether it still holds.
    """
    plans = list(_plans(log))
    before: Plan | None = None
    for point, asked in enumerate(log.points):
        plan = next((plan for plan in reversed(plans) if plan.position <= asked), None)
        if plan is None or plan is before:
            continue
        before = plan
        steps = len(plan.under_way) + len(plan.open) + len(plan.done)
        if steps < _LEAST_STEPS or any(plan.position < at <= asked for at, _ in log.requests):
            continue
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
            least=1,
            whole=len(plan.under_way) + len(plan.open),
        )
        if plan.done and not _finished_before(plans, plan):
            yield _done_draft(log, plan, kept, point, 0.3 + late)


def _finished_before(plans: list[Plan], plan: Plan) -> bool:
    """Whether an earlier plan had steps that this one lacks: it is then unclear which is meant."""
    texts = {*plan.done, *plan.under_way, *plan.open}
    return any(set(one.done) - texts for one in plans if one.position < plan.position)


def _done_draft(log: ProbeLog, plan: Plan, kept: str, point: int, rank: float) -> Draft:
    """Which steps are done; the name of the plan tells that it is the last state before a point."""
    found = _facts(log, plan.done, log.points[point], "state")
    return Draft(
        "continuation",
        "done-steps",
        f"According to the plan that the agent kept with {kept}, which steps were completed?",
        found,
        point,
        rank,
        least=1,
        whole=len(plan.done),
    )


def _facts(log: ProbeLog, texts: tuple[str, ...], asked: int, type: FactType) -> tuple[Found, ...]:
    return log.find_all(
        (log.task(text, type) for text in texts),
        asked,
        most=12,
        tail=True,
    )


def _plans(log: ProbeLog) -> Iterator[Plan]:
    tasks: dict[str, tuple[str, str]] = {}
    for invocation in log.invocations:
        entries = plan_entries(invocation.call)
        name = invocation.call.name
        if not entries and _follow(tasks, invocation):
            entries = [task for task in tasks.values() if task[1] != "deleted"]
            name = "TaskCreate"
        if entries or _cleared(invocation.call):
            yield Plan(
                log.position[invocation.message_id],
                name,
                tuple(text for text, state in entries if state not in _DONE | _UNDER_WAY),
                tuple(text for text, state in entries if state in _UNDER_WAY),
                tuple(text for text, state in entries if state in _DONE),
            )


def _follow(tasks: dict[str, tuple[str, str]], invocation: Invocation) -> bool:
    """Record what a call made of numbered tasks, by their numbers; whether it changed any."""
    given = invocation.call.parsed()
    lost = not invocation.answered
    text, state = given.get("subject"), given.get("status")
    if invocation.call.name == "TaskCreate":
        made = _CREATED.search(invocation.output)
        if made and isinstance(text, str) and not lost:
            tasks[made[1]] = (" ".join(text.split()), "pending")
        return bool(made)
    number = str(given.get("taskId", ""))
    if invocation.call.name != "TaskUpdate" or number not in tasks or lost:
        return False
    before, was = tasks[number]
    new = " ".join(text.split()) if isinstance(text, str) else before
    tasks[number] = (new, str(state).lower() if state is not None else was)
    return True


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
