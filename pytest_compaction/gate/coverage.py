"""How much of a run its gate decided on: scored items and cases, of those that the run has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from pytest_compaction.records import Record, type_of
from pytest_compaction.settings import CONTROL, Budget

KEY: Final = "planned"
"""The key of a header under which a run says what it would measure if all of it ran."""


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """The size of a whole run: items, cases that were found, and whether these are ``shipped``."""

    items: int
    cases: int
    shipped: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def planned_in(header: Mapping[str, Any]) -> PlannedRun | None:
    """The planned size of a run from its header; ``None`` where it has none."""
    found: Any = header.get(KEY)
    try:
        return PlannedRun(int(found["items"]), int(found["cases"]), bool(found["shipped"]))
    except (KeyError, TypeError, ValueError):
        return None


def arms_of(
    header: Mapping[str, Any], records: Sequence[Record]
) -> list[tuple[str, Budget | None]]:
    """The strategies of a run at their budgets: those of its settings, and those of its records."""
    given: Any = header.get("settings")
    settings = given if isinstance(given, dict) else {}
    named, budgets = settings.get("compactors") or [], settings.get("budgets") or []
    arms = [
        (name, budget)
        for name in named
        for budget in ((None,) if name == CONTROL else budgets or (None,))
    ]
    arms += [(record["compactor"], record.get("budget")) for record in records]
    return list(dict.fromkeys(arms))


def coverage_text(records: Sequence[Record], planned: PlannedRun | None) -> str:
    """How many items were scored, as in ``on 2 of 8 items in 1 of 2 cases``; each counts once."""

    def counted(number: int, what: str) -> str:
        return f"{number} {what}{'' if number == 1 else 's'}"

    scored = [
        record
        for record in records
        if record.get("comparison" if type_of(record) == "dialogue" else "overall") is not None
    ]
    parts = ("case", "probe", "compactor", "budget", "trial")
    items = len({(type_of(record), *map(record.get, parts)) for record in scored})
    often = f" ({len(scored)} measurements)" if len(scored) > items else ""
    if planned is None:
        return f"on {counted(items, 'item')}{often}"
    cases = len({(type_of(record), record["case"]) for record in scored})
    text = f"on {items} of {counted(planned.items, 'item')}{often}"
    shipped = "shipped " if planned.shipped else ""
    if cases < planned.cases:
        return f"{text} in {cases} of {counted(planned.cases, f'{shipped}case')}"
    return f"{text} of the shipped cases" if shipped else text
