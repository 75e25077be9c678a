"""What a baseline decided: a block for a strategy that got worse, a line or two otherwise."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compaction.gate import ArmComparison, BaselineDecision, MeanRule, fact_name
from pytest_compaction.metrics import FEWEST_CLUSTERS, FactChange, ItemChange, RunChanges
from pytest_compaction.reports.changes.words import (
    changed_text,
    counted,
    difference_text,
    facts_text,
    item_name,
    moved_facts,
    uncompared,
)
from pytest_compaction.reports.lines import WIDTH, Line, Style, removed_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.tables.table_page import escaped
from pytest_compaction.text import printable

MOST: Final = 5
"""The largest losses that are shown."""
MOST_FACTS: Final = 40
MOST_FACTS_OF_A_REPORT: Final = 500
"""Facts of one list on the terminal and in Markdown; JSON and the page have all."""
_LABEL: Final = 12
_ITEM: Final = 40
_NAME: Final = 12


def worse_title(decision: BaselineDecision) -> str:
    """The heading of the block: ``compaction: worse than main``."""
    names = dict.fromkeys(each.baseline.name for each in decision.comparisons if each.is_worse)
    return printable(f"compaction: worse than {', '.join(names)}", WIDTH - 10)


def baseline_block(decision: BaselineDecision, pass_score: float) -> Iterator[Line]:
    """The strategies that got worse, one after the other, and nothing else."""
    worse = [each for each in decision.comparisons if each.is_worse]
    several = len(decision.comparisons) > 1
    for each in worse:
        if several:
            yield Line(printable(each.arm, WIDTH), "bold")
        yield from _table(each)
        yield from _items(each.changes, pass_score)
        yield from fact_lines(each, MOST_FACTS)
        yield from _notes(each)


def baseline_lines(decision: BaselineDecision) -> Iterator[Line]:
    """A line or two for each strategy where none got worse, with every fact that changed."""
    several = len(decision.comparisons) > 1
    shown = short_names((each.arm for each in decision.comparisons), 24)
    for each in () if decision.is_worse else decision.comparisons:
        lead = f"{shown[each.arm]}: " if several else ""
        if each.undecided is not None:
            said = f"{lead}{undecided_text(each, decision.rules.max_drop)}"
            yield from _wrapped(said, "warning")
        else:
            yield from _wrapped(f"{lead}{holds_text(each)}", "good")
        yield from fact_lines(each, MOST_FACTS)
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


def undecided_text(comparison: ArmComparison, max_drop: float) -> str:
    """That a drop beyond what is allowed is not shown, and how many cases would show one."""
    rule = comparison.undecided
    if rule is None:
        return ""
    there = comparison.changes.cases
    facts = f"facts: {facts_text(comparison.changes)}"
    if comparison.newly_gone is None:
        facts += "; --compaction-max-newly-gone=N decides on these"
    text = (
        f"undecided against {comparison.baseline.title}: overall {difference_text(rule.compared)} "
        f"is more than the allowed {max_drop:g}, and "
    )
    if there < FEWEST_CLUSTERS:
        return (
            f"{text}fewer than {FEWEST_CLUSTERS} cases cannot show what other cases would lose; "
            f"{facts}"
        )
    text += f"{counted(there, 'case')} do not show it"
    if rule.cases is not None and rule.cases > there:
        text += f"; a drop of {max_drop:g} takes about {rule.cases} cases"
    return f"{text}; {facts}"


def fact_lines(each: ArmComparison, most: int) -> Iterator[Line]:
    """Facts newly gone, regained, less clear and not comparable, by name; ``most`` of each."""
    facts = each.changes.facts
    listed: tuple[tuple[str, Sequence[FactChange], Style], ...] = (
        ("newly gone", facts.gone, "bad"),
        ("stated before, uncertain now", facts.uncertain, "warning"),
        ("regained", facts.regained, "good"),
        ("not comparable, since its text or keys changed", facts.not_comparable, "dim"),
    )
    for title, changed, style in listed:
        if not changed:
            continue
        yield Line(f"{title} ({len(changed)}):", style)
        for fact in changed[:most]:
            yield from _wrapped(fact_name(fact), "plain", indent="  ")
        if len(changed) > most:
            yield Line(f"  and {len(changed) - most} more, in the reports and by compare", "dim")
    rule = each.newly_gone
    if rule is not None and rule.check is None:
        yield from _wrapped(f"newly gone facts are not gated: {rule.why_not}", "warning")


def _figures(each: ArmComparison) -> Iterator[tuple[str, str, str, str, str]]:
    """Name, both values, what moved, and the outcome of each figure that the block shows."""
    for rule in _shown_rules(each):
        one = rule.compared
        word = "" if rule.outcome == "holds" else rule.outcome
        yield rule.metric, f"{one.first:.2f}", f"{one.second:.2f}", difference_text(one), word
    stated, (before, after) = each.changes.stated, each.changes.removed
    if stated is not None:
        yield "facts kept", f"{stated[0]:.0%}", f"{stated[1]:.0%}", facts_text(each.changes), ""
    if before is not None and after is not None:
        yield "removed", removed_text(before), removed_text(after), "", ""


def _table(each: ArmComparison) -> Iterator[Line]:
    name = printable(each.baseline.name, _NAME)
    width = max(6, len(name))
    yield Line(f"{'':{_LABEL}} {name:>{width}} {'now':>6}  difference, paired 95 %", "dim")
    for figure, before, now, moved, word in _figures(each):
        row = f"{figure:<{_LABEL}} {before:>{width}} {now:>6}  {moved:<24} {word}"
        yield Line(row.rstrip(), "bad" if word == "worse" else "plain")


def _shown_rules(each: ArmComparison) -> list[MeanRule]:
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


def _lost(item: ItemChange) -> str:
    return f"{len(item.gone)} of {counted(item.facts, 'fact')} gone" if item.gone else ""


def _notes(each: ArmComparison) -> Iterator[Line]:
    """What is not compared, and what of the baseline could not be read."""
    title = printable(each.baseline.title, 30)
    for text in [*uncompared(each.changes, (title, "this run")), *changed_text(each.changes)]:
        yield from _wrapped(text, "dim")
    for problem in each.baseline.problems:
        yield from _wrapped(problem, "dim")


def _wrapped(text: str, style: Style, indent: str = "") -> Iterator[Line]:
    following = f"{indent}  "
    lines = textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=indent,
        subsequent_indent=following,
        break_on_hyphens=False,
    )
    for line in lines:
        yield Line(line, style)


def baseline_markdown(decision: BaselineDecision, pass_score: float) -> Iterator[str]:
    """The same as Markdown, one paragraph or table after the other."""
    for each in decision.comparisons:
        if each.is_worse:
            yield from _markdown(each, pass_score)
        elif each.undecided is not None:
            said = undecided_text(each, decision.rules.max_drop)
            yield escaped(printable(f"{each.arm}: {said}"))
        else:
            yield escaped(printable(f"{each.arm}: {holds_text(each)}"))
        yield from _blocks(fact_lines(each, MOST_FACTS_OF_A_REPORT))
        for text in changed_text(each.changes):
            yield escaped(printable(text))
    for rule, why in decision.not_applied:
        yield escaped(printable(f"{rule}: {why}"))


def _blocks(lines: Iterable[Line]) -> Iterator[str]:
    """Headings with their indented lines as Markdown lists."""
    found: list[str] = []
    for line in lines:
        if line.text.startswith("    "):
            found[-1] += f" {escaped(line.text.strip())}"
        elif line.text.startswith("  "):
            found.append(f"- {escaped(line.text.strip())}")
        else:
            if found:
                yield "\n".join(found)
            found = [f"**{escaped(line.text)}**", ""]
    if found:
        yield "\n".join(found)


def _markdown(each: ArmComparison, pass_score: float) -> Iterator[str]:
    yield f"### {escaped(printable(f'{each.arm}: worse than {each.baseline.title}'))}"
    rows = [("", each.baseline.name, "now", "difference, paired 95 %", ""), *_figures(each)]
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
