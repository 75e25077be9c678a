"""Questions that give facts away or repeat each other, facts that do, and traps that are true."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.probes.data import states
from pytest_compaction.probes.keys import given_away
from pytest_compaction.probes.lint_rules.finding import LintFinding, finding, quoted
from pytest_compaction.text import TextIndex, normalize


def question_findings(case: Case) -> Iterator[LintFinding]:
    """Leaks, repetitions, and traps that the facts themselves fall into."""
    questions: dict[tuple[int, str], int] = {}
    for number, probe in enumerate(case.probes):
        place = f"/probes/{number}"
        key = (probe.point, normalize(probe.question))
        if key in questions:
            text = f"repeats the question of /probes/{questions[key]} at the same point"
            yield finding(case, f"{place}/question", "error", "duplicate-question", text)
        questions.setdefault(key, number)
        yield from _facts(case, probe, place)
        yield from _traps(case, probe, place)
    yield from _repeated(case)


def _facts(case: Case, probe: Probe, place: str) -> Iterator[LintFinding]:
    seen: dict[str, int] = {}
    for index, fact in enumerate(probe.facts):
        pointer = f"{place}/facts/{index}"
        if _leaked(probe, fact):
            text = f"the question itself states {quoted(fact.text)}"
            yield finding(case, pointer, "error", "leak", text)
        normal = normalize(fact.text)
        if normal in seen:
            text = f"repeats the fact {place}/facts/{seen[normal]}: {quoted(fact.text)}"
            yield finding(case, pointer, "error", "duplicate-fact", text)
            continue
        seen[normal] = index
        for other, earlier in enumerate(probe.facts[:index]):
            if states(fact.text, earlier) or states(earlier.text, fact):
                text = f"{quoted(fact.text)} and {place}/facts/{other} partly state the same"
                yield finding(case, pointer, "warning", "overlapping-fact", text)
                break


def _traps(case: Case, probe: Probe, place: str) -> Iterator[LintFinding]:
    answer = TextIndex("\n".join(fact.text for fact in probe.facts))
    seen: dict[tuple[str, str | None], int] = {}
    for index, trap in enumerate(probe.traps):
        pointer = f"{place}/traps/{index}"
        if trap.hit_by(answer):
            text = f"the facts themselves fall into the trap {quoted(trap.text)}"
            yield finding(case, pointer, "error", "trap-is-true", text)
        key = (normalize(trap.text), trap.of)
        if key in seen:
            text = f"repeats the trap {place}/traps/{seen[key]}: {quoted(trap.text)}"
            yield finding(case, pointer, "error", "duplicate-trap", text)
        seen.setdefault(key, index)


def _leaked(probe: Probe, fact: Fact) -> bool:
    """Whether a question holds a fact; that it only asks for it makes no difference.

    The request of a compliance probe names what the constraint is about, or even asks for
    what it rules out. It gives the constraint away only if it states it.
    """
    question = probe.question
    if probe.choice is not None:
        return states(question, fact)
    if fact.keys:
        return given_away(question, fact.keys, fact.text)
    return any(given_away(question, (), form) for form in (fact.text, *fact.aliases))


def _repeated(case: Case) -> Iterator[LintFinding]:
    """Probes whose facts are all asked for by another probe at the same point."""
    held = [frozenset(normalize(fact.text) for fact in probe.facts) for probe in case.probes]
    asking = [number for number, probe in enumerate(case.probes) if probe.choice is None]
    for number in asking:
        facts = held[number]
        for other in asking:
            more = held[other]
            same = case.probes[number].point == case.probes[other].point
            if other != number and same and (facts < more or (facts == more and other < number)):
                text = f"/probes/{other} asks for all of its facts too"
                yield finding(case, f"/probes/{number}", "warning", "duplicate-facts", text)
                break
