"""Do the facts of a probe hold all that its question asks for, and does it say of what?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.artifacts.file_states import FileState
from pytest_compaction.artifacts.known_files import same_end
from pytest_compaction.artifacts.operations import commands, file_operations
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.probes.data import states
from pytest_compaction.probes.exact import telling
from pytest_compaction.probes.keys import given_away
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.probes.phrases import quotable, shown_command, unasked
from pytest_compaction.probes.sources.announced import VAGUE
from pytest_compaction.probes.sources.errors import error_lines
from pytest_compaction.probes.sources.files import lasting_files

_ALL_FILES: Final = re.compile(
    r"^Which files(?: under `(?P<folder>[^`]+)`)? (?:that existed before )?were "
    r"(?P<what>created|deleted|modified)\b"
)
_PURPOSE: Final = re.compile(r"\b(?:to do this|announced): “(?P<quote>[^”]+)”")
_FIRST_ERROR: Final = re.compile(r"\berror did the command `(?P<command>[^`]+)` report first\b")
_NEXT: Final = re.compile(r"^The user had asked: “(?P<quote>.+)”\. What did the user ask for next")
_PRINTED: Final = re.compile(r"\bwhat did it print\b", re.I)
_SHOWN: Final = 3


def whole_findings(case: Case) -> Iterator[LintFinding]:
    """Lists that lack files, parts of requests, later errors, vague quotes, what is told."""
    held: dict[int, list[FileState]] = {}
    for number, probe in enumerate(case.probes):
        log = case.messages[: case.points[probe.point].index + 1]
        pointer = f"/probes/{number}"
        if _ALL_FILES.match(probe.question) and probe.point not in held:
            held[probe.point] = lasting_files(file_operations(log))
        yield from _lacking(case, probe, held, pointer)
        yield from _part_of_request(case, probe, log, pointer)
        yield from _later_error(case, probe, log, pointer)
        yield from _wording(case, probe, pointer)


def _lacking(
    case: Case, probe: Probe, held: Mapping[int, Sequence[FileState]], pointer: str
) -> Iterator[LintFinding]:
    asked = _ALL_FILES.match(probe.question)
    if asked is None:
        return
    inside = f"{asked['folder']}/" if asked["folder"] else ""
    named = [key for fact in probe.facts for group in fact.keys for key in group]
    named += [fact.text for fact in probe.facts]
    lacking = [
        state.path
        for state in held[probe.point]
        if state.path.startswith(inside)
        and _belongs(state, asked["what"])
        and not any(_names(each, state.path) for each in named)
    ]
    if lacking:
        text = f"the log shows {len(lacking)} more: {', '.join(lacking[:_SHOWN])}"
        yield finding(case, f"{pointer}/facts", "warning", "incomplete", text)


def _names(text: str, path: str) -> bool:
    return text == path or same_end(text, path)


def _belongs(state: FileState, what: str) -> bool:
    if what == "deleted":
        return state.deleted
    if what == "created":
        return state.created and not state.deleted
    return state.modified and not (state.created or state.deleted or state.renamed_from)


def _part_of_request(
    case: Case, probe: Probe, log: Sequence[Message], pointer: str
) -> Iterator[LintFinding]:
    asked = _NEXT.match(probe.question)
    if asked is None:
        return
    turns = [message.text for message in log if message.role == "user" and message.text.strip()]
    places = [place for place, text in enumerate(turns[:-1]) if quotable(text) == asked["quote"]]
    if len(places) == 1:
        following = turns[places[0] + 1]
        held = sum(len(fact.text.split()) for fact in probe.facts if fact.type != "path")
        if held * 2 < len(unasked(following).split()):
            text = f"the facts hold less than half of what the user wrote: {quoted(following)}"
            yield finding(case, f"{pointer}/facts", "warning", "half-held", text)


def _later_error(
    case: Case, probe: Probe, log: Sequence[Message], pointer: str
) -> Iterator[LintFinding]:
    asked = _FIRST_ERROR.search(probe.question)
    if asked is None:
        return
    shown = f"`{asked['command']}`"
    outputs = [run.output for run in commands(log) if shown_command(run.text) == shown]
    errors = [forms for output in outputs[:1] for forms in error_lines(output)]
    for index, fact in enumerate(probe.facts):
        if errors and errors[0] and not any(states(form, fact) for form in errors[0]):
            text = f"the first error is {quoted(errors[0][0])}"
            yield finding(case, f"{pointer}/facts/{index}", "warning", "not-the-first", text)


def _wording(case: Case, probe: Probe, pointer: str) -> Iterator[LintFinding]:
    purpose = _PURPOSE.search(probe.question)
    if purpose is not None and (vague := VAGUE.search(purpose["quote"])):
        text = f"“{vague[0]}” in the quote points at what only earlier messages name"
        yield finding(case, f"{pointer}/question", "warning", "vague", text)
    if not _PRINTED.search(probe.question):
        return
    for index, fact in enumerate(probe.facts):
        tells = [group for group in fact.keys if any(map(telling, group))]
        if tells and all(given_away(probe.question, (group,), group[0]) for group in tells):
            text = f"the question tells all that is exact in {quoted(fact.text)}"
            yield finding(case, f"{pointer}/facts/{index}", "warning", "half-told", text)
