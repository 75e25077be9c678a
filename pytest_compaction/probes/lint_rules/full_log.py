"""What the full log says about a fact, and what the offline model answers from it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from pytest_compaction.case.case import Case
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.facts.survival import view_index
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.run.responder import Responder
from pytest_compaction.text import TextIndex


def full_log_readings(case: Case) -> Iterator[tuple[int, int, TextIndex]]:
    """For each fact: the numbers of its probe and of itself, and the log up to the question."""
    views: dict[int, TextIndex] = {}
    for number, probe in enumerate(case.probes):
        if probe.point not in views:
            views[probe.point] = view_index(case.log_until(probe.point))
        for index in range(len(probe.facts)):
            yield number, index, views[probe.point]


def unstated(case: Case) -> Iterator[LintFinding]:
    """Facts that the full log, read as one view, does not state when they are asked for."""
    for number, index, view in full_log_readings(case):
        fact = case.probes[number].facts[index]
        reading = view.read(fact.statement)
        if reading.outcome != "stated":
            why = f" ({reading.why})" if reading.why else ""
            said = f": it says {quoted(reading.clause)}" if reading.clause else ""
            text = f"{quoted(fact.text)} is {reading.outcome} in the full log{why}{said}"
            pointer = f"/probes/{number}/facts/{index}"
            yield finding(case, pointer, "error", "not-in-log", text)


def unanswered_facts(case: Case, counter: TokenCounter) -> Iterator[LintFinding]:
    """Facts that the offline answer from the full log does not state; a choice has none."""
    responder = Responder(OfflineModel(counter), counter)
    for number, probe in enumerate(case.probes):
        if probe.choice is not None:
            continue
        view = case.log_until(probe.point)
        answer = asyncio.run(responder.answer(view, probe.question, probe.answer, kind=probe.kind))
        index = TextIndex(answer.text)
        stated = [index.read(fact.statement).outcome == "stated" for fact in probe.facts]
        whole = "" if any(stated) else ", nor is any other fact of this probe"
        for place, fact in enumerate(probe.facts):
            if not stated[place]:
                text = f"{quoted(fact.text)} is not in the offline answer from the full log{whole}"
                pointer = f"/probes/{number}/facts/{place}"
                yield finding(case, pointer, "warning", "unanswerable", text)
