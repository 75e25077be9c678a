"""Probes about output of commands: test runs, reports, commits, a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case import Trap
from pytest_compaction.case_making.keys import identifier_keys
from pytest_compaction.case_making.log import (
    Candidate,
    Draft,
    Found,
    ProbeLog,
)
from pytest_compaction.case_making.shell_evidence import (
    may_check,
    ran_tests,
    result_of_tests,
    shows_no_text,
)

_VERDICT: Final = re.compile(
    r"^[^\S\n]*--- (?P<go>PASS|FAIL): (?P<test>\w{6,120}) "
    r"|^(?P<id>\S{3,160}::\w{4,120}(?:\[[^\]\n]{1,60}\])?) (?P<pytest>PASSED|FAILED)"
    r"|^(?P<short>FAILED) (?P<shortid>\S{3,160}::\w{4,120})"
    r"|^test (?P<rust>[\w:]{6,120}) \.\.\. (?P<cargo>ok|FAILED)$",
    re.MULTILINE,
)
_VERDICT_FORMS: Final = {
    True: ("passed", "pass", "passes", "passing", "ok", "succeeded"),
    False: ("failed", "fail", "fails", "failing", "failure"),
}
_MAX_OUTPUT: Final = 100_000
_MOST_VERDICTS: Final = 3
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
_MAX_LAST_OUTPUT: Final = 20_000


def verdict_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: tests that ended otherwise in their last run than in an earlier one.

    A test counts with the runs that name it; the earlier verdict is the trap.
    """
    history: dict[str, list[bool]] = {}
    for command in log.commands:
        if log.position[command.message_id] > log.end:
            break
        if may_check(command) and shows_no_text(command):
            for match in _VERDICT.finditer(command.output[-_MAX_OUTPUT:]):
                name = match["test"] or match["id"] or match["shortid"] or match["rust"]
                verdict = match["go"] or match["pytest"] or match["short"] or match["cargo"]
                history.setdefault(name, []).append(verdict in {"PASS", "PASSED", "ok"})
    found: dict[str, Found] = {}
    for name, verdicts in history.items():
        if verdicts[-1] not in verdicts[:-1] and len(verdicts) > 1:
            forms = _VERDICT_FORMS[verdicts[-1]]
            told = Candidate(f"{name} {forms[0]}", "state", ((name,), forms))
            entry = log.find(told, log.end, most=6, tail=True)
            if entry is not None:
                found[name] = entry
    names = sorted(found, key=lambda name: found[name].risk)[:_MOST_VERDICTS]
    if not names:
        return
    traps = []
    for name in names:
        forms = _VERDICT_FORMS[not history[name][-1]]
        traps.append(Trap(f"{name} {forms[0]}", keys=((name,), forms), of=found[name].fact.text))
    shown = ", ".join(f"`{name}`" for name in names)
    each = "each of these tests" if len(names) > 1 else "this test"
    form = "Say of each by its name how it ended." if len(names) > 1 else "Say it with its name."
    question = f"How did {each} end when an output named it last: {shown}? {form}"
    facts = tuple(found[name] for name in names)
    yield Draft("continuation", "test-verdict", question, facts, log.last, 0.15, tuple(traps))


def continuation_drafts(log: ProbeLog) -> Iterator[Draft]:
    """The tests that the last run before each point named as failing.

    None if its result cannot be read or its output names more tests than it counts.
    """
    for point, asked in enumerate(log.points):
        before = (c for c in reversed(log.commands) if log.position[c.message_id] <= asked)
        command = next(filter(ran_tests, before), None)
        if command is None:
            continue
        summary = result_of_tests(command) or ""
        counts = [sum(map(int, filter(None, found))) for found in _FAILED_COUNT.findall(summary)]
        matches = _FAILED_TEST.finditer(command.output[-_MAX_LAST_OUTPUT:])
        names = dict.fromkeys(next(filter(None, match.groups())).strip() for match in matches)
        if not counts or 0 < sum(counts) < len(names):
            continue
        failing = (Candidate(name, "state", identifier_keys(name)) for name in names)
        found = log.find_all(failing, asked, most=20, tail=True)[:5]
        question = "Which tests still failed in the last test run?"
        rank = 0.3 if log.position[command.message_id] > log.before_tail(asked) else 0.12
        yield Draft("continuation", "failing-tests", question, found, point, rank)
