"""Entries from what commands printed: the last outcome of each command, and errors.

A command that was run again tells only its last outcome. Progress bars, rules and diffs are
left out, and of a long output the lines that tell the most are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import Command, commands
from pytest_compaction.artifacts.outputs import error_kind, error_texts
from pytest_compaction.artifacts.outputs import test_summary as summary_of_tests
from pytest_compaction.artifacts.trail import telling_commands
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.entry import (
    LAST_RUN,
    MAX_ENTRY_CHARACTERS,
    Entry,
    specificity,
)
from pytest_compaction.models.offline.topics import Topics
from pytest_compaction.text import clipped

_NOISE: Final = re.compile(
    r"[\s.=_*~!#|+FEsx-]*+(?:\[ *\d+%\])?\s*$|={3,}|_{3,}|-{3,}|.* PASSED +\[ *\d+%\]|collecting"
    r"|platform |rootdir|cachedir|plugins?:|configfile|testpaths|\(no output\)|diff --git"
    r"|index \w+\."
    r"|@@ |--- |\+\+\+ |.*\|\s+\d+ [+-]+$|.*files? changed,|  +File \"|Traceback "
)
_COMMIT: Final = re.compile(
    r"(?:\[[\w/.-]+ (?P<short>[0-9a-f]{7,12})\]|(?P<hash>[0-9a-f]{7,12})) (?P<subject>\S.*)$"
)
_INLINE: Final = re.compile(r"^\S+ -(?:c\b|$)|…")
"""A command that does not tell what was run, so that another may look the same."""
_FAILED: Final = re.compile(r"^FAILED (\S+)(?: - (.+))?$", re.MULTILINE)
_NOT_PASSED: Final = re.compile(r"\b[1-9]\d* (?:failed|errors?|FAIL)\b|FAILED|no tests|fail [1-9]")
_OUTCOME_CHARACTERS: Final = 240
_COMMAND_CHARACTERS: Final = 90
_LINES: Final = 400
_WORTH: Final = 1.5
_ERRORS_OF_RUN: Final = 3


def printed_entries(messages: Sequence[Message], topics: Topics) -> Iterator[Entry]:
    """Entries from the outputs of all commands, oldest first."""
    place = {message.id: order for order, message in enumerate(messages)}
    runs = commands(messages)
    green = max((n for n, run in enumerate(runs) if _passed(run)), default=-1)
    for number, run in enumerate(runs):
        order = place.get(run.message_id, 0)
        yield from _commits(run, order)
        told = telling_commands(run.text)
        if not told:
            continue
        tests = summary_of_tests(run.output)
        if tests:
            yield _tested(run, tests, order)
        if not (tests and number < green):
            yield from _errors(run, order, topics)
        outcome = _outcome(run, topics)
        if outcome and not tests:
            yield outcome_entry(_shown(told), outcome, order, topics)


def outcome_entry(command: str, outcome: str, order: int, topics: Topics) -> Entry:
    """What a command printed."""
    worth = specificity(outcome) + _WORTH + topics.share(outcome)
    text = clipped(f"`{command}`: {outcome}", MAX_ENTRY_CHARACTERS)
    subject = "" if _INLINE.search(command) else f"`{command}`"
    return Entry("outcome", text, worth, order, subject=subject)


def _passed(run: Command) -> bool:
    """Whether tests ran and none failed: then the errors of earlier test runs are settled."""
    tests = summary_of_tests(run.output)
    return tests is not None and not _NOT_PASSED.search(tests)


def _tested(run: Command, tests: str, order: int) -> Entry:
    command = next((line for line in run.text.splitlines() if "test" in line), run.text)
    command = re.split(r" ?&& ?git| ?; ?git", command)[0]
    failed = [match[1].rpartition("::")[2] for match in _FAILED.finditer(run.output)]
    what = f"{tests} (`{clipped(command, 60)}`)"
    what += f", failed: {', '.join(failed[:4])}" if failed else ""
    text = clipped(f"{LAST_RUN}{what}", MAX_ENTRY_CHARACTERS)
    return Entry("state", text, 6.0, order, subject=LAST_RUN)


def _commits(run: Command, order: int) -> Iterator[Entry]:
    """Commits that a run made or listed."""
    if "git" not in run.text:
        return
    for line in run.output.splitlines()[:_LINES]:
        match = _COMMIT.match(line)
        if match:
            commit = match["short"] or match["hash"]
            text = clipped(f"Commit {commit}: {match['subject']}", 120)
            yield Entry("outcome", text, 2.0, order, subject=f"Commit {commit}")


def _errors(run: Command, order: int, topics: Topics) -> Iterator[Entry]:
    for number, text in enumerate(error_texts(run.output, run.failed)):
        if number >= _ERRORS_OF_RUN:
            return
        worth = specificity(text) + 1.0 + topics.share(text)
        yield Entry("error", clipped(text, 200), worth, order, subject=error_kind(text))


def _shown(told: Sequence[str]) -> str:
    """A command as a summary names it."""
    return clipped("; ".join(told[:2]).replace("`", "'"), _COMMAND_CHARACTERS)


def _outcome(run: Command, topics: Topics) -> str:
    """The lines of an output that tell something, in order, as many as the limit allows."""
    lines = [
        " ".join(line.split())
        for line in run.output.splitlines()[:_LINES]
        if not _NOISE.match(line)
    ]
    lines = list(dict.fromkeys(line.strip("[] ") for line in lines if not _COMMIT.match(line)))
    ranked = sorted(range(len(lines)), key=lambda n: (-topics.worth(lines[n]), n))
    room, kept = _OUTCOME_CHARACTERS, []
    whole = sum(len(line) + 2 for line in lines) <= room
    for number in range(len(lines)) if whole else ranked:
        if len(lines[number]) + 2 <= room:
            kept.append(number)
            room -= len(lines[number]) + 2
    return ", ".join(lines[number].rstrip(",;") for number in sorted(kept))
