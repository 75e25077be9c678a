"""Check case files: can their questions measure anything?

An error makes a case unfit for use: the loader refuses it, a question gives its answer
away or is asked twice, the right answer falls into a trap, or a probe measures nothing
because the tail states all its facts or the offline model finds none of them in the
full log. A warning names a weak fact in a probe whose other facts do measure something.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.case.files import CaseFileError, load_cases
from pytest_compaction.case.tail import assumed_tail_room, assumed_tail_start
from pytest_compaction.conversation.messages import readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.judges.model_judge import ModelJudge
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.rubric import dimension_scores, overall_score
from pytest_compaction.run.responder import Responder
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import is_path, normalize, printable

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One fault (``error``) or weakness (``warning``) of a case.

    ``source`` is the file (and line), ``pointer`` the JSON pointer in it, ``rule`` the
    name of the check.
    """

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
        """How many findings of one level there are."""
        return sum(finding.level == level for finding in self.findings)


def inspect(paths: Iterable[Path], tail: int | None = None, answer: bool = True) -> Inspection:
    """Check every case below the paths.

    ``tail`` is the tail that every strategy is expected to keep, in tokens; a quarter of
    the budget if absent. Without ``answer``, the offline model answers no question.
    """
    loaded = load_cases(paths)
    found = [finding for error in loaded.errors for finding in _refused(error)]
    counter = TokenCounter()
    for case in loaded.cases:
        found += _asked(case)
        found += _weak(case, tail, counter)
        if answer:
            found += _unanswered(case, counter)
    order = {case.source: number for number, case in enumerate(loaded.cases)}
    ordered = sorted(found, key=lambda each: (order.get(each.source, -1), each.source, each.level))
    return Inspection(loaded.cases, tuple(ordered))


def _refused(error: CaseFileError) -> Iterator[LintFinding]:
    for fault in error.faults:
        text = f"found {fault.found}; expected {fault.expected}"
        yield LintFinding(error.source, fault.pointer or "/", "error", "unusable", text)


def _asked(case: Case) -> Iterator[LintFinding]:
    """Leaks, repetitions, and traps that the facts themselves fall into."""
    questions: dict[tuple[int, str], int] = {}
    for number, probe in enumerate(case.probes):
        place = f"/probes/{number}"
        key = (probe.point, normalize(probe.question))
        if key in questions:
            text = f"repeats the question of /probes/{questions[key]} at the same point"
            yield LintFinding(case.source, f"{place}/question", "error", "duplicate-question", text)
        questions.setdefault(key, number)
        yield from _facts(case, probe, place)
        answer = TextIndex("\n".join(fact.text for fact in probe.facts))
        for index, trap in enumerate(probe.traps):
            if trap.hit_by(answer):
                text = f"the facts themselves fall into the trap {_quoted(trap.text)}"
                yield LintFinding(
                    case.source, f"{place}/traps/{index}", "error", "trap-is-true", text
                )
    yield from _repeated(case)


def _facts(case: Case, probe: Probe, place: str) -> Iterator[LintFinding]:
    question = TextIndex(probe.question)
    seen: dict[str, int] = {}
    for index, fact in enumerate(probe.facts):
        pointer = f"{place}/facts/{index}"
        if question.states(fact.forms):
            text = f"the question itself states {_quoted(fact.text)}"
            yield LintFinding(case.source, pointer, "error", "leak", text)
        normal = normalize(fact.text)
        if normal in seen:
            text = f"repeats the fact {place}/facts/{seen[normal]}: {_quoted(fact.text)}"
            yield LintFinding(case.source, pointer, "error", "duplicate-fact", text)
            continue
        seen[normal] = index
        own = TextIndex(fact.text)
        for other, earlier in enumerate(probe.facts[:index]):
            if own.states((earlier.text,)) or TextIndex(earlier.text).states((fact.text,)):
                text = f"{_quoted(fact.text)} and {place}/facts/{other} partly state the same"
                yield LintFinding(case.source, pointer, "warning", "overlapping-fact", text)
                break


def _repeated(case: Case) -> Iterator[LintFinding]:
    """Probes whose facts are all asked for by another probe at the same point."""
    held = [frozenset(normalize(fact.text) for fact in probe.facts) for probe in case.probes]
    for number, facts in enumerate(held):
        for other, more in enumerate(held):
            same = case.probes[number].point == case.probes[other].point
            if other != number and same and (facts < more or (facts == more and other < number)):
                text = f"/probes/{other} asks for all of its facts too"
                yield LintFinding(
                    case.source, f"/probes/{number}", "warning", "duplicate-facts", text
                )
                break


def _weak(case: Case, tail: int | None, counter: TokenCounter) -> Iterator[LintFinding]:
    """Logs that fit their budget, and facts in the tail that every strategy keeps."""
    sizes = [counter.message(message) for message in case.messages]
    room = assumed_tail_room(case.budget) if tail is None else tail
    total = sum(sizes[: case.points[-1].index + 1])
    fits = total <= case.budget
    if fits:
        text = (
            f"the log takes {total:,} tokens and fits the budget of {case.budget:,}: "
            "nothing needs to be compacted"
        )
        yield LintFinding(case.source, "/budget", "warning", "fits-budget", text)
    tails: dict[int, TextIndex] = {}
    for number, probe in enumerate(case.probes):
        if probe.kind == "continuation":
            continue
        if probe.point not in tails:
            tails[probe.point] = _tail(case, probe.point, sizes, room)
        kept = [tails[probe.point].states(fact.forms) for fact in probe.facts]
        useless = all(kept) and not fits and not _about_files(probe)
        level: Level = "error" if useless else "warning"
        whole = ", and with it all facts of this probe" if level == "error" else ""
        for index, fact in enumerate(probe.facts):
            if kept[index]:
                text = (
                    f"the tail before the question ({room:,} tokens, at least the last message) "
                    f"states {_quoted(fact.text)}: every strategy that keeps a tail keeps "
                    f"it{whole}"
                )
                pointer = f"/probes/{number}/facts/{index}"
                yield LintFinding(case.source, pointer, level, "kept-by-tail", text)


def _about_files(probe: Probe) -> bool:
    """Whether a fact is a path: a tail that names a file may not say what was done to it."""
    return any(is_path(normalize(fact.text)) for fact in probe.facts)


def _tail(case: Case, point: int, sizes: Sequence[int], room: int) -> TextIndex:
    end = case.points[point].index + 1
    start = assumed_tail_start(sizes, end, room)
    return TextIndex("\n".join(readable(message) for message in case.messages[start:end]))


def _unanswered(case: Case, counter: TokenCounter) -> Iterator[LintFinding]:
    """Facts that the offline model does not find in the full log, with the score of its answer."""
    model = OfflineModel(counter)
    responder, judge = Responder(model, counter), ModelJudge(model)
    for number, probe in enumerate(case.probes):
        view = case.log_until(probe.point)
        answer = asyncio.run(responder.answer(view, probe.question, probe.answer))
        reply = asyncio.run(judge.reply(case, probe, answer.text))
        scores = {criterion.id: criterion.score for criterion in reply.criteria}
        overall = overall_score(dimension_scores(scores))
        scored = "is unscored" if overall is None else f"scores {overall:.2f} of 5"
        stated = reply.stated or tuple(False for _ in probe.facts)
        level: Level = "warning" if any(stated) else "error"
        whole = "" if any(stated) else ", nor is any other fact of this probe"
        for index, (fact, found) in enumerate(zip(probe.facts, stated, strict=True)):
            if not found:
                text = (
                    f"{_quoted(fact.text)} is not in the offline answer from the full log, "
                    f"which {scored}{whole}"
                )
                pointer = f"/probes/{number}/facts/{index}"
                yield LintFinding(case.source, pointer, level, "unanswerable", text)


def _quoted(text: str) -> str:
    return f"“{printable(text, 80)}”"


def by_rule(findings: Iterable[LintFinding]) -> dict[str, int]:
    """The number of findings of each rule, largest first."""
    counts = Counter(finding.rule for finding in findings)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
