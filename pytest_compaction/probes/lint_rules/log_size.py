"""What the log leaves to lose: budgets, what was said, the tail, and a share for each dimension."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.case.tail import assumed_tail_room, assumed_tail_start
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.facts.survival import view_index
from pytest_compaction.probes.lint_rules.finding import Level, LintFinding, finding, quoted
from pytest_compaction.rubric import CRITERIA, Criterion
from pytest_compaction.text import TextIndex, is_path, normalize

ONLY_IN_TOOLS: Final = 0.4
"""The share of the facts of a case that should stand only in tool calls and their output."""
_SAID: Final = frozenset({"user", "assistant"})


def log_findings(case: Case, tail: int | None, counter: TokenCounter) -> Iterator[LintFinding]:
    """Logs of which too little can be lost, and facts in the tail that every strategy keeps."""
    sizes = [counter.message(message) for message in case.messages]
    end = case.points[-1].index + 1
    total = sum(sizes[:end])
    fits = total <= case.budget
    said = [message.text for message in case.messages[:end] if message.role in _SAID]
    spoken = sum(counter.text(text) for text in said)
    if fits:
        text = (
            f"the log takes {total:,} tokens and fits the budget of {case.budget:,}: "
            "nothing needs to be compacted"
        )
        yield finding(case, "/budget", "warning", "fits-budget", text)
    elif spoken <= case.budget:
        text = (
            f"what was said takes {spoken:,} tokens and fits the budget of {case.budget:,}: "
            "a strategy that keeps it and drops all tool output loses little"
        )
        yield finding(case, "/budget", "warning", "said-fits-budget", text)
    yield from _stated_by_talk(case, said)
    yield from _dimensions(case)
    yield from _kept_by_tail(case, sizes, tail, fits)


def _stated_by_talk(case: Case, said: Sequence[str]) -> Iterator[LintFinding]:
    talk = TextIndex("\n".join(said))
    facts = [fact for probe in case.probes if probe.choice is None for fact in probe.facts]
    silent = sum(talk.read(fact.statement).outcome != "stated" for fact in facts)
    if silent < ONLY_IN_TOOLS * len(facts):
        text = (
            f"{silent} of {len(facts)} facts stand only in tool calls and their output "
            f"({silent / len(facts):.0%}; at least {ONLY_IN_TOOLS:.0%} should)"
        )
        yield finding(case, "/probes", "warning", "said-states-most", text)


def _dimensions(case: Case) -> Iterator[LintFinding]:
    facts = [fact for probe in case.probes for fact in probe.facts]
    by_dimension: dict[str, list[Criterion]] = {}
    for criterion in CRITERIA:
        if criterion.types:
            by_dimension.setdefault(criterion.dimension, []).append(criterion)
    empty = {
        dimension: sorted({type for criterion in criteria for type in criterion.types})
        for dimension, criteria in by_dimension.items()
        if not any(each.reads(fact.type, fact.change) for each in criteria for fact in facts)
    }
    if empty:
        read = "; ".join(f"{name} reads {', '.join(types)}" for name, types in empty.items())
        text = f"no fact counts for {', '.join(empty)} ({read})"
        yield finding(case, "/probes", "warning", "empty-dimension", text)


def _kept_by_tail(
    case: Case, sizes: Sequence[int], tail: int | None, fits: bool
) -> Iterator[LintFinding]:
    room = assumed_tail_room(case.budget) if tail is None else tail
    tails: dict[int, TextIndex] = {}
    for number, probe in enumerate(case.probes):
        if probe.kind == "continuation":
            continue
        if probe.point not in tails:
            tails[probe.point] = _tail(case, probe.point, sizes, room)
        index = tails[probe.point]
        kept = [index.read(fact.statement).outcome == "stated" for fact in probe.facts]
        useless = all(kept) and not fits and not _about_files(probe)
        level: Level = "error" if useless else "warning"
        whole = ", and with it all facts of this probe" if level == "error" else ""
        for place, fact in enumerate(probe.facts):
            if kept[place]:
                text = (
                    f"the tail before the question ({room:,} tokens, at least the last message) "
                    f"states {quoted(fact.text)}: every strategy that keeps a tail keeps "
                    f"it{whole}"
                )
                pointer = f"/probes/{number}/facts/{place}"
                yield finding(case, pointer, level, "kept-by-tail", text)


def _about_files(probe: Probe) -> bool:
    """Whether a fact is a bare path: a tail that names a file may not say what was done to it."""
    return any(fact.change is None and is_path(normalize(fact.text)) for fact in probe.facts)


def _tail(case: Case, point: int, sizes: Sequence[int], room: int) -> TextIndex:
    end = case.points[point].index + 1
    start = assumed_tail_start(sizes, end, room)
    return view_index(case.messages[start:end])
