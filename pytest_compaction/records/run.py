"""A run as its reader has it at hand: records, items, rows, means with intervals, comparisons."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pytest_compaction.metrics import Figure, Mean, arm_name, known, of_items
from pytest_compaction.records.items import Item, Scalar, finite_record, item_of, row_of
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.metrics import Paired

_NAME: Final = 60
"""Characters of a strategy's name in the short forms."""


@dataclass(repr=False)
class Run:
    """The records of a run. An item that ran twice counts once, with its last record.

    ``header`` and ``by_item`` are the plain JSON of its file; see ``docs/records.md``.
    ``problems`` are sentences on the lines that could not be read, ``name`` that of the file.
    """

    header: dict[str, Any] = field(default_factory=dict)
    by_item: dict[str, Record] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    name: str = ""

    def add(self, record: Record) -> None:
        """Add or replace the record of an item."""
        self.by_item[record["item"]] = record

    @property
    def records(self) -> list[Record]:
        """All records in a fixed order: compactor, budget, case, probe, trial, item."""
        return sorted(
            self.by_item.values(),
            key=lambda r: (
                r["compactor"],
                isinstance(r.get("budget"), str),  # "recorded" comes after the numbers
                r.get("budget") or 0,
                *(r["case"], r["probe"], r["trial"], r["item"]),
            ),
        )

    @property
    def items(self) -> tuple[Item, ...]:
        """The items in the order of the records."""
        return tuple(map(item_of, self.records))

    @property
    def strategies(self) -> tuple[str, ...]:
        """The strategies that have items, in the order in which the run named them."""
        there = {record["compactor"] for record in self.records}
        settings = self.header.get("settings")
        named = settings.get("compactors") if isinstance(settings, dict) else None
        order = [name for name in named if name in there] if isinstance(named, list) else []
        return tuple(dict.fromkeys([*order, *sorted(there)]))

    def table(self) -> list[dict[str, Scalar]]:
        """One flat row for each item, as ``pandas.DataFrame`` takes it.

        The columns are those of the CSV file; scores are from 0 to 5, tokens and facts are
        counted, and ``None`` stands for what an item does not have.
        """
        return [row_of(record) for record in self.records]

    def only(
        self, compactor: str | None = None, kind: str | None = None, case: str | None = None
    ) -> Run:
        """The part of the run of one strategy, of one kind of probe, of one case.

        A strategy at one of several budgets is named as in ``anchored-b2000``. Raises
        ``ValueError`` for a name that the run does not have; the text says which it has.
        """
        chosen = list(self.by_item.values())
        for what, wanted in (("compactor", compactor), ("kind", kind), ("case", case)):
            if wanted is None:
                continue
            there = {name for record in self.by_item.values() for name in _names(record, what)}
            if wanted not in there:
                raise ValueError(
                    f"no item of this run has the {what} {wanted!r}{_instead(wanted, there)}"
                )
            chosen = [record for record in chosen if wanted in _names(record, what)]
        return replace(self, by_item={record["item"]: record for record in chosen})

    def mean(
        self, figure: str = "overall", compactor: str | None = None, kind: str | None = None
    ) -> Mean | None:
        """The mean of a figure over items, with its 95 % interval over cases.

        ``figure``: ``overall`` or a dimension (0 to 5), ``stated``, the share of an item's
        facts that its view states (0 to 1), or any other figure that items have. Without
        ``compactor`` it is the one strategy beside the control. ``None`` if no item has the
        figure. The interval is ``None`` with fewer than six cases.
        Raises ``ValueError`` for an unknown figure or strategy, and for several strategies.
        """
        wanted = _known_figure(figure)
        found = wanted.mean(self._of_one(compactor).only(kind=kind)._probes())
        return None if found is None else replace(found, interval=wanted.within(found.interval))

    def compare(
        self, other: Run, figure: str = "overall", compactor: str | None = None
    ) -> Paired | None:
        """How much higher ``figure`` is in the other run, over the items that both have.

        ``difference`` is that of ``other`` minus this run, with its interval: above 0 the other
        is better. ``compactor`` is the strategy in both; without it each run is taken for its one
        strategy beside the control. ``None`` if no item is in both. Raises as :meth:`mean` does.
        """
        from pytest_compaction.metrics import paired_difference

        _known_figure(figure)
        first, second = self._of_one(compactor), other._of_one(compactor)
        return paired_difference(first._probes(), second._probes(), figure)

    def _of_one(self, compactor: str | None) -> Run:
        """The part of one strategy: the one named, or the only one beside the control."""
        if compactor is not None:
            return self.only(compactor)
        names = [name for name in self.strategies if name != CONTROL] or list(self.strategies)
        if len(names) > 1:
            listed = ", ".join(map(repr, names))
            raise ValueError(
                f"this run has several strategies; name one, as in compactor={names[0]!r}: {listed}"
            )
        return self.only(names[0]) if names else self

    def _probes(self) -> list[Record]:
        return [finite_record(record) for record in self.records if type_of(record) == "probe"]

    def __repr__(self) -> str:
        cases = len({record["case"] for record in self.by_item.values()})
        name = f" {printable(self.name, _NAME)}" if self.name else ""
        counts = {"strategies": len(self.strategies), "cases": cases, "items": len(self.by_item)}
        counts |= {"problems": len(self.problems)} if self.problems else {}
        parts = [f"{what} {number}" for what, number in counts.items()]
        parts += [f"overall {_shown(self.mean())}"] if len(self.strategies) == 1 else []
        return f"<Run{name}: {', '.join(parts)}>"


def _names(record: Record, what: str) -> tuple[str, ...]:
    """The names of a record: its kind, its case, or its strategy alone and with the budget."""
    if what == "compactor":
        return record["compactor"], arm_name(record["compactor"], record.get("budget"))
    return (str(record.get(what)),)


def _known_figure(name: str) -> Figure:
    if name not in of_items():
        raise ValueError(f"{name!r} is not a figure of a run{_instead(name, of_items())}")
    return known()[name]


def _instead(name: str, known: Iterable[str]) -> str:
    """The nearest name to one that is not known, or all names."""
    listed = sorted(set(known))
    near = difflib.get_close_matches(name, listed, 1)
    if near:
        return f"; did you mean {near[0]!r}?"
    return f"; there is {', '.join(map(repr, listed))}" if listed else "; it has no item"


def _shown(mean: Mean | None) -> str:
    if mean is None:
        return "no score"
    if mean.interval is None:
        return f"{mean.value:.2f} (no interval)"
    low, high = mean.interval
    return f"{mean.value:.2f} [{low:.2f}, {high:.2f}]"
