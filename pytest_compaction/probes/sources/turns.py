"""Continuation probes: what was asked for last, what came next, and what is the state?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from pytest_compaction.artifacts.errors import error_texts
from pytest_compaction.artifacts.operations import (
    Command,
    FileState,
    commands,
    file_operations,
    file_states,
)
from pytest_compaction.artifacts.outcomes import test_summary
from pytest_compaction.case.case import Change, FactType
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog, path_candidate
from pytest_compaction.probes.phrases import (
    asks,
    clauses,
    coarse,
    opening,
    points_elsewhere,
    quotable,
    sentences,
    unasked,
    whole_text,
)
from pytest_compaction.probes.sources.outputs import result_keys
from pytest_compaction.probes.test_commands import ran_check, ran_tests, result_of_tests
from pytest_compaction.text.words import printable

_PENDING: Final = re.compile(
    r"\b(?:todo|to-do|still (?:need|have|to)|remaining|left to do|next step|not yet|later we"
    r"|follow-up)\b",
    re.I,
)
_TOLD: Final = re.compile(
    r"(?:i|we|you|it|this|that|there|they|he|she|what|why|how|who|when|where|which|is|are|was|were"
    r"|does|do|did|has|have|had|can|could|because|since|if|like|opening|same)\b",
    re.I,
)
"""The first word of a story or of a question."""
_FAILED_COUNT: Final = re.compile(r"(\d+) (?:failed|errors?|FAIL)\b|\bfail (\d+)|FAILED")
_ERROR_LINE: Final = re.compile(r"\berror\b[^\n]{0,20}?[:\]]\s*(?P<text>[^\n]{10,110})", re.I)
_FAILED_TEST: Final = re.compile(
    r"^(?:FAILED|ERROR) (?P<pytest>\S+::[^\s-]+)|^--- FAIL: (?P<go>\w+)"
    r"|^not ok \d+ -? ?(?P<tap>.{5,90})$"
    r"|^\s*(?:✕|✗|×|✖) (?P<jest>.{5,90}?)(?: \(?\d+ ?ms\)?)?$"
    r"|^test (?P<cargo>[\w:]+) \.\.\. FAILED|^(?:FAIL|ERROR): (?P<unittest>\w+ \([\w.]+\))",
    re.MULTILINE,
)
"""Names of failing tests as printed by pytest, go, TAP, jest and vitest, cargo, unittest."""
_MAX_OUTPUT: Final = 20_000


def continuation_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about the last request and the state at each point, and about successive requests."""
    run = commands(log.messages)
    for point in range(len(log.points)):
        yield from _last_request(log, point)
        yield from _last_check(log, run, point)
        yield from _failing_tests(log, run, point)
    yield from _next_requests(log)
    yield from _pending(log)


def _clause_facts(
    log: ProbeLog, text: str, asked: int, type: FactType, tail: bool = False
) -> tuple[Found, ...]:
    pieces = [
        Candidate(unasked(clause), type)
        for clause in clauses(opening(text), least=4)
        if asks(clause) and log.familiar(clause) and not points_elsewhere(clause)
    ]
    return log.find_all(pieces, asked, tail=tail)


def _last_request(log: ProbeLog, point: int) -> Iterator[Draft]:
    asked = log.points[point]
    before = [(place, text) for place, text in log.requests if place <= asked]
    if not before:
        return
    place, text = before[-1]
    changed = _changed_since(log, place, asked)
    found = _clause_facts(log, text, asked, "state", tail=True)[:3]
    if not found and place == log.requests[0][0]:
        found = _heading(log, text, asked)
    files = log.find_all(changed, asked, most=20, tail=True)
    late = place > log.before_tail(asked)
    rank = (0.5 if late else 0.15) + (0.0 if found else 0.3)
    question = "What did the user ask for last, and which files have been changed for it so far?"
    if not changed:
        question = "What did the user ask for last?"
    elif not found:
        question = "Which files have been changed so far for what the user asked for last?"
    facts = (*found, *files[:3])
    yield Draft("continuation", "last-request", question, facts, point, rank)


def _heading(log: ProbeLog, text: str, asked: int) -> tuple[Found, ...]:
    """What a report that asks for nothing in words is about: the first clause that names it."""
    named = (
        Candidate(clause, "state")
        for clause in clauses(opening(text))
        if not _TOLD.match(clause) and log.familiar(clause) and not points_elsewhere(clause)
    )
    return log.find_all(named, asked, tail=True)[:1]


def _changed_since(log: ProbeLog, place: int, asked: int) -> list[Candidate]:
    """Files that were certainly changed between two positions and not restored since."""
    operations = [
        operation
        for operation in file_operations(log.messages[: asked + 1])
        if log.position[operation.message_id] >= place
    ]
    return [
        path_candidate(state.path, _change(state))
        for state in file_states(operations)
        if state.certain
        and not state.folder
        and (state.created or state.modified or state.deleted or state.renamed_from)
        and not (state.created and state.deleted)
    ]


def _change(state: FileState) -> Change:
    if state.deleted:
        return "deleted"
    return "created" if state.created else "modified"


def _last_check(log: ProbeLog, run: Sequence[Command], point: int) -> Iterator[Draft]:
    asked = log.points[point]
    for command in reversed(run):
        place = log.position[command.message_id]
        if place > asked or not ran_check(command):
            continue
        late = place > log.before_tail(asked)
        shown = printable(command.text.replace("`", ""), 100)
        yield Draft(
            "continuation",
            "last-check",
            f"How did the last test, build or check end, the command `{shown}`? "
            "Give its result or its errors.",
            _outcome(log, command, asked),
            point,
            0.45 if late else 0.2,
        )
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


def _outcome(log: ProbeLog, command: Command, asked: int) -> tuple[Found, ...]:
    lines = _ERROR_LINE.finditer(command.output[-_MAX_OUTPUT:])
    summary = test_summary(command.output) or ""
    texts = [
        *(text for match in lines if whole_text(text := match["text"].strip())),
        *(text for text in error_texts(command.output, command.failed) if whole_text(text)),
    ]
    told = [
        Candidate(summary, "state", result_keys(summary)),
        *(Candidate(text, "state") for text in texts[:60]),
    ]
    found = log.find_all(told, asked, most=4, tail=True)
    unique = {entry.fact.text: entry for entry in found}
    return tuple(unique.values())[:4]


def _next_requests(log: ProbeLog) -> Iterator[Draft]:
    asked, last = log.points[-1], len(log.points) - 1
    for (place, text), (_, following) in pairwise(log.requests):
        quoted = quotable(text)
        if len(quoted.split()) < 5 or coarse(following) or "\n" in following:
            continue
        if next(error_texts(following, False), None) is not None:
            continue
        found = _clause_facts(log, following, asked, "state")[:4]
        cut = 0.1 if quoted.endswith("…") else 0.0
        yield Draft(
            "continuation",
            "next-request",
            f"The user had asked: “{quoted}”. What did the user ask for next, after that?",
            found,
            last,
            0.4 - 0.05 * min(len(found), 4) + 0.1 * place / (asked + 1) + cut,
        )


def _pending(log: ProbeLog) -> Iterator[Draft]:
    asked, last = log.points[-1], len(log.points) - 1
    found: list[Found] = []
    for role in ("user", "assistant"):
        for place, text in log.turns(role):
            if place >= asked * 2 // 3:
                for sentence in filter(_PENDING.search, sentences(text)):
                    found += _clause_facts(log, sentence, asked, "next_step", tail=True)
    question = "What is still to be done, as said in the later part of the session?"
    yield Draft("continuation", "pending", question, tuple(found[:5]), last, 0.1)
