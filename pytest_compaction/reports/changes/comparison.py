"""Two runs side by side: figures, facts, and the items that changed most, with both answers."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics import TIE, FactChange, ItemChange, RunChanges
from pytest_compaction.record import Record
from pytest_compaction.reports.changes.words import (
    changed_text,
    counted,
    difference_text,
    item_name,
    moved_facts,
    uncompared,
)
from pytest_compaction.reports.lines import removed_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.reports.tables.table_page import escaped
from pytest_compaction.text import printable

WIDTH: Final = 80
_LABEL: Final = 12
_NAME: Final = 12
_ITEM: Final = 60
_ANSWER: Final = 300
"""The most characters of an answer that a person is shown."""
_FACTS: Final = 4


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
    """Two runs and what changed.

    ``p`` has the value of each figure after Holm's correction; ``notes`` are sentences on what
    makes the runs differ.
    """

    first: Side
    second: Side
    changes: RunChanges
    p: Mapping[str, float | None]
    notes: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, str]:
        """What the two are called in a table: by run, or by strategy within one run."""
        by_run = self.first.name != self.second.name
        sides = [side.name if by_run else side.strategy for side in (self.first, self.second)]
        shown = short_names(sides, _NAME)
        return shown[sides[0]], shown[sides[1]]


def as_text(comparisons: Sequence[RunComparison], most: int) -> str:
    """All comparisons for a terminal; ``most`` items that changed most of each."""
    return "\n\n".join("\n".join(_text(each, most)) for each in comparisons) + "\n"


def as_markdown(comparisons: Sequence[RunComparison], most: int) -> str:
    """All comparisons as Markdown."""
    parts = [part for each in comparisons for part in _markdown(each, most)]
    return "\n\n".join(parts) + "\n"


def as_json(comparisons: Sequence[RunComparison]) -> dict[str, Any]:
    """All comparisons for programs: every figure unrounded, every changed fact and item."""
    return {"comparisons": [_json(each) for each in comparisons]}


def changed_most(changes: RunChanges, most: int) -> list[ItemChange]:
    """The items of which the score or a fact changed, the largest change first."""
    moved = [item for item in changes.items if _moved(item)]
    return sorted(
        moved,
        key=lambda item: (
            -abs(item.difference),
            -len(item.gone) - len(item.regained),
            item.difference,
        ),
    )[:most]


def _moved(item: ItemChange) -> bool:
    return abs(item.difference) > TIE or bool(item.gone or item.regained)


def _head(each: RunComparison) -> str:
    changes = each.changes
    return (
        f"{each.first.title} -> {each.second.title}: "
        f"{counted(len(changes.items), 'item')} of {counted(changes.cases, 'case')}"
    )


def _figures(each: RunComparison) -> Iterator[tuple[str, ...]]:
    """Name, both values, difference, p, ups and downs of each figure; the rest has fewer."""
    changes = each.changes
    for metric, found in changes.figures.items():
        values = (f"{found.first:.2f}", f"{found.second:.2f}", difference_text(found))
        paired = found.paired
        yield metric, *values, _p(each.p[metric]), str(paired.wins), str(paired.losses)
    if changes.stated is not None:
        moved = f"{len(changes.gone)} gone, {len(changes.regained)} regained"
        yield "facts kept", f"{changes.stated[0]:.0%}", f"{changes.stated[1]:.0%}", moved
    before, after = changes.removed
    if before is not None and after is not None:
        yield "removed", removed_text(before), removed_text(after)


def _text(each: RunComparison, most: int) -> Iterator[str]:
    changes, (one, other) = each.changes, each.names
    yield from textwrap.wrap(_head(each), WIDTH, subsequent_indent="  ")
    left, right = max(6, len(one)), max(6, len(other))
    head = f"{'':{_LABEL}} {one:>{left}} {other:>{right}}  {'difference, paired 95 %':<24}"
    yield f"{head} {'p':>6}  up down"
    for name, first, second, *rest in _figures(each):
        row = f"{name:<{_LABEL}} {first:>{left}} {second:>{right}}"
        if len(rest) > 1:
            difference, p, ups, downs = rest
            row += f"  {difference:<24} {p:>6} {ups:>3} {downs:>4}"
        yield "  ".join([row, *rest]) if len(rest) == 1 else row
    for text in (*_sentences(each), *each.notes):
        yield from textwrap.wrap(printable(text), WIDTH, subsequent_indent="  ")
    items = changed_most(changes, most)
    if items:
        yield f"changed most ({len(items)} of {_changed(changes)}):"
    for item in items:
        yield from _item_text(item, (one, other))


def _sentences(each: RunComparison) -> Iterator[str]:
    """What no table says: items that crossed the pass score, classes of facts, what is missing."""
    changes = each.changes
    yield f"{len(changes.below)} newly below the pass score, {len(changes.recovered)} recovered"
    for word, facts in (("gone", changes.gone), ("regained", changes.regained)):
        if facts:
            yield f"facts {word}: {_classes(facts)}"
    yield from uncompared(changes, each.names)
    yield from changed_text(changes)


def _classes(facts: Sequence[FactChange]) -> str:
    counts = Counter(fact.kind or "fact" for fact in facts)
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{number} {kind}" for kind, number in ordered)


def _changed(changes: RunChanges) -> int:
    return sum(map(_moved, changes.items))


def _item_text(item: ItemChange, names: tuple[str, str]) -> Iterator[str]:
    scores = f"{item.first['overall']:.2f} -> {item.second['overall']:.2f}"
    yield f"  {scores}  {item_name(item, _ITEM)}"
    width = max(len("regained"), *map(len, names))
    for name, record in zip(names, (item.first, item.second), strict=True):
        answer = _answer(record)
        if answer:
            yield from _labelled(name, answer, width)
    for word, facts in (("gone", item.gone), ("regained", item.regained)):
        if facts:
            yield from _labelled(word, moved_facts(facts, _FACTS), width)


def _labelled(label: str, text: str, width: int) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=f"      {label:<{width}}  ",
        subsequent_indent=" " * (width + 8),
    )


def _answer(record: Record) -> str:
    """The answer on one line; a baseline file holds none."""
    return printable(" ".join(str(record.get("response") or "").split()), _ANSWER)


def _p(value: float | None) -> str:
    if value is None:
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def _markdown(each: RunComparison, most: int) -> Iterator[str]:
    changes, (one, other) = each.changes, each.names
    yield f"## {escaped(_head(each))}"
    head = ["", one, other, "difference, paired 95 %", "p", "up", "down"]
    yield _rows([head, *([*row, *[""] * (len(head) - len(row))] for row in _figures(each))])
    yield "\n".join(f"- {escaped(printable(t))}" for t in (*_sentences(each), *each.notes))
    items = changed_most(changes, most)
    if items:
        yield f"Changed most, {len(items)} of {_changed(changes)}:"
        head = ["item", one, other, "gone", "regained", f"answer, {one}", f"answer, {other}"]
        rows = [head, *([item_name(item, _ITEM), *_cells(item)] for item in items)]
        answered = any(row[-2] or row[-1] for row in rows[1:])
        yield _rows(rows if answered else [row[:-2] for row in rows])


def _cells(item: ItemChange) -> list[str]:
    return [
        f"{item.first['overall']:.2f}",
        f"{item.second['overall']:.2f}",
        moved_facts(item.gone, _FACTS),
        moved_facts(item.regained, _FACTS),
        _answer(item.first),
        _answer(item.second),
    ]


def _rows(rows: Sequence[Sequence[str]]) -> str:
    head, *body = [[escaped(cell) for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *body))


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
            "kept": None if changes.stated is None else list(changes.stated),
            "gone": [_fact(fact) for fact in changes.gone],
            "regained": [_fact(fact) for fact in changes.regained],
            "uncertain": [_fact(fact) for fact in changes.facts.uncertain],
        },
        "not_comparable": {
            "cases": list(changes.changed_cases),
            "probes": [list(probe) for probe in changes.changed_probes],
            "facts": [_fact(fact) for fact in changes.facts.not_comparable],
        },
        "removed": list(changes.removed),
        "below": [_id(item) for item in changes.below],
        "recovered": [_id(item) for item in changes.recovered],
        "only_first": [list(probe) for probe in changes.vanished],
        "only_second": [list(probe) for probe in changes.new],
        "unscored": changes.unscored,
        "changed": [_item_json(item) for item in changed_most(changes, len(changes.items))],
        "notes": list(each.notes),
    }


def _fact(fact: FactChange) -> dict[str, str]:
    return {
        "text": fact.text,
        "case": fact.case,
        "probe": fact.probe,
        "point": fact.point,
        "class": fact.kind,
    }


def _id(item: ItemChange) -> dict[str, Any]:
    record = item.second
    return {key: record.get(key) for key in ("case", "probe", "trial", "budget")}


def _item_json(item: ItemChange) -> dict[str, Any]:
    return {
        **_id(item),
        "overall": [item.first["overall"], item.second["overall"]],
        "responses": [item.first.get("response"), item.second.get("response")],
        "gone": [fact.text for fact in item.gone],
        "regained": [fact.text for fact in item.regained],
    }
