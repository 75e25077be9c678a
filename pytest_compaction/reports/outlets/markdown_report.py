"""A run as Markdown, for a file, a pull request, or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from typing import Final

from pytest_compaction.gate import Check
from pytest_compaction.metrics import Mean, aggregate, compare_strategies
from pytest_compaction.reports.changes import baseline_markdown
from pytest_compaction.reports.outlets.finished_run import (
    FinishedRun,
    best_strategy,
    lowest_items,
    shown_name,
)
from pytest_compaction.reports.run_tables import (
    LONG_MEMORY,
    long_memory_tables,
    run_tables,
    strategies_table,
)
from pytest_compaction.reports.summary import run_summary
from pytest_compaction.reports.table import (
    Cell,
    Table,
    escaped,
    estimate,
    markdown_table,
    table,
    written,
)
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.text import clipped, printable

LOWEST: Final = 10
"""How many of the lowest items are listed."""
_NAME: Final = 120
_REASON: Final = 300
"""Characters of an item's name and of its reason."""
_SIGNS: Final = {"passed": "✅", "failed": "❌", "undecided": "⚠️", "none": ""}
_FENCE: Final = re.compile(r"`{3,}")
_WORD: Final = re.compile("[^ ]+")


def markdown_report(run: FinishedRun) -> str:
    """The run in sections: what the gate decided, strategies, lowest items, losses and costs.

    Every text from a case or a model is shown as it is: it makes no markup, link or mention.
    """
    return "\n\n".join([*markdown_head(run), *_details(run)]) + "\n"


def markdown_head(run: FinishedRun) -> Iterator[str]:
    """The sections that are not folded away, one paragraph or table each."""
    names = ", ".join(run.strategies() or dict.fromkeys(r["compactor"] for r in run.records))
    yield f"# {_text(f'compaction: {names}' if names else 'compaction')}"
    if run.line:
        yield f"{_SIGNS[run.outcome]} **{_text(run.line)}**".strip()
    if not run.complete:
        yield "The run was stopped before all items ran; the figures are of those that did."
    if not run.records:
        yield "No benchmark item was run."
        return
    checks = () if run.decision is None else run.decision.checks
    if checks or run.against.checks:
        undecided = {e.undecided.check.rule for e in run.against.comparisons if e.undecided}
        yield from _rules([*checks, *run.against.checks], undecided)
    if run.against.decides:
        yield "## Against the baseline"
        yield from baseline_markdown(run.against, run.pass_score)
    probes = run.of_type("probe")
    if probes:
        yield from _strategies(run)
        for found in long_memory_tables(run.strategies()):
            yield from markdown_table(found)
        yield from _compared(run)
        yield from _lowest(run)


def _text(text: str, limit: int | None = None) -> str:
    return escaped(printable(text, limit))


def _rules(checks: Sequence[Check], undecided: Set[str]) -> Iterator[str]:
    yield "## Gate"
    heads = "| rule | outcome | figure |\n| --- | --- | --- |"
    rows = [
        f"| {_text(check.rule)} | {_outcome(check, undecided)} "
        f"| {_text(check.text)}{_interval(check)} |"
        for check in checks
    ]
    yield "\n".join([heads, *rows])


def _outcome(check: Check, undecided: Set[str]) -> str:
    if check.rule in undecided:
        return "**undecided**"
    return "passed" if check.holds else "**failed**"


def _interval(check: Check) -> str:
    if check.interval is None:
        return ""
    low, high = max(check.interval[0], 0.0), min(check.interval[1], MAX_SCORE)
    return escaped(f", 95 % [{low:.2f}, {high:.2f}]")


def _strategies(run: FinishedRun) -> Iterator[str]:
    yield from markdown_table(strategies_table(run.strategies()))
    dimensions = _dimensions(run)
    if any(cell.value is not None for row in dimensions.rows for cell in row[1:]):
        yield from markdown_table(dimensions)


def _further(run: FinishedRun) -> Iterator[str]:
    """Real and scripted cases apart, losses and costs, folded away."""
    _, *tables = run_tables(run.of_type("probe"), run.pricing())
    found = [each for each in tables if each.name not in LONG_MEMORY]
    if found:
        yield "<details><summary>What was lost, and what it costs</summary>"
        for each in found:
            yield from markdown_table(each)
        yield "</details>"


def _dimensions(run: FinishedRun) -> Table:
    """The mean of each dimension for each strategy, with its interval."""
    rows = []
    for name, records in run.strategies().items():
        means = aggregate(name, records).dimensions
        scores = [estimate(means.get(each), "number", (0, MAX_SCORE)) for each in DIMENSIONS]
        rows.append((Cell(name), *scores))
    heads = [("compactor", "compactor"), *((name, name) for name in DIMENSIONS)]
    return table("dimensions", "Dimensions, 0 to 5", heads, rows)


def _compared(run: FinishedRun) -> Iterator[str]:
    """Every other strategy against the best one, over the items that both have."""
    found = compare_strategies(run.strategies())
    if not found.pairs:
        return
    best = found.pairs[0].first
    yield f"## Compared with {_text(best, _NAME)}"
    lettered = any(found.letters.values())
    heads = ("strategy", "overall, paired 95 %", "p, Holm", "better", "same", "worse", "letters")
    rows = [[best, *[""] * 5, found.letters[best]]]
    for pair in found.pairs:
        if pair.first == best:
            paired = pair.paired
            counts = map(str, (paired.wins, paired.ties, paired.losses))
            p = "-" if pair.holm is None else f"{pair.holm:.3f}"
            difference = _difference(paired.difference)
            rows.append([pair.second, difference, p, *counts, found.letters[pair.second]])
    lines = [[_text(cell, _NAME) for cell in row] for row in [heads, *rows]]
    rule = ["---", *["---:"] * (len(heads) - 2), "---"]
    yield "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], rule, *lines[1:]))
    if lettered:
        yield "Strategies that share a letter do not differ at 5 %, Holm-corrected over all pairs."


def _difference(mean: Mean) -> str:
    if mean.interval is None:
        return f"{mean.value:+.2f} (no interval)"
    return f"{mean.value:+.2f} [{mean.interval[0]:+.2f}, {mean.interval[1]:+.2f}]"


def _lowest(run: FinishedRun) -> Iterator[str]:
    """The lowest items of the best strategy: of the others they would tell less."""
    best = best_strategy(run)
    lowest = [] if best is None else lowest_items(run.strategies()[best], LOWEST)
    if not lowest:
        return
    yield f"## Lowest items of {_text(str(best), _NAME)}"
    rows = [
        f"| {written(Cell(record['overall'], 'number'))} | {_text(shown_name(record), _NAME)} "
        f"| {_text(record['reason'], _REASON)} |"
        for record in lowest
    ]
    yield "\n".join(["| score | item | what fell short |\n| ---: | --- | --- |", *rows])


def _details(run: FinishedRun) -> Iterator[str]:
    """Further tables and the summary of the terminal, folded away."""
    if run.of_type("probe"):
        yield from _further(run)
    if run.records:
        lines = run_summary(
            run.records, run.order, run.control, run.grouped, pricing=run.pricing(), verbose=True
        )
        text = "\n".join(_plain(line.text) for line in lines)
        fence = "`" * max(3, *(len(found) + 1 for found in _FENCE.findall(text)), 3)
        yield "<details><summary>The summary of the terminal</summary>"
        yield f"{fence}text\n{text}\n{fence}"
        yield "</details>"
    if run.name:
        yield f"Records: {_text(clipped(run.name, _REASON))}"


def _plain(line: str) -> str:
    """A line of the terminal with its columns, safe to show."""
    return _WORD.sub(lambda word: printable(word[0]), line)
