"""What a baseline decided: a block for a strategy that got worse, a line or two otherwise."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.gate.baseline import ArmComparison, BaselineDecision, BaselineRule
from pytest_compaction.metrics.differences.run_changes import ItemChange, RunChanges
from pytest_compaction.reports.changes.words import (
    counted,
    difference_text,
    facts_text,
    item_name,
    moved_facts,
    uncompared,
)
from pytest_compaction.reports.lines import WIDTH, Line, Style, removed_text
from pytest_compaction.reports.tables.table_page import escaped
from pytest_compaction.text.words import printable

MOST: Final = 5
"""The largest losses that are shown."""
_FACTS: Final = 2
_LABEL: Final = 12
_ITEM: Final = 40
_NAME: Final = 12


def worse_title(decision: BaselineDecision) -> str:
    """The heading of the block: ``compaction: worse than main``."""
    names = dict.fromkeys(each.baseline.name for each in decision.comparisons if each.worse)
    return printable(f"compaction: worse than {', '.join(names)}", WIDTH - 10)


def baseline_block(decision: BaselineDecision, pass_score: float) -> Iterator[Line]:
    """The strategies that got worse, one after the other, and nothing else."""
    worse = [each for each in decision.comparisons if each.worse]
    several = len(decision.comparisons) > 1
    for each in worse:
        if several:
            yield Line(printable(each.arm, WIDTH), "bold")
        yield from _table(each)
        yield from _items(each.changes, pass_score)
        yield from _notes(each)


def baseline_lines(decision: BaselineDecision, max_drop: float) -> Iterator[Line]:
    """A line or two for each strategy where none got worse, and which have no baseline."""
    several = len(decision.comparisons) > 1
    for each in () if decision.is_worse else decision.comparisons:
        lead = f"{printable(each.arm, 24)}: " if several else ""
        if each.unclear:
            yield from _wrapped(f"{lead}{unclear_text(each, max_drop)}", "bold")
        else:
            yield from _wrapped(f"{lead}{holds_text(each)}", "good")
        yield from _notes(each)
    if decision.not_compared:
        yield from _wrapped(f"no baseline for {', '.join(decision.not_compared)}", "dim")


def holds_text(comparison: ArmComparison) -> str:
    """That nothing got worse, with the overall difference."""
    overall = comparison.changes.figures["overall"]
    others = len(comparison.rules) - 1
    dimensions = f", {counted(others, 'dimension')} hold{'s' if others == 1 else ''}"
    return (
        f"no worse than {comparison.baseline.title}: overall {difference_text(overall)}"
        f"{dimensions if others else ''}; facts: {facts_text(comparison.changes)}"
    )


def unclear_text(comparison: ArmComparison, max_drop: float) -> str:
    """What these cases cannot tell, and how many would tell it."""
    unclear = comparison.unclear
    first = unclear[0]
    others = [rule.metric for rule in unclear[1:]]
    also = f", nor for {', '.join(others)}" if others else ""
    needed = [rule.cases for rule in unclear if rule.cases is not None]
    there = counted(comparison.changes.cases, "case")
    text = (
        f"warning: cannot tell against {comparison.baseline.title} for {first.metric} "
        f"{difference_text(first.compared)}{also}: "
    )
    if not needed or max(needed) <= comparison.changes.cases:
        return f"{text}{there} cannot tell a drop of {max_drop:g} from a smaller one"
    return (
        f"{text}a drop of {max_drop:g} takes about {max(needed)} cases to tell, there are {there}"
    )


def _table(each: ArmComparison) -> Iterator[Line]:
    name = printable(each.baseline.name, _NAME)
    width = max(6, len(name))
    yield Line(f"{'':{_LABEL}} {name:>{width}} {'now':>6}  difference, paired 95 %", "dim")
    for rule in _shown_rules(each):
        one = rule.compared
        word = {"worse": "worse", "cannot tell": "cannot tell", "holds": ""}[rule.outcome]
        row = f"{rule.metric:<{_LABEL}} {one.first:>{width}.2f} {one.second:>6.2f}  "
        row += f"{difference_text(one):<24} {word}"
        yield Line(row.rstrip(), "bad" if rule.outcome == "worse" else "plain")
    stated = each.changes.stated
    if stated is not None:
        row = f"{'facts kept':<{_LABEL}} {stated[0]:>{width}.0%} {stated[1]:>6.0%}  "
        yield Line(row + facts_text(each.changes))
    before, after = each.changes.removed
    if before is not None and after is not None:
        yield Line(
            f"{'removed':<{_LABEL}} {removed_text(before):>{width}} {removed_text(after):>6}"
        )


def _shown_rules(each: ArmComparison) -> list[BaselineRule]:
    """Overall, and the dimensions that got worse."""
    return [r for r in each.rules if r.metric == "overall" or r.outcome == "worse"]


def _items(changes: RunChanges, pass_score: float) -> Iterator[Line]:
    losses = changes.losses[:MOST]
    lead = "largest loss:" if len(losses) == 1 else "largest losses:"
    yield Line(
        f"{len(changes.below)} newly below {pass_score:g}, {len(changes.recovered)} recovered"
        f"{f'; {lead}' if losses else ''}"
    )
    for item in losses:
        scores = f"{item.first['overall']:.2f} -> {item.second['overall']:.2f}"
        name = item_name(item, _ITEM)
        yield Line(f"  {scores}  {name:<{_ITEM}} {_lost(item)}".rstrip())
        if item.gone:
            shown = f"gone: {moved_facts(item.gone, _FACTS)}"
            yield from _wrapped(shown, "dim", indent=" " * 6)


def _lost(item: ItemChange) -> str:
    return f"{len(item.gone)} of {counted(item.facts, 'fact')} gone" if item.gone else ""


def _notes(each: ArmComparison) -> Iterator[Line]:
    """What is not compared, and what of the baseline could not be read."""
    title = printable(each.baseline.title, 30)
    for text in uncompared(each.changes, (title, "this run")):
        yield from _wrapped(text, "dim")
    for problem in each.baseline.problems:
        yield from _wrapped(problem, "dim")


def _wrapped(text: str, style: Style, indent: str = "") -> Iterator[Line]:
    following = indent or "  "
    lines = textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=following,
        break_on_hyphens=False,
    )
    for line in lines:
        yield Line(line, style)


def baseline_markdown(
    decision: BaselineDecision, pass_score: float, max_drop: float
) -> Iterator[str]:
    """The same as Markdown, one paragraph or table after the other."""
    for each in decision.comparisons:
        if each.worse:
            yield from _markdown(each, pass_score)
        elif each.unclear:
            yield escaped(printable(f"{each.arm}: {unclear_text(each, max_drop)}"))
        else:
            yield escaped(printable(f"{each.arm}: {holds_text(each)}"))
    for rule, why in decision.undecided:
        yield escaped(printable(f"{rule}: {why}"))


def _markdown(each: ArmComparison, pass_score: float) -> Iterator[str]:
    yield f"### {escaped(printable(f'{each.arm}: worse than {each.baseline.title}'))}"
    rows = [("", each.baseline.name, "now", "difference, paired 95 %", "")]
    for rule in _shown_rules(each):
        one = rule.compared
        word = "" if rule.outcome == "holds" else rule.outcome
        rows.append(
            (rule.metric, f"{one.first:.2f}", f"{one.second:.2f}", difference_text(one), word)
        )
    stated, (before, after) = each.changes.stated, each.changes.removed
    if stated is not None:
        kept = (f"{stated[0]:.0%}", f"{stated[1]:.0%}")
        rows.append(("facts kept", *kept, facts_text(each.changes), ""))
    if before is not None and after is not None:
        rows.append(("removed", removed_text(before), removed_text(after), "", ""))
    yield _markdown_rows(rows)
    changes = each.changes
    yield f"{len(changes.below)} newly below {pass_score:g}, {len(changes.recovered)} recovered."
    rows = [("item", each.baseline.name, "now", "facts gone", "")]
    rows += [
        (
            item_name(item, 80),
            f"{item.first['overall']:.2f}",
            f"{item.second['overall']:.2f}",
            moved_facts(item.gone, MOST),
            "",
        )
        for item in changes.losses[:MOST]
    ]
    if len(rows) > 1:
        yield _markdown_rows([row[:4] for row in rows])


def _markdown_rows(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [[escaped(printable(cell)) for cell in row] for row in rows]
    rule = ["---", *["---:"] * 2, *["---"] * (len(head) - 3)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))
