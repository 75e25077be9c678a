"""Figures of a change in words, the same in every form of a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.metrics import BothMeans, FactChange, ItemChange, RunChanges
from pytest_compaction.text import printable

_PROBES: Final = 3
_CASES: Final = 10
_FACT: Final = 60


def difference_text(compared: BothMeans) -> str:
    """A mean difference with its 95 % interval, as in ``-0.18 [-0.27, -0.10]``, or its cases."""
    if compared.interval is None:
        return f"{compared.value:+.2f} ({counted(compared.paired.difference.cases, 'case')})"
    low, high = compared.interval
    return f"{compared.value:+.2f} [{low:+.2f}, {high:+.2f}]"


def item_name(item: ItemChange, width: int) -> str:
    """The item as ``case-probe``, with its trial if that is not the first."""
    record = item.second
    trial = f"-t{record['trial']}" if record["trial"] > 1 else ""
    return printable(f"{record['case']}-{record['probe']}{trial}", width)


def moved_facts(facts: Sequence[FactChange], most: int) -> str:
    """The texts of some facts and how many more there are."""
    shown = "; ".join(printable(fact.text, _FACT) for fact in facts[:most])
    return f"{shown}; {len(facts) - most} more" if len(facts) > most else shown


def counted(number: int, one: str, several: str = "") -> str:
    """A number of things: ``1 item``, ``2 items``."""
    return f"{number} {one if number == 1 else several or f'{one}s'}"


def facts_text(changes: RunChanges) -> str:
    """How many facts are newly gone and regained."""
    unclear = len(changes.facts.uncertain)
    less = f", {unclear} now uncertain" if unclear else ""
    return f"{len(changes.gone)} newly gone, {len(changes.regained)} regained{less}"


def uncompared(changes: RunChanges, names: tuple[str, str]) -> list[str]:
    """What the two runs do not have in common, as sentences; ``names`` are what they are called."""
    found = []
    if changes.new:
        found.append(f"only in {names[1]}: {_probes(changes.new)}")
    if changes.vanished:
        found.append(f"only in {names[0]}: {_probes(changes.vanished)}")
    if changes.unscored:
        what = counted(changes.unscored, "item")
        found.append(f"not compared: {what} without a score")
    return found


def changed_text(changes: RunChanges) -> list[str]:
    """Cases and probes that changed, whose scores are not compared, as sentences."""
    found = []
    if changes.changed_cases:
        names = ", ".join(printable(name, 40) for name in changes.changed_cases[:_CASES])
        more = len(changes.changed_cases) - _CASES
        names += f" and {more} more" if more > 0 else ""
        what = counted(len(changes.changed_cases), "case")
        found.append(f"not comparable, since the log or the budget changed: {what} ({names})")
    if changes.changed_probes:
        what = _probes(changes.changed_probes)
        found.append(f"scores not comparable, since facts or traps changed: {what}")
    return found


def _probes(probes: Sequence[tuple[str, str]]) -> str:
    shown = ", ".join(printable(f"{case}-{probe}", 40) for case, probe in probes[:_PROBES])
    more = f" and {len(probes) - _PROBES} more" if len(probes) > _PROBES else ""
    return f"{counted(len(probes), 'probe')} ({shown}{more})"
