"""Facts that are no whole statement, and questions that ask for more than their facts hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.probes.exact import small_number, telling
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.probes.phrases import finished

_SAYING: Final = frozenset({"state", "reason", "decision", "constraint", "next_step", "error"})
"""Types of facts whose text is a statement, not a name or a value."""
_MIDDLE: Final = re.compile(
    r"(?:that|this|it|they|these|those) (?:should|must|is|was|are|were|will|would|has|had|does)\b"
    r"|with the use of\b|due to\b|(?:and|but|which|so that)\b",
    re.I,
)
_ONE_OF_MANY: Final = re.compile(
    r"\bwhich (?:line|new names?)\b[^?]*\b(?:edits?|bring|brought|put)\b", re.I
)
_HARNESS: Final = re.compile(
    r"“\s*(?:<[a-z]+-[\w-]*>|\[Request interrupted|Base directory for this skill|[-+]\d*\s"
    r"|This session is being continued)",
    re.I,
)
_ASKS_BOTH: Final = re.compile(r"\bwhat did the user ask\b[^?]*\band which files\b", re.I)


def wording_findings(case: Case) -> Iterator[LintFinding]:
    """Fragments, thin keys, one of many, unheld halves of a question, quotes of a harness."""
    for number, probe in enumerate(case.probes):
        place = f"/probes/{number}"
        for index, fact in enumerate(probe.facts):
            yield from _fact(case, fact, f"{place}/facts/{index}")
        yield from _question(case, probe, f"{place}/question")


def _fact(case: Case, fact: Fact, pointer: str) -> Iterator[LintFinding]:
    cut = finished(fact.text) != fact.text or _MIDDLE.match(fact.text)
    if fact.type in _SAYING and cut:
        text = f"{quoted(fact.text)} is the middle of a sentence: say what it is about"
        yield finding(case, pointer, "warning", "fragment", text)
    alone = len(fact.keys) == 1 and not any(telling(k) or small_number(k) for k in fact.keys[0])
    if alone and fact.type in (_SAYING - {"error"}) | {"value"}:
        shown = quoted("|".join(fact.keys[0]))
        text = f"{shown} is all that tells {quoted(fact.text)}: add groups for the rest of it"
        yield finding(case, pointer, "info", "one-group", text)


def _question(case: Case, probe: Probe, pointer: str) -> Iterator[LintFinding]:
    if _ONE_OF_MANY.search(probe.question):
        text = "an edit may bring in many lines and names: ask for one that its use tells apart"
        yield finding(case, pointer, "warning", "one-of-many", text)
    if _HARNESS.search(probe.question):
        text = "the question quotes a text of the agent's program or a patch as the user's"
        yield finding(case, pointer, "warning", "not-the-user", text)
    if _ASKS_BOTH.search(probe.question) and all(fact.type == "path" for fact in probe.facts):
        text = "the question asks for a request too, and no fact holds it"
        yield finding(case, pointer, "warning", "half-held", text)
