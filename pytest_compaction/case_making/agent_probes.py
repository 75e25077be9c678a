"""Probes about what the agent said it would do: announcements and plans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.artifacts import Invocation
from pytest_compaction.case import FactType
from pytest_compaction.case_making.log import Draft, Found, ProbeLog
from pytest_compaction.conversation import ToolCall
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

    Once the user has asked for something else, nobody knows whether it still holds. Where an
    earlier plan had steps that this one lacks, it is unclear which plan is meant.
    """
    plans = list(_plans(log))
    before: Plan | None = None
    for point, asked in enumerate(log.points):
        plan = next((plan for plan in reversed(plans) if plan.position <= asked), None)
        if plan is None or plan is before:
            continue
        before = plan
        left = (*plan.under_way, *plan.open)
        steps = {*plan.done, *left}
        moved_on = any(plan.position < at <= asked for at, _ in log.requests)
        if len(left) + len(plan.done) < _LEAST_STEPS or moved_on:
            continue
        kept = f"`{printable(plan.name, 60).replace('`', '')}`"
        start = f"According to the plan that the agent kept with {kept}, which steps were"
        late = 0.2 if plan.position > log.before_tail(asked) else 0.0
        question = f"{start} not finished yet (pending or in progress)?"
        found = _steps(log, left, asked, "next_step")
        yield Draft(
            "continuation", "open-steps", question, found, point, 0.1 + late, whole=len(left)
        )
        earlier = (one for one in plans if one.position < plan.position)
        if plan.done and not any(set(one.done) - steps for one in earlier):
            found, whole = _steps(log, plan.done, asked, "state"), len(plan.done)
            question = f"{start} completed?"
            yield Draft(
                "continuation", "done-steps", question, found, point, 0.3 + late, whole=whole
            )


def _steps(log: ProbeLog, texts: tuple[str, ...], asked: int, type: FactType) -> tuple[Found, ...]:
    return log.find_all((log.task(text, type) for text in texts), asked, most=12, tail=True)


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
    for value in call.parsed().values():
        if isinstance(value, list):
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
