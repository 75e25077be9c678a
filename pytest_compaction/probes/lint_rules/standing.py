"""Does what a probe asks for still stand, and do its words tell something?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.conversation.messages import readable
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.probes.lint_rules.unseen import (
    FILES,
    HOME,
    hidden_changes,
    second_homes,
)
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.announced import tells_work
from pytest_compaction.probes.sources.code.comments import tells_name
from pytest_compaction.probes.sources.code.standing import standing_code, standing_commits
from pytest_compaction.probes.vocabulary import FILLERS
from pytest_compaction.text import is_path, normalize, stem

_CODE: Final = re.compile(
    r"\b(?:function|method|type|class) `(?P<name>\w+)`(?=[^?]*\b(?:defined|take|return)\b)"
)
_COMMIT: Final = re.compile(r"\bhash(?:es)?\b[^?]*\bcommits?\b", re.I)
_COMMENT: Final = re.compile(r"\bcomment\b[^?]*“… (?P<does>[^”]+)”")
_ANNOUNCED: Final = re.compile(r"\bannounced: “(?P<said>[^”]+)”")


def standing_findings(case: Case) -> Iterator[LintFinding]:
    """What is gone or may not be all, names that a comment tells, empty quotes, filler keys."""
    log: ProbeLog | None = None
    for number, probe in enumerate(case.probes):
        pointer = f"/probes/{number}"
        if any(rule.search(probe.question) for rule in (_CODE, _COMMIT, FILES, HOME)):
            log = log or ProbeLog(case.messages, [point.index for point in case.points])
            yield from hidden_changes(case, probe, log, pointer)
            yield from second_homes(case, probe, log, pointer)
        if log is not None and (_CODE.search(probe.question) or _COMMIT.search(probe.question)):
            yield from _gone(case, probe, log, pointer)
        yield from _words(case, probe, pointer)


def _gone(case: Case, probe: Probe, log: ProbeLog, pointer: str) -> Iterator[LintFinding]:
    asked = case.points[probe.point].index
    named = _CODE.search(probe.question)
    for index, fact in enumerate(probe.facts):
        lost = _left(log, named["name"], fact, asked) if named else _undone(log, fact, asked)
        if lost:
            text = f"{quoted(fact.text)} does not stand any more when it is asked for"
            yield finding(case, f"{pointer}/facts/{index}", "warning", "gone-since", text)


def _left(log: ProbeLog, name: str, fact: Fact, asked: int) -> bool:
    """Whether the log showed a definition before it took it away."""
    keys = [key for group in fact.keys for key in group]
    path = next((key for key in keys if is_path(normalize(key))), "")
    code = standing_code(log)
    return code.knows(name, asked) and not code.has(name, path, asked)


def _undone(log: ProbeLog, fact: Fact, asked: int) -> bool:
    shown = {
        fact.text[:7]: place
        for place, message in enumerate(log.messages[: asked + 1])
        if message.role != "assistant" and fact.text[:7] in readable(message)
    }
    hash = re.fullmatch(r"[0-9a-f]{7,40}", fact.text)
    return bool(hash and shown) and not standing_commits(log, shown, asked)


def _words(case: Case, probe: Probe, pointer: str) -> Iterator[LintFinding]:
    said = _ANNOUNCED.search(probe.question)
    if said and not tells_work(said["said"]):
        text = f"{quoted(said['said'])} does not tell which work is meant"
        yield finding(case, f"{pointer}/question", "warning", "vague", text)
    comment = _COMMENT.search(probe.question)
    for index, fact in enumerate(probe.facts):
        place = f"{pointer}/facts/{index}"
        if comment and re.fullmatch(r"\w+", fact.text) and tells_name(fact.text, comment["does"]):
            text = f"the comment holds a word of {quoted(fact.text)}"
            yield finding(case, place, "warning", "half-told", text)
        fillers = [g[0] for g in fact.keys if len(g) == 1 and stem(g[0].casefold()) in FILLERS]
        if fillers and probe.kind == "continuation" and fact.type == "state":
            text = f"{quoted(fillers[0])} is a filler that a right answer easily leaves out"
            yield finding(case, place, "info", "filler-key", text)
