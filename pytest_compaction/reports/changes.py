"""Changes against a baseline, and between two runs side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.gate import ArmComparison, BaselineDecision, fact_name
from pytest_compaction.metrics import (
    FEWEST_CLUSTERS,
    TIE,
    BothMeans,
    FactChange,
    ItemChange,
    RunChanges,
)
from pytest_compaction.reports.lines import (
    WIDTH,
    Line,
    Style,
    counted,
    removed_text,
    short_names,
    wrapped,
)
from pytest_compaction.reports.table import (
    Cell,
    Table,
    escaped,
    markdown_rows,
    markdown_table,
    plain_table,
    table,
)
from pytest_compaction.text import printable

MOST: Final = 5
MOST_FACTS: Final = 40
MOST_FACTS_OF_A_REPORT: Final = 500
"""Facts of one list on the terminal and in Markdown; JSON and the page have all."""
_NAME: Final = 12
_ITEM: Final = 40
_WHOLE_ITEM: Final = 60
_FACT: Final = 60
_FACTS: Final = 4
_ANSWER: Final = 300
_PROBES: Final = 3
_CASES: Final = 10


# Figures of a change in words


def difference_text(compared: BothMeans) -> str:
    """A mean difference with its 95 % interval, as in ``-0.18 [-0.27, -0.10]``, or its cases."""
    if compared.interval is None:
        return f"{compared.value:+.2f} ({counted(compared.paired.difference.cases, 'case')})"
    low, high = compared.interval
    return f"{compared.value:+.2f} [{low:+.2f}, {high:+.2f}]"


def _item_name(item: ItemChange, width: int) -> str:
    record = item.second
    trial = f"-t{record['trial']}" if record["trial"] > 1 else ""
    return printable(f"{record['case']}-{record['probe']}{trial}", width)


def _scores(item: ItemChange) -> tuple[str, str]:
    return f"{item.first['overall']:.2f}", f"{item.second['overall']:.2f}"


def _moved_facts(facts: Sequence[FactChange], most: int) -> str:
    shown = "; ".join(printable(fact.text, _FACT) for fact in facts[:most])
    return f"{shown}; {len(facts) - most} more" if len(facts) > most else shown


def facts_text(changes: RunChanges) -> str:
    unclear = len(changes.facts.uncertain)
    less = f", {unclear} now uncertain" if unclear else ""
    return f"{len(changes.facts.gone)} newly gone, {len(changes.facts.regained)} regained{less}"


def crossed_text(changes: RunChanges, score: str) -> str:
    return f"{len(changes.below)} newly below {score}, {len(changes.recovered)} recovered"


def _shares(changes: RunChanges, moved: str) -> Iterator[tuple[str, ...]]:
    """Rows of a table: facts kept with what ``moved``, and tokens removed."""
    before, after = changes.removed
    for number, (name, shares) in enumerate(changes.kept.items()):
        yield name, f"{shares[0]:.0%}", f"{shares[1]:.0%}", "" if number else moved
    if before is not None and after is not None:
        yield "removed", removed_text(before), removed_text(after)


def uncompared(changes: RunChanges, names: tuple[str, str]) -> Iterator[str]:
    """Differences that no comparison covers, as sentences; ``names`` are those of the two runs."""
    if changes.new:
        yield f"only in {names[1]}: {_probes(changes.new)}"
    if changes.vanished:
        yield f"only in {names[0]}: {_probes(changes.vanished)}"
    if changes.unscored:
        yield f"not compared: {counted(changes.unscored, 'item')} without a score"


def changed_text(changes: RunChanges) -> Iterator[str]:
    """Cases and probes that changed, whose scores are not compared, as sentences."""
    if changes.changed_cases:
        names = ", ".join(printable(name, 40) for name in changes.changed_cases[:_CASES])
        more = len(changes.changed_cases) - _CASES
        names += f" and {more} more" if more > 0 else ""
        what = counted(len(changes.changed_cases), "case")
        yield f"not comparable, since the log or the budget changed: {what} ({names})"
    if changes.changed_probes:
        what = _probes(changes.changed_probes)
        yield f"scores not comparable, since facts or traps changed: {what}"


def _probes(probes: Sequence[tuple[str, str]]) -> str:
    shown = ", ".join(printable(f"{case}-{probe}", 40) for case, probe in probes[:_PROBES])
    more = f" and {len(probes) - _PROBES} more" if len(probes) > _PROBES else ""
    return f"{counted(len(probes), 'probe')} ({shown}{more})"


# Against a baseline: a block for a strategy that got worse, a line or two otherwise


def worse_title(decision: BaselineDecision) -> str:
    """The heading of the block: ``compaction: worse than main``."""
    names = dict.fromkeys(each.baseline.name for each in decision.comparisons if each.is_worse)
    return printable(f"compaction: worse than {', '.join(names)}", WIDTH - 10)


def baseline_block(decision: BaselineDecision, pass_score: float) -> Iterator[Line]:
    """The strategies that got worse, one after the other, and nothing else."""
    for each in decision.comparisons:
        if not each.is_worse:
            continue
        if len(decision.comparisons) > 1:
            yield Line(printable(each.arm, WIDTH), "bold")
        name = printable(each.baseline.name, _NAME)
        width = max(6, len(name))
        yield Line(f"{'':12} {name:>{width}} {'now':>6}  difference, paired 95 %", "dim")
        for figure, before, now, moved, word in _figures(each):
            row = f"{figure:<12} {before:>{width}} {now:>6}  {moved:<24} {word}"
            yield Line(row.rstrip(), "bad" if word == "worse" else "plain")
        losses = each.changes.losses[:MOST]
        largest = f"; largest loss{'' if len(losses) == 1 else 'es'}:" if losses else ""
        yield Line(f"{crossed_text(each.changes, f'{pass_score:g}')}{largest}")
        for item in losses:
            of = counted(len(item.second["facts"]), "fact")
            lost = f"{len(item.gone)} of {of} gone" if item.gone else ""
            name = _item_name(item, _ITEM)
            yield Line(f"  {' -> '.join(_scores(item))}  {name:<{_ITEM}} {lost}".rstrip())
        yield from _fact_lines(each, MOST_FACTS)
        yield from _notes(each)


def baseline_lines(decision: BaselineDecision) -> Iterator[Line]:
    """A line or two for each strategy where none got worse, with every fact that changed."""
    shown = short_names((each.arm for each in decision.comparisons), 24)
    for each in () if decision.is_worse else decision.comparisons:
        lead = f"{shown[each.arm]}: " if len(decision.comparisons) > 1 else ""
        said = f"{lead}{decided_text(each, decision.rules.max_drop)}"
        yield from wrapped(said, "good" if each.undecided is None else "warning")
        yield from _fact_lines(each, MOST_FACTS)
        yield from _notes(each)
    if decision.not_compared:
        yield from wrapped(f"no baseline for {', '.join(decision.not_compared)}", "dim")


def decided_text(each: ArmComparison, max_drop: float) -> str:
    """That nothing got worse; or that a drop is not shown, and how many cases would show one."""
    facts = f"facts: {facts_text(each.changes)}"
    rule = each.undecided
    if rule is None:
        others = len(each.rules) - 1
        dimensions = f", {counted(others, 'dimension')} hold{'s' if others == 1 else ''}"
        overall = difference_text(each.changes.figures["overall"])
        more = dimensions if others else ""
        return f"no worse than {each.baseline.title}: overall {overall}{more}; {facts}"
    if each.newly_gone is None:
        facts += "; --compaction-max-newly-gone=N decides on these"
    there = each.changes.cases
    text = (
        f"undecided against {each.baseline.title}: overall {difference_text(rule.compared)} is "
        f"more than the allowed {max_drop:g}, and "
    )
    if each.changes.units < FEWEST_CLUSTERS:
        what = "cases" if there < FEWEST_CLUSTERS else "projects"
        text += f"fewer than {FEWEST_CLUSTERS} {what} cannot show what other cases would lose"
        return f"{text}; {facts}"
    text += f"{counted(there, 'case')} do not show it"
    if rule.cases is not None and rule.cases > there:
        text += f"; a drop of {max_drop:g} takes about {rule.cases} cases"
    return f"{text}; {facts}"


def _fact_lines(each: ArmComparison, most: int) -> Iterator[Line]:
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
            yield from wrapped(fact_name(fact), indent="  ")
        if len(changed) > most:
            yield Line(f"  and {len(changed) - most} more, in the reports and by compare", "dim")
    rule = each.newly_gone
    if rule is not None and rule.check is None:
        yield from wrapped(f"newly gone facts are not gated: {rule.why_not}", "warning")


def _figures(each: ArmComparison) -> Iterator[tuple[str, str, str, str, str]]:
    """Name, both values, what moved, and the outcome: overall, and dimensions that got worse."""
    for rule in each.rules:
        if rule.metric == "overall" or rule.outcome == "worse":
            one = rule.compared
            word = "" if rule.outcome == "holds" else rule.outcome
            yield rule.metric, f"{one.first:.2f}", f"{one.second:.2f}", difference_text(one), word
    for name, before, now, *moved in _shares(each.changes, facts_text(each.changes)):
        yield name, before, now, "".join(moved), ""


def _notes(each: ArmComparison) -> Iterator[Line]:
    """Items that are not compared, and parts of the baseline that could not be read."""
    title = printable(each.baseline.title, 30)
    left_out = (*uncompared(each.changes, (title, "this run")), *changed_text(each.changes))
    for text in (*left_out, *each.baseline.problems):
        yield from wrapped(text, "dim")


def baseline_markdown(decision: BaselineDecision, pass_score: float) -> Iterator[str]:
    """The comparison as Markdown, one paragraph or table after the other."""
    for each in decision.comparisons:
        if each.is_worse:
            yield f"### {escaped(printable(f'{each.arm}: worse than {each.baseline.title}'))}"
            head = ("", each.baseline.name, "now", "difference, paired 95 %", "")
            yield markdown_rows([head, *_figures(each)], right=2)
            yield f"{crossed_text(each.changes, f'{pass_score:g}')}."
            rows = [
                (_item_name(item, 80), *_scores(item), _moved_facts(item.gone, MOST))
                for item in each.changes.losses[:MOST]
            ]
            items = ("item", each.baseline.name, "now", "facts gone")
            yield from [markdown_rows([items, *rows], right=1)] if rows else []
        else:
            said = decided_text(each, decision.rules.max_drop)
            yield escaped(printable(f"{each.arm}: {said}"))
        yield from _lists(_fact_lines(each, MOST_FACTS_OF_A_REPORT))
        for text in changed_text(each.changes):
            yield escaped(printable(text))
    for rule, why in decision.not_applied:
        yield escaped(printable(f"{rule}: {why}"))


def _lists(lines: Iterable[Line]) -> Iterator[str]:
    """Headings with their indented lines as Markdown lists."""
    found: list[str] = []
    for line in lines:
        text = escaped(line.text.strip())
        if line.text.startswith("    "):
            found[-1] += f" {text}"
        elif line.text.startswith("  "):
            found.append(f"- {text}")
        else:
            if found:
                yield "\n".join(found)
            found = [f"**{text}**", ""]
    if found:
        yield "\n".join(found)


# Two runs side by side


@dataclass(frozen=True, slots=True)
class Side:
    """One of two runs: its short name and the strategy that is compared."""

    name: str
    strategy: str

    @property
    def title(self) -> str:
        """Both, as in ``0044 anchored``."""
        return printable(f"{self.name} {self.strategy}", 60)


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs and what changed, with each p after Holm's correction."""

    first: Side
    second: Side
    changes: RunChanges
    p: Mapping[str, float | None]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """Names of the two in a table: by run, or by strategy within one run."""
        by_run = self.first.name != self.second.name
        sides = [side.name if by_run else side.strategy for side in (self.first, self.second)]
        shown = short_names(sides, _NAME)
        return shown[sides[0]], shown[sides[1]]

    @property
    def head(self) -> str:
        items = counted(len(self.changes.items), "item")
        cases = counted(self.changes.cases, "case")
        return f"{self.first.title} -> {self.second.title}: {items} of {cases}"

    def figures(self) -> Iterator[tuple[str, ...]]:
        """Name, both values, difference, p, ups and downs of each figure; the rest has fewer."""
        for metric, found in self.changes.figures.items():
            p = self.p[metric]
            chance = "-" if p is None else "<0.001" if p < 0.001 else f"{p:.3f}"
            values = (f"{found.first:.2f}", f"{found.second:.2f}", difference_text(found))
            yield metric, *values, chance, str(found.paired.wins), str(found.paired.losses)
        moved = f"{len(self.changes.facts.gone)} gone, {len(self.changes.facts.regained)} regained"
        yield from _shares(self.changes, moved)

    def sentences(self) -> Iterator[str]:
        """Sentences beside the tables: crossed pass scores, classes of facts, settings."""
        yield crossed_text(self.changes, "the pass score")
        for word, facts in (
            ("gone", self.changes.facts.gone),
            ("regained", self.changes.facts.regained),
        ):
            if facts:
                counts = Counter(fact.kind or "fact" for fact in facts)
                ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
                yield f"facts {word}: {', '.join(f'{n} {kind}' for kind, n in ordered)}"
        yield from uncompared(self.changes, self.names)
        yield from changed_text(self.changes)
        yield from self.notes


def comparison_text(comparisons: Sequence[RunComparison], most: int) -> str:
    blocks = []
    for each in comparisons:
        _, *rows = plain_table(_figure_table(each), WIDTH)
        lines = [line.text for line in wrapped(each.head)] + rows
        for level, text in _changed_lines(each, most):
            lines += [line.text for line in wrapped(text, indent="  " * level)]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def comparison_markdown(comparisons: Sequence[RunComparison], most: int) -> str:
    parts = []
    for each in comparisons:
        lines = [
            f"{'  ' * (level - 1)}- {escaped(text)}" if level else f"{escaped(text)}\n"
            for level, text in _changed_lines(each, most)
        ]
        parts += [*markdown_table(_figure_table(each)), *(["\n".join(lines)] if lines else [])]
    return "\n\n".join(parts) + "\n"


def _figure_table(each: RunComparison) -> Table:
    one, other = each.names
    heads = ("", one, other, "difference, paired 95 %", "p", "up", "down")
    keys = ("figure", "first", "second", "difference", "p", "up", "down")
    rows = [[*map(Cell, row), *[Cell("")] * (len(heads) - len(row))] for row in each.figures()]
    columns = zip(keys, heads, strict=True)
    return table("changes", each.head, columns, rows, each.sentences())


def _changed_lines(each: RunComparison, most: int) -> Iterator[tuple[int, str]]:
    """The items that changed most with facts and answers, each line with its depth in a list."""
    changed = _changed_most(each.changes)
    if changed[:most]:
        yield 0, f"changed most ({len(changed[:most])} of {len(changed)}):"
    for item in changed[:most]:
        yield 1, f"{' -> '.join(_scores(item))}  {_item_name(item, _WHOLE_ITEM)}"
        for word, facts in (("gone", item.gone), ("regained", item.regained)):
            if facts:
                yield 2, f"{word}: {_moved_facts(facts, _FACTS)}"
        for name, record in zip(each.names, (item.first, item.second), strict=True):
            if answer := " ".join(str(record.get("response") or "").split()):
                yield 2, f"{name}: {printable(answer, _ANSWER)}"


def comparison_json(comparisons: Sequence[RunComparison]) -> dict[str, Any]:
    """All comparisons for programs: every figure unrounded, every changed fact and item."""
    return {"comparisons": [_json(each) for each in comparisons]}


def _changed_most(changes: RunChanges) -> list[ItemChange]:
    """The items of which the score or a fact changed, the largest change first."""
    moved = (i for i in changes.items if abs(i.difference) > TIE or i.gone or i.regained)
    return sorted(
        moved, key=lambda i: (-abs(i.difference), -len(i.gone) - len(i.regained), i.difference)
    )


def _json(each: RunComparison) -> dict[str, Any]:
    changes = each.changes
    return {
        "first": {"run": each.first.name, "strategy": each.first.strategy},
        "second": {"run": each.second.name, "strategy": each.second.strategy},
        "items": len(changes.items),
        "cases": changes.cases,
        "figures": {
            metric: {
                "first": found.first,
                "second": found.second,
                "difference": found.value,
                "interval": None if found.interval is None else list(found.interval),
                "p": found.paired.p,
                "p_holm": each.p[metric],
                "up": found.paired.wins,
                "same": found.paired.ties,
                "down": found.paired.losses,
                "detectable": found.paired.detectable,
            }
            for metric, found in changes.figures.items()
        },
        "facts": {
            "kept": changes.kept.get("facts kept"),
            "needed": changes.kept.get("needed facts"),
            "stated_only": changes.kept.get("stated only"),
            "gone": list(map(fact_json, changes.facts.gone)),
            "regained": list(map(fact_json, changes.facts.regained)),
            "uncertain": list(map(fact_json, changes.facts.uncertain)),
        },
        "not_comparable": {
            "cases": list(changes.changed_cases),
            "probes": list(map(list, changes.changed_probes)),
            "facts": list(map(fact_json, changes.facts.not_comparable)),
        },
        "removed": list(changes.removed),
        "below": list(map(_id, changes.below)),
        "recovered": list(map(_id, changes.recovered)),
        "only_first": list(map(list, changes.vanished)),
        "only_second": list(map(list, changes.new)),
        "unscored": changes.unscored,
        "changed": [
            {
                **_id(item),
                "overall": [item.first["overall"], item.second["overall"]],
                "responses": [item.first.get("response"), item.second.get("response")],
                "gone": [fact.text for fact in item.gone],
                "regained": [fact.text for fact in item.regained],
            }
            for item in _changed_most(changes)
        ],
        "notes": list(each.notes),
    }


def fact_json(fact: FactChange) -> dict[str, str]:
    found = {"text": fact.text, "case": fact.case, "probe": fact.probe, "point": fact.point}
    return {**found, "class": fact.kind}


def _id(item: ItemChange) -> dict[str, Any]:
    return {key: item.second.get(key) for key in ("case", "probe", "trial", "budget")}
