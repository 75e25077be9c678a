"""Compliance probes: does the constraint stand, who gave it, and do the options tell it?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.case.choice import Choice
from pytest_compaction.metrics.constraints.survival import (
    GIVERS,
    against,
    liftings,
    since_given,
)
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted

_WORD: Final = re.compile(r"\w+(?:['’]\w+)?")
_NAMES_A_RULE: Final = re.compile(
    r"\b(?:rules?|constraints?|restrictions?|instruct(?:ed|ions?)|forbidden|prohibited|"
    r"not allowed|as (?:asked|told|agreed|requested)|(?:you|user) (?:said|asked|told|wants?))\b",
    re.I,
)


def choice_findings(case: Case) -> Iterator[LintFinding]:
    """Constraints that do not stand or that nobody gave, and options that are alike or tell."""
    for number, probe in enumerate(case.probes):
        if probe.choice is None:
            continue
        place = f"/probes/{number}"
        for index, fact in enumerate(probe.facts):
            yield from _constraint(case, probe, fact, f"{place}/facts/{index}")
        yield from _options(case, probe.choice, f"{place}/options")


def _constraint(case: Case, probe: Probe, fact: Fact, pointer: str) -> Iterator[LintFinding]:
    later = since_given(fact, case, probe.point)
    lifted = next(liftings(fact, later), None)
    doubted = None if lifted else next(against(fact, later), None)
    if lifted:
        message, words = lifted
        text = f"{quoted(fact.text)} no longer stands: {message.id} says {quoted(words)}"
        yield finding(case, pointer, "error", "not-standing", text)
    elif doubted:
        message, words = doubted
        text = f"{message.id} says {quoted(words)}: does {quoted(fact.text)} still stand?"
        yield finding(case, pointer, "warning", "not-standing", text)
    givers = [m for m in case.messages if m.id in fact.evidence and m.role in GIVERS]
    if not givers:
        text = f"no turn of the user or system in the evidence states {quoted(fact.text)}"
        yield finding(case, pointer, "warning", "not-given", text)


def _options(case: Case, choice: Choice, pointer: str) -> Iterator[LintFinding]:
    if _words(choice.complying) == _words(choice.other):
        text = f"both options say {quoted(choice.complying)}"
        yield finding(case, pointer, "error", "same-options", text)
    for name, option in (("complying", choice.complying), ("other", choice.other)):
        names = _NAMES_A_RULE.search(option)
        if names:
            text = f"{quoted(names[0])} tells which option complies: say only what is done"
            yield finding(case, f"{pointer}/{name}", "warning", "option-tells", text)


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
