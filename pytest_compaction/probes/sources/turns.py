"""Continuation probes: which tests still fail, and what is the work about?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import Command
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import identifier_keys, title_keys
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.phrases import (
    bare,
)
from pytest_compaction.probes.test_commands import (
    ran_tests,
    result_of_tests,
)

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
_FIRST_MESSAGES: Final = 4
_MAX_TITLE_MENTIONS: Final = 20
_ISSUE: Final = re.compile(
    r"(?:<(?:issue|pr|issue_description|pr_description|task|bug_report)>|^ISSUE:)[^\S\n]*\n"
    r"\s*(?:#+ )?(?P<title>[A-Z`\"\[][^\n]{14,119})\n",
    re.MULTILINE,
)
"""The first line of a report that a user hands over whole."""


def continuation_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about the tests that failed last at each point."""
    run = log.commands
    for point in range(len(log.points)):
        yield from _failing_tests(log, run, point)


def issue_drafts(log: ProbeLog) -> Iterator[Draft]:
    """A draft for the title of the report that the first turn of the user hands over."""
    for message in log.messages[:_FIRST_MESSAGES]:
        match = _ISSUE.search(message.text[:_MAX_OUTPUT]) if message.role == "user" else None
        if match is not None:
            title = bare(match["title"])
            told = Candidate(title, "state", title_keys(title, log.frequency))
            point, found = log.find_due(told, log.position[message.id], most=_MAX_TITLE_MENTIONS)
            question = "The user handed over a report to work on. What is its title?"
            yield Draft("continuation", "issue", question, found, point, 0.1, least=1)
            return


def _failing_tests(log: ProbeLog, run: Sequence[Command], point: int) -> Iterator[Draft]:
    """The tests that the last run before a point named as failing.

    Nothing if its result cannot be read or its output names more tests than it counts.
    """
    asked = log.points[point]
    for command in reversed(run):
        place = log.position[command.message_id]
        if place > asked or not ran_tests(command):
            continue
        summary = result_of_tests(command) or ""
        counts = [sum(map(int, filter(None, found))) for found in _FAILED_COUNT.findall(summary)]
        matches = _FAILED_TEST.finditer(command.output[-_MAX_OUTPUT:])
        names = dict.fromkeys(next(filter(None, match.groups())).strip() for match in matches)
        if not counts or 0 < sum(counts) < len(names):
            return
        failing = (Candidate(name, "state", identifier_keys(name)) for name in names)
        found = log.find_all(failing, asked, most=20, tail=True)[:5]
        question = "Which tests still failed in the last test run?"
        rank = 0.3 if place > log.before_tail(asked) else 0.12
        yield Draft("continuation", "failing-tests", question, found, point, rank, least=1)
        return
