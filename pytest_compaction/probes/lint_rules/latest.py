"""Do questions about the last of something mean the last one, and is what was added still there?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import commands, invocations
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.probes.phrases import goes_on, of_the_program
from pytest_compaction.probes.sources.code.edits import edited_sides
from pytest_compaction.probes.test_commands import may_check
from pytest_compaction.text import TextIndex, printable

_LAST_REQUEST: Final = re.compile(
    r"\b(?:ask(?:ed)?(?: for)?|request(?:ed)?) last\b|\blast request\b"
)
_LAST_CHECK: Final = re.compile(
    r"\blast (?:test|build|check)\b[^`?]*`(?P<command>[^`]{3,})`", re.IGNORECASE
)
_SHOWN: Final = 100
_CUT: Final = " …."


def latest_findings(case: Case) -> Iterator[LintFinding]:
    """Older requests and runs that pass for the last one, and names that an edit removed again."""
    for number, probe in enumerate(case.probes):
        end = case.points[probe.point].index + 1
        yield from _older_request(case, probe, end, f"/probes/{number}")
        yield from _older_check(case, probe, end, f"/probes/{number}/question")
        yield from _removed(case, probe, end, f"/probes/{number}")


def _older_request(case: Case, probe: Probe, end: int, place: str) -> Iterator[LintFinding]:
    if not _LAST_REQUEST.search(probe.question):
        return
    turns = (message for message in reversed(case.messages[:end]) if message.role == "user")
    said = (m for m in turns if m.text and not goes_on(m.text) and not of_the_program(m.text))
    last = next(said, None)
    index_of_last = TextIndex(last.text if last else "")
    for index, fact in enumerate(probe.facts):
        stated = index_of_last.read(fact.statement).outcome == "stated"
        if last is not None and fact.type != "path" and not stated:
            text = (
                f"the last turn of the user, {last.id}, says {quoted(last.text)} and not "
                f"{quoted(fact.text)}"
            )
            yield finding(case, f"{place}/facts/{index}", "warning", "not-the-last", text)


def _older_check(case: Case, probe: Probe, end: int, pointer: str) -> Iterator[LintFinding]:
    asked = _LAST_CHECK.search(probe.question)
    if asked is None:
        return
    ran = [command for command in commands(case.messages[:end]) if may_check(command)]
    shown = printable(ran[-1].text.replace("`", ""), _SHOWN) if ran else ""
    if ran and not shown.startswith(asked["command"].rstrip(_CUT)):
        text = f"the last check before the question is {quoted(shown)} in {ran[-1].message_id}"
        yield finding(case, pointer, "warning", "not-the-last", text)


def _removed(case: Case, probe: Probe, end: int, place: str) -> Iterator[LintFinding]:
    named = [
        (index, fact)
        for index, fact in enumerate(probe.facts)
        if fact.type == "identifier" and re.fullmatch(r"[\w$]{3,}", fact.text)
    ]
    if not named or "edit" not in probe.question:
        return
    removed: dict[str, str] = {}
    for invocation in invocations(case.messages[:end]):
        for old, new in edited_sides(invocation.call):
            for _, fact in named:
                before, after = fact.text in old, fact.text in new
                if before and not after:
                    removed[fact.text] = invocation.message_id
                elif after:
                    removed.pop(fact.text, None)
    for index, fact in named:
        if fact.text in removed:
            text = f"{quoted(fact.text)} was removed by the edit in {removed[fact.text]}"
            yield finding(case, f"{place}/facts/{index}", "warning", "removed-since", text)
