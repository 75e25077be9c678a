"""Continuation probes about single tests: how did each end when it ran last?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.probes.draft import Candidate, Draft, Found
from pytest_compaction.probes.keys import Groups
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.test_commands import may_check, shows_no_text

_VERDICT: Final = re.compile(
    r"^[^\S\n]*--- (?P<go>PASS|FAIL): (?P<test>\w{6,120}) "
    r"|^(?P<id>\S{3,160}::\w{4,120}(?:\[[^\]\n]{1,60}\])?) (?P<pytest>PASSED|FAILED)"
    r"|^(?P<short>FAILED) (?P<shortid>\S{3,160}::\w{4,120})"
    r"|^test (?P<rust>[\w:]{6,120}) \.\.\. (?P<cargo>ok|FAILED)$",
    re.MULTILINE,
)
_FORMS: Final = {
    True: ("passed", "pass", "passes", "passing", "ok", "succeeded"),
    False: ("failed", "fail", "fails", "failing", "failure"),
}
_MAX_OUTPUT: Final = 100_000
_MOST: Final = 3


def verdict_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: tests that ended otherwise in their last run than in an earlier one.

    A test counts with the runs that name it; the earlier verdict is the trap.
    """
    last = len(log.points) - 1
    asked = log.points[last]
    history: dict[str, list[bool]] = {}
    for command in log.commands:
        if log.position[command.message_id] > asked:
            break
        if may_check(command) and shows_no_text(command):
            for name, passed in _verdicts(command.output[-_MAX_OUTPUT:]):
                history.setdefault(name, []).append(passed)
    found: dict[str, Found] = {}
    for name, verdicts in history.items():
        if verdicts[-1] not in verdicts[:-1] and len(verdicts) > 1:
            told = Candidate(_said(name, verdicts[-1]), "state", _keys(name, verdicts[-1]))
            entry = log.find(told, asked, most=6, tail=True)
            if entry is not None:
                found[name] = entry
    names = sorted(found, key=lambda name: found[name].risk)[:_MOST]
    if not names:
        return
    traps = tuple(
        Trap(_said(name, not passed), keys=_keys(name, not passed), of=found[name].fact.text)
        for name in names
        for passed in [history[name][-1]]
    )
    shown = ", ".join(f"`{name}`" for name in names)
    each = "each of these tests" if len(names) > 1 else "this test"
    form = "Say of each by its name how it ended." if len(names) > 1 else "Say it with its name."
    yield Draft(
        "continuation",
        "test-verdict",
        f"How did {each} end when an output named it last: {shown}? {form}",
        tuple(found[name] for name in names),
        last,
        0.15,
        traps,
        least=1,
    )


def _verdicts(output: str) -> Iterator[tuple[str, bool]]:
    """Each test that an output names once, and whether it passed."""
    for match in _VERDICT.finditer(output):
        name = match["test"] or match["id"] or match["shortid"] or match["rust"]
        verdict = match["go"] or match["pytest"] or match["short"] or match["cargo"]
        yield name, verdict in {"PASS", "PASSED", "ok"}


def _said(name: str, passed: bool) -> str:
    return f"{name} {_FORMS[passed][0]}"


def _keys(name: str, passed: bool) -> Groups:
    return ((name,), _FORMS[passed])
