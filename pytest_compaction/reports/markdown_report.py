"""A run as Markdown, for a file, a pull request, or the summary of a job."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pytest_compaction.metrics import aggregate, compare_strategies
from pytest_compaction.models import ratio_text
from pytest_compaction.records import own_tokens_of
from pytest_compaction.reports.ab import ab_markdown, versions_of
from pytest_compaction.reports.changes import baseline_markdown
from pytest_compaction.reports.finished_run import (
    FinishedRun,
    best_strategy,
    shown_name,
)
from pytest_compaction.reports.items import lowest_first
from pytest_compaction.reports.lines import interval_text
from pytest_compaction.reports.summary import run_summary
from pytest_compaction.reports.table import (
    Cell,
    escaped,
    estimate,
    markdown_rows,
    markdown_table,
    table,
    written,
)
from pytest_compaction.reports.tables import (
    LONG_MEMORY,
    long_memory_tables,
    run_tables,
    strategies_table,
)
from pytest_compaction.rubric import DIMENSIONS, MAX_SCORE
from pytest_compaction.text import clipped, printable

LOWEST: Final = 10
_NAME: Final = 120
_REASON: Final = 300
_SIGNS: Final = {"passed": "✅", "failed": "❌", "undecided": "⚠️", "none": ""}
_FENCE: Final = re.compile(r"`{3,}")
_WORD: Final = re.compile("[^ ]+")


def markdown_report(run: FinishedRun) -> str:
    """The run in sections: what the gate decided, strategies, lowest items, losses and costs."""
    return "\n\n".join([*markdown_head(run), *_details(run)]) + "\n"


def markdown_head(run: FinishedRun) -> Iterator[str]:
    """The sections that are not folded away, one paragraph or table each."""
    names = ", ".join(run.strategies() or dict.fromkeys(r["compactor"] for r in run.records))
    yield f"# {_text(f'compaction: {names}' if names else 'compaction')}"
    if run.line:
        yield f"{_SIGNS[run.outcome]} **{_text(run.line)}**".strip()
    if (told := run.header.get("words")) is not None:
        yield _text(_on_words(told))
    if not run.complete:
        yield "The run was stopped before all items ran; the figures are of those that did."
    if not run.records:
        yield "No benchmark item was run."
        return
    checks = () if run.decision is None else run.decision.checks
    if checks or run.against.checks:
        undecided = {e.undecided.check.rule for e in run.against.comparisons if e.undecided}
        yield "## Gate"
        rows = ["| rule | outcome | figure |", "| --- | --- | --- |"]
        for check in (*checks, *run.against.checks):
            outcome = "passed" if check.holds else "**failed**"
            outcome = "**undecided**" if check.rule in undecided else outcome
            within = interval_text(check.interval, limits=(0.0, MAX_SCORE))
            figure = check.text + (f", 95 % {within}" if check.interval else "")
            rows.append(f"| {_text(check.rule)} | {outcome} | {_text(figure)} |")
        yield "\n".join(rows)
    if run.against.decides:
        yield "## Against the baseline"
        yield from baseline_markdown(run.against, run.pass_score)
    if run.of_type("probe"):
        groups = run.strategies()
        yield from markdown_table(strategies_table(groups))
        means = {name: aggregate(name, records).dimensions for name, records in groups.items()}
        if any(means.values()):
            columns = ("compactor", *DIMENSIONS)
            cells = [
                [Cell(name), *(estimate(of.get(n), "number", (0, MAX_SCORE)) for n in DIMENSIONS)]
                for name, of in means.items()
            ]
            heads = zip(columns, columns, strict=True)
            yield from markdown_table(table("dimensions", "Dimensions, 0 to 5", heads, cells))
        for found in long_memory_tables(run.strategies()):
            yield from markdown_table(found)
        yield from _compared(run)
        for versions in versions_of(run.strategies(), run.header):
            yield from ab_markdown(versions)
        yield from _lowest(run)


def _on_words(told: Mapping[str, Any]) -> str:
    """Who wrote the summaries, in a run of recorded words."""
    names: dict[str, list[str]] = {"recorded": [], "rules": []}
    for name, whose in told["strategies"].items():
        names[whose].append(name)
    sources = (f"{archive['model']}, {archive['dates']}" for archive in told["archives"])
    said = {
        "recorded": f"recorded words ({'; '.join(dict.fromkeys(sources))})",
        "rules": "rules, on which prompts and models have no effect",
    }
    parts = (f"{', '.join(of)}: {said[whose]}" for whose, of in names.items() if of)
    return f"Summaries of {'; of '.join(parts)}."


def _text(text: str, limit: int | None = None) -> str:
    return escaped(printable(text, limit))


def _compared(run: FinishedRun) -> Iterator[str]:
    """Every other strategy against the best one, over the items that both have."""
    found = compare_strategies(run.strategies())
    if not found.pairs:
        return
    best = found.pairs[0].first
    yield f"## Compared with {_text(best, _NAME)}"
    heads = ("strategy", "overall, paired 95 %", "p, Holm", "better", "same", "worse", "letters")
    rows = [(best, *[""] * 5, found.letters[best])]
    for pair in found.pairs:
        if pair.first == best:
            paired, mean = pair.paired, pair.paired.difference
            counts = map(str, (paired.wins, paired.ties, paired.losses))
            p = "-" if pair.holm is None else f"{pair.holm:.3f}"
            difference = f"{mean.value:+.2f} {interval_text(mean.interval, '+.2f')}"
            name = printable(pair.second, _NAME)
            rows.append((name, difference, p, *counts, found.letters[pair.second]))
    yield markdown_rows([heads, *rows], right=1)
    if any(found.letters.values()):
        yield "Strategies that share a letter do not differ at 5 %, Holm-corrected over all pairs."


def _lowest(run: FinishedRun) -> Iterator[str]:
    """The lowest items of the best strategy: of the others they would tell less."""
    best = best_strategy(run)
    found = [] if best is None else lowest_first(run.strategies()[best])
    lowest = [record for record in found if (record["overall"] or 0.0) < MAX_SCORE][:LOWEST]
    if not lowest:
        return
    yield f"## Lowest items of {_text(str(best), _NAME)}"
    rows = [
        (
            written(Cell(record["overall"], "number")),
            printable(shown_name(record), _NAME),
            printable(record["reason"], _REASON),
        )
        for record in lowest
    ]
    yield markdown_rows([("score", "item", "what fell short"), *rows], left=0, right=2)


def _details(run: FinishedRun) -> Iterator[str]:
    """Further tables and the summary of the terminal, folded away."""
    probes = run.of_type("probe")
    tables = list(run_tables(probes, run.pricing()))[1:] if probes else []
    found = [each for each in tables if each.name not in LONG_MEMORY]
    if found:
        yield "<details><summary>What was lost, and what it costs</summary>"
        for each in found:
            yield from markdown_table(each)
        yield "</details>"
    if run.records:
        lines = run_summary(
            run.records, run.order, run.control, verbose=True, pricing=run.pricing()
        )
        # Each word is made safe, so that columns stay.
        safe = (_WORD.sub(lambda word: printable(word[0]), line.text) for line in lines)
        text = "\n".join(safe)
        fence = "`" * max(3, *(len(found) + 1 for found in _FENCE.findall(text)), 3)
        yield "<details><summary>The summary of the terminal</summary>"
        yield f"{fence}text\n{text}\n{fence}"
        yield "</details>"
    if told := own_tokens_of(run.header):
        yield f"{_text(ratio_text(told))}."
    if run.name:
        yield f"Records: {_text(clipped(run.name, _REASON))}"
