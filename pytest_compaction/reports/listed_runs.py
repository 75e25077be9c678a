"""The runs of a folder, a few lines each: what was measured, how, and what came out."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics import by_arm, overall_mean, pass_estimates
from pytest_compaction.records import Run, type_of
from pytest_compaction.reports.lines import WIDTH, counted
from pytest_compaction.text import printable

_NAME: Final = 40
_INDENT: Final = "      "
_NOT_SHOWN: Final = frozenset({"compactors", "runs", "store", "baseline_update"})
"""Settings that stand elsewhere in the list, or say where files lie."""
_VALUE: Final = 40


@dataclass(frozen=True, slots=True)
class Listed:
    name: str
    run: Run


@dataclass(frozen=True, slots=True)
class Damaged:
    name: str
    why: str


def run_list(found: Sequence[Listed | Damaged]) -> Iterator[str]:
    """The runs in the order given, each with what differs from the one before it."""
    before: Run | None = None
    for each in found:
        number, dash, _ = each.name.partition("-")
        name = printable(number if dash and number.isdecimal() else each.name, _NAME)
        if isinstance(each, Damaged):
            yield from _wrapped(f"damaged: {each.why}", f"{name}  ")
            continue
        records, header = each.run.records, each.run.header
        probes = [record for record in records if type_of(record) == "probe"]
        cases = len({record["case"] for record in records})
        what = f"{counted(len(records), 'item')}, {counted(cases, 'case')}"
        if dialogues := len(records) - len(probes):
            what += f", {counted(dialogues, 'dialogue')}"
        shard = _flat(header.get("shard"))
        if "index" in shard:
            what += f", shard {shard['index']}/{shard.get('count')}"
        yield f"{name}  {what}"
        for arm, group in by_arm(probes).items():
            mean, passes = overall_mean(group), pass_estimates(group).get(1)
            score = "-" if mean is None else f"{mean.value:.2f}"
            share = "-" if passes is None else f"{passes:.0%}"
            yield f"{_INDENT}{printable(arm, _NAME):<{_NAME}} overall {score:>5}  pass^1 {share:>4}"
        differing = [] if before is None else _differing(before.header, header)
        if differing:
            yield from _wrapped(f"other {'; '.join(differing)}")
        for problem in each.run.problems:
            yield from _wrapped(problem)
        before = each.run


def _wrapped(text: str, lead: str = _INDENT) -> Iterator[str]:
    yield from textwrap.wrap(
        printable(text),
        WIDTH,
        initial_indent=lead,
        subsequent_indent=_INDENT + "  ",
        break_on_hyphens=False,
    )


def _differing(before: Mapping[str, Any], header: Mapping[str, Any]) -> list[str]:
    """The settings in which a run differs from the one before it, and how many cases do."""
    one, other = _flat(before.get("settings")), _flat(header.get("settings"))
    keys = sorted(key for key in one.keys() | other.keys() if one.get(key) != other.get(key))
    found = [f"{key} {_value(other.get(key))}" for key in keys if key not in _NOT_SHOWN]
    ones, others = _flat(before.get("cases")), _flat(header.get("cases"))
    changed = sum(ones.get(case) != others.get(case) for case in ones.keys() | others.keys())
    return [*found, *([counted(changed, "case")] if changed else [])]


def _flat(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def _value(value: Any) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, value)) or "none"
    return printable("none" if value is None or value == "" else str(value), _VALUE)
