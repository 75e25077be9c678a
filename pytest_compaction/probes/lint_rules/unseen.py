"""May the log hide what a question asks for: files that no call names, a second home of a name?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import file_states
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.probes.declarations import declared
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.code.defined import one_file
from pytest_compaction.probes.unseen import (
    changed_by_user,
    changed_unseen,
    delegates,
    generates,
    installs,
    read_unseen,
)
from pytest_compaction.text import is_path, normalize

FILES: Final = re.compile(
    r"^Which files(?: under `[^`]+`)? (?:that existed before )?were "
    r"(?P<what>created|deleted|modified|only read)\b"
)
HOME: Final = re.compile(
    r"^In which file is the (?:function|method|type|class|constant) `(?P<name>\w+)`"
    r"(?: of `(?P<owner>\w+)`)? defined\?"
)
_SHOWN: Final = 3


def hidden_changes(case: Case, probe: Probe, log: ProbeLog, pointer: str) -> Iterator[LintFinding]:
    """A list of files to which a command, a subagent or the user may have added others."""
    asked = FILES.match(probe.question)
    if asked is None:
        return
    at = case.points[probe.point].index
    causes: list[str] = []
    if asked["what"] == "only read":
        before = [each for each in log.operations if log.position[each.message_id] <= at]
        read = [state for state in file_states(before) if state.read and not state.modified]
        if read_unseen(log, read, at):
            causes.append("a command or a subagent may have read or changed others")
    else:
        if generates(log, 0, at + 1) or (asked["what"] == "modified" and _rewrites(log, at)):
            causes.append("a command may have changed files that it does not name")
        if delegates(log, 0, at + 1, writing=True):
            causes.append("a subagent worked on files")
        if changed_by_user(log, at):
            causes.append("the user tells of changes of their own")
    if causes:
        text = f"the log may not show the whole list: {'; '.join(causes)}"
        yield finding(case, f"{pointer}/question", "warning", "list-unsure", text)


def _rewrites(log: ProbeLog, at: int) -> bool:
    return changed_unseen(log, at) or installs(log, at)


def second_homes(case: Case, probe: Probe, log: ProbeLog, pointer: str) -> Iterator[LintFinding]:
    """A name that the log declares in another file than the one that is the answer."""
    asked = HOME.match(probe.question)
    if asked is None:
        return
    at = case.points[probe.point].index
    homes = {
        each.path
        for each in declared(log)
        if each.name == asked["name"]
        and each.path
        and each.place <= at
        and (asked["owner"] is None or each.value == asked["owner"])
    }
    keys = (key for fact in probe.facts for group in fact.keys for key in group)
    answers = [key for key in keys if is_path(normalize(key))]
    others = sorted(home for home in homes if not any(one_file([home], path) for path in answers))
    if answers and others:
        text = f"the log declares `{asked['name']}` in {', '.join(others[:_SHOWN])} too"
        yield finding(case, f"{pointer}/facts", "warning", "second-home", text)
