"""Continuation probes about what was open: steps of a plan, and tests that failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

from pytest_compaction.artifacts import Invocation, ran_tests, result_of_tests
from pytest_compaction.case_making.keys import identifier_keys
from pytest_compaction.case_making.log import (
    MAX_FACTS,
    Candidate,
    Draft,
    Need,
    ProbeLog,
    once_a_log,
)
from pytest_compaction.case_making.needed import first_held, left_tail, uses
from pytest_compaction.conversation import ToolCall
from pytest_compaction.text import printable

_FAILED_COUNT: Final = re.compile(
    r"(?<!\d)(\d{1,9}) (?:failed|errors?|FAIL)\b|\bfail (\d{1,9})(?!\d)|FAILED"
)
_FAILED_TEST: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<pytest>\S+::[^\s-]+)|^--- FAIL: (?P<go>\w+)"
    r"|^not ok \d+ -? ?(?P<tap>.{5,90})$"
    r"|^[^\S\n]*(?:✕|✗|×|✖) (?P<jest>.{5,90}?)(?: \(?\d+ ?ms\)?)?$"
    r"|^test (?P<cargo>[\w:]+) \.\.\. FAILED|^(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))",
    re.MULTILINE,
)
"""Names of failing tests as printed by pytest, go, TAP, jest and vitest, cargo, unittest."""
_MAX_OUTPUT: Final = 20_000
_MOST_MENTIONS: Final = 12
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


def plan_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Steps of the plan that were open; a person confirms them, for many can be guessed."""
    asked, plans = log.points[point], _plans(log)
    plan = next((plan for plan in reversed(plans) if plan.position <= asked), None)
    if plan is None or plan.position < first_held(log, asked):
        return
    left = (*plan.under_way, *plan.open)
    moved_on = any(plan.position < at <= asked for at, _ in log.requests)
    if len(left) + len(plan.done) < _LEAST_STEPS or moved_on:
        return
    kept = f"`{printable(plan.name, 60).replace('`', '')}`"
    start = f"According to the plan that the agent kept with {kept}, which steps were"
    last = max((use.place for use in uses(log, point)), default=-1)
    later = [other for other in plans if asked < other.position <= last]
    needs = []
    for step in left:
        after = next((one for one in later if step in (*one.done, *one.under_way)), None)
        use = after.position if after else plan.position
        distance = sum(each.place <= use for each in uses(log, point))
        act = "the step is taken up" if after else ""
        needs.append(Need("open", step, plan.position, use, distance, act=act))
    found = tuple(
        replace(entry, need=need)
        for need in needs
        if (entry := log.find(log.task(need.clause, "next_step"), asked, most=_MOST_MENTIONS))
    )
    if left:
        question = f"{start} not finished yet (pending or in progress)?"
        yield Draft(
            "continuation",
            "open-steps",
            question,
            found,
            point,
            0.1,
            whole=min(len(left), MAX_FACTS),
            sure=False,
        )


def failing_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """The tests that the last run before the point named as failing."""
    asked = log.points[point]
    before = (c for c in reversed(log.commands) if log.position[c.message_id] <= asked)
    command = next(filter(ran_tests, before), None)
    if command is None or (place := log.position[command.message_id]) >= left_tail(log, point):
        return
    summary = result_of_tests(command) or ""
    counts = [sum(map(int, filter(None, found))) for found in _FAILED_COUNT.findall(summary)]
    matches = _FAILED_TEST.finditer(command.output[-_MAX_OUTPUT:])
    names = dict.fromkeys(next(filter(None, match.groups())).strip() for match in matches)
    use = next((use for use in uses(log, point)), None)
    if not counts or 0 < sum(counts) < len(names) or use is None:
        return
    failing = (Candidate(name, "state", identifier_keys(name)) for name in names)
    need = Need("open", "", place, use.place, use.distance, act=use.act)
    entries = filter(None, (log.find(each, asked, most=20) for each in failing))
    found = [replace(entry, need=need) for entry in islice(entries, 5)]
    question = "Which tests still failed in the last test run?"
    if found:
        yield Draft("continuation", "failing-tests", question, tuple(found), point, 0.12)


@once_a_log
def _plans(log: ProbeLog) -> Sequence[Plan]:
    return tuple(_read_plans(log))


def _read_plans(log: ProbeLog) -> Iterator[Plan]:
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
