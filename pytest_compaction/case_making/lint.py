"""Check case files: can their questions measure anything?

An error makes a case unfit for use, a warning names what measures little; ``RULES`` lists all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from pytest_compaction.case import Case, find_cases, probe_digest
from pytest_compaction.case_making.lint_facts import (
    Level,
    Remark,
    check_choices,
    check_keys,
    check_questions,
    check_sizes,
    check_wording,
    numbered_facts,
    quoted,
)
from pytest_compaction.case_making.selection import FullLogControl
from pytest_compaction.conversation import readable
from pytest_compaction.metrics import view_index
from pytest_compaction.text import Reading, TextIndex

RULES: Final[Mapping[str, tuple[Level, str]]] = {
    "unusable": ("error", "The loader refuses the file."),
    "leak": ("error", "The question gives a fact away."),
    "duplicate-question": ("error", "Two probes ask the same at the same point."),
    "duplicate-fact": ("error", "A probe lists the same fact twice."),
    "duplicate-trap": ("error", "A probe lists the same trap twice."),
    "overlapping-fact": ("warning", "One fact of a probe states another one."),
    "duplicate-facts": (
        "warning",
        "Another probe at the same point asks for all facts of this one.",
    ),
    "trap-is-true": ("error", "The facts of the probe themselves fall into its trap."),
    "keys-disagree": (
        "error",
        "The text of a fact or trap does not state what its own keys ask for.",
    ),
    "keys-too-loose": (
        "error",
        "A trap of the probe states the fact, so its keys cannot tell them apart.",
    ),
    "keys-accept-opposite": (
        "error",
        "The keys accept the fact with its negation taken out or put in, or with another number.",
    ),
    "keys-missing": ("warning", "A whole sentence without keys is read by its wording alone."),
    "small-number": (
        "warning",
        "A small number is the only key, and it stands everywhere in a log.",
    ),
    "no-rule": ("warning", "A fact of type constraint binds no later turn."),
    "fragment": ("warning", "The text of a fact is the middle of a sentence."),
    "fits-budget": (
        "warning",
        "The whole log fits the budget, so that nothing has to be compacted.",
    ),
    "said-fits-budget": (
        "warning",
        "All that was said fits the budget, so that keeping it is enough.",
    ),
    "empty-dimension": ("warning", "No fact of the case counts for one of the dimensions."),
    "kept-by-tail": ("warning", "The tail before the question states the fact."),
    "not-in-log": (
        "error",
        "The full log does not state the fact at the point where it is asked for.",
    ),
    "not-standing": (
        "error",
        "The user lifted the constraint of a compliance probe before it is asked.",
    ),
    "not-given": (
        "warning",
        "No turn of the user or system states the constraint of a compliance probe.",
    ),
    "same-options": ("error", "Both options of a compliance probe say the same."),
    "option-tells": (
        "warning",
        "An option of a compliance probe names the constraint that it rests on.",
    ),
    "unanswerable": ("warning", "The offline answer from the full log does not state the fact."),
}
"""Every rule by its name, which does not change: its usual level, and one sentence about it."""


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One fault (``error``) or weakness (``warning``) of a case."""

    source: str
    pointer: str
    level: Level
    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Inspection:
    """The cases that could be loaded, and all findings in the order of files and places."""

    cases: tuple[Case, ...]
    findings: tuple[LintFinding, ...]

    def count(self, level: Level) -> int:
        """Number of findings of one level."""
        return sum(finding.level == level for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The message of the log that states a fact, and its reading."""

    pointer: str
    text: str
    message: str
    reading: Reading


def inspect(paths: Iterable[Path], tail: int | None = None, answer: bool = True) -> Inspection:
    """Check every case below the paths.

    ``tail`` is the tail that every strategy is expected to keep, in tokens; a quarter of
    the budget if absent. Without ``answer``, the offline model answers no question.
    """
    loaded = find_cases(paths)
    cases = loaded.cases
    found = [
        LintFinding(
            error.source,
            fault.pointer or "/",
            RULES["unusable"][0],
            "unusable",
            f"found {fault.found}; expected {fault.expected}",
        )
        for error in loaded.errors
        for fault in error.faults
    ]
    for case in cases:
        if not any(probe.nuggets for probe in case.probes):  # those of a set are taken as they are
            found += (
                LintFinding(case.source, pointer, level or RULES[rule][0], rule, text)
                for pointer, rule, text, level in _remarks(case, tail, answer)
            )
    order = {case.source: number for number, case in enumerate(cases)}
    ordered = sorted(found, key=lambda each: (order.get(each.source, -1), each.source, each.level))
    return Inspection(cases, tuple(ordered))


def _remarks(case: Case, tail: int | None, answer: bool) -> Iterator[Remark]:
    """The remarks on a case, and on its proposed questions as if they were asked."""
    yield from _remarks_on_probes(case, tail, answer)
    if case.proposed:
        # Cases with equal digests share what is kept for them.
        digest = " ".join((case.digest, *map(probe_digest, case.proposed)))
        waiting = replace(case, probes=case.proposed, proposed=(), digest=digest)
        for remark in _remarks_on_probes(waiting, tail, answer):
            if remark.pointer.startswith("/probes/"):
                pointer = remark.pointer.replace("/probes/", "/proposed/", 1)
                yield remark._replace(pointer=pointer)


def _remarks_on_probes(case: Case, tail: int | None, answer: bool) -> Iterator[Remark]:
    yield from check_questions(case)
    yield from check_keys(case)
    yield from check_wording(case)
    yield from check_choices(case)
    yield from check_sizes(case, tail)
    yield from check_full_log(case)
    if answer:
        yield from _unanswered(case)


def check_full_log(case: Case) -> Iterator[Remark]:
    """Facts that the full log, read as one view, does not state when they are asked for."""
    view = _views(case)
    for probe, fact, pointer in numbered_facts(case):
        reading = view(probe.point).read(fact.statement)
        if reading.outcome != "stated":
            why = f" ({reading.why})" if reading.why else ""
            said = f": it says {quoted(reading.clause)}" if reading.clause else ""
            text = f"{quoted(fact.text)} is {reading.outcome} in the full log{why}{said}"
            yield Remark(pointer, "not-in-log", text)


def _views(case: Case) -> Callable[[int], TextIndex]:
    """The log up to each point as one view, made when it is first read."""
    return cache(lambda point: view_index(case.log_until(point)))


def _unanswered(case: Case) -> Iterator[Remark]:
    control = FullLogControl.of(case)
    for number, probe in enumerate(case.probes):
        if probe.choice is not None:
            continue
        answer = control.answer(probe.question, probe.answer, probe.point, probe.kind)
        stated = [answer.is_stated(fact.statement) for fact in probe.facts]
        whole = "" if any(stated) else ", nor is any other fact of this probe"
        for place, fact in enumerate(probe.facts):
            if not stated[place]:
                text = f"{quoted(fact.text)} is not in the offline answer from the full log{whole}"
                yield Remark(f"/probes/{number}/facts/{place}", "unanswerable", text)


def explain(case: Case) -> Iterator[Explanation]:
    """For each fact: which words of which message decide that the log states it."""
    text_of = {message.id: readable(message) for message in case.messages}
    message_index = cache(lambda id: TextIndex(text_of[id]))
    view = _views(case)
    for probe, fact, pointer in numbered_facts(case):
        readings = ((id, message_index(id).read(fact.statement)) for id in fact.evidence)
        first = next((each for each in readings if each[1].outcome == "stated"), None)
        id, reading = first or ("", view(probe.point).read(fact.statement))
        yield Explanation(pointer, fact.text, id, reading)


def by_rule(findings: Iterable[LintFinding]) -> dict[str, int]:
    """The number of findings of each rule, largest first."""
    counts = Counter(finding.rule for finding in findings)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
