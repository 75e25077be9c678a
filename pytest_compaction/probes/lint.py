"""Check case files: can their questions measure anything?

An error makes a case unfit for use: the loader refuses it, a question gives its answer
away or is asked twice, the keys of a fact do not fit it, the full log does not state it,
or the tail keeps all facts of a probe. A warning names what measures little. ``RULES``
lists all rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pytest_compaction.case.case import Case
from pytest_compaction.case.files import CaseFileError, load_cases
from pytest_compaction.conversation.messages import readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.probes.lint_rules.choices import choice_findings
from pytest_compaction.probes.lint_rules.finding import RULES as RULES
from pytest_compaction.probes.lint_rules.finding import Level, LintFinding
from pytest_compaction.probes.lint_rules.full_log import (
    full_log_readings,
    unanswered_facts,
    unstated,
)
from pytest_compaction.probes.lint_rules.key_groups import key_findings
from pytest_compaction.probes.lint_rules.latest import latest_findings
from pytest_compaction.probes.lint_rules.log_size import log_findings
from pytest_compaction.probes.lint_rules.questions import question_findings
from pytest_compaction.probes.lint_rules.standing import standing_findings
from pytest_compaction.probes.lint_rules.whole import whole_findings
from pytest_compaction.probes.lint_rules.wording import wording_findings
from pytest_compaction.text import Reading, TextIndex


@dataclass(frozen=True, slots=True)
class Inspection:
    """The cases that could be loaded, and all findings in the order of files and places."""

    cases: tuple[Case, ...]
    findings: tuple[LintFinding, ...]

    def count(self, level: Level) -> int:
        """How many findings of one level there are."""
        return sum(finding.level == level for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where the log states a fact, and how it was read there.

    ``message`` is the id of the first message before the question that states it; empty
    if none does.
    """

    pointer: str
    text: str
    message: str
    reading: Reading


def inspect(paths: Iterable[Path], tail: int | None = None, answer: bool = True) -> Inspection:
    """Check every case below the paths.

    ``tail`` is the tail that every strategy is expected to keep, in tokens; a quarter of
    the budget if absent. Without ``answer``, the offline model answers no question.
    """
    loaded = load_cases(paths)
    found = [finding for error in loaded.errors for finding in _refused(error)]
    counter = TokenCounter()
    for case in loaded.cases:
        if any(probe.nuggets for probe in case.probes):
            continue  # a question of a published set is taken as it is
        found += question_findings(case)
        found += key_findings(case)
        found += wording_findings(case)
        found += latest_findings(case)
        found += whole_findings(case)
        found += standing_findings(case)
        found += choice_findings(case)
        found += log_findings(case, tail, counter)
        found += unstated(case)
        if answer:
            found += unanswered_facts(case, counter)
    order = {case.source: number for number, case in enumerate(loaded.cases)}
    ordered = sorted(found, key=lambda each: (order.get(each.source, -1), each.source, each.level))
    return Inspection(loaded.cases, tuple(ordered))


def explain(case: Case) -> Iterator[Explanation]:
    """For each fact: which words of which message decide that the log states it."""
    indexes: dict[str, TextIndex] = {}
    place = {message.id: message for message in case.messages}
    for number, index, view in full_log_readings(case):
        fact = case.probes[number].facts[index]
        pointer = f"/probes/{number}/facts/{index}"
        for id in fact.evidence:
            if id not in indexes:
                indexes[id] = TextIndex(readable(place[id]))
            reading = indexes[id].read(fact.statement)
            if reading.outcome == "stated":
                yield Explanation(pointer, fact.text, id, reading)
                break
        else:
            yield Explanation(pointer, fact.text, "", view.read(fact.statement))


def _refused(error: CaseFileError) -> Iterator[LintFinding]:
    for fault in error.faults:
        text = f"found {fault.found}; expected {fault.expected}"
        yield LintFinding(error.source, fault.pointer or "/", "error", "unusable", text)


def by_rule(findings: Iterable[LintFinding]) -> dict[str, int]:
    """The number of findings of each rule, largest first."""
    counts = Counter(finding.rule for finding in findings)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
