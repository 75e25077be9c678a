"""Compliance: the share of forced choices that keep to a constraint, and what it is worth.

Source: "Lost in Compaction" (arXiv 2608.11242), equations 8 and 9:

    ER = (c_compacted - c_long) / (c_upper - c_long)

``c_compacted`` is the share with the compacted view, ``c_long`` with the whole log, and
``c_upper`` with the compacted view and the constraint put before the request again. 1: as
good as if the constraint had just been given; 0: as with the whole log; below 0: worse
than without any compaction. The scripts published with the source take ``c_long`` from a
log into which the constraint was never put. A recorded log has no such version, so here
it is the log as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_compaction.metrics.aggregate import Mean, mean_of
from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.settings import CONTROL

NO_CONTROL = "the control is missing; add --compaction-control"
NO_PAIRS = "no choice was read in all three ways"
NO_EFFECT = "c_upper equals c_long"
IS_CONTROL = "it is the control"


@dataclass(frozen=True, slots=True)
class Retained:
    """Effect retention: at most 1 if ``c_upper`` is the largest, without a lower bound.

    ``value`` is ``None`` where it is not defined, and ``reason`` then says why.
    """

    value: float | None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Compliance:
    """The choices of one strategy as shares that comply (0 to 1).

    ``compacted`` is over all choices that were read, ``None`` if none was. ``paired``
    holds ``c_compacted``, ``c_long`` and ``c_upper`` over those that were read in all three
    ways, of which the effect retention is made; empty without any.
    """

    compacted: Mean | None
    paired: Mapping[str, Mean]
    retained: Retained


def effect_retention(choices: Sequence[tuple[bool, bool, bool]]) -> Retained:
    """Effect retention from choices, each as complied with the view, the log, the reminder."""
    if not choices:
        return Retained(None, NO_PAIRS)
    compacted, long, upper = (sum(column) for column in zip(*choices, strict=True))
    if upper == long:
        return Retained(None, NO_EFFECT)
    return Retained((compacted - long) / (upper - long))


def compliance(records: Sequence[Record], control: Sequence[Record]) -> Compliance | None:
    """The compliance of one strategy; ``None`` if no choice was put to it.

    ``control`` are the records of the run without compaction, empty if there was none.
    """
    asked = [record for record in records if "compliance" in record]
    if not asked:
        return None
    whole = {_key(record): complied(record) for record in control}
    triples = [
        {"case": record["case"], "compacted": mine, "long": long, "upper": upper}
        for record in asked
        if (mine := complied(record)) is not None
        and (long := whole.get(_key(record))) is not None
        and (upper := complied_reminded(record)) is not None
    ]
    missing = _why_not(records, control)
    retained = effect_retention([(t["compacted"], t["long"], t["upper"]) for t in triples])
    paired = {name: mean_of(triples, _share_of(name)) for name in ("compacted", "long", "upper")}
    return Compliance(
        compacted=mean_of(asked, _as_share),
        paired={name: mean for name, mean in paired.items() if mean is not None},
        retained=Retained(None, missing) if missing else retained,
    )


def _share_of(name: str) -> Callable[[Record], float]:
    return lambda triple: float(triple[name])


def _why_not(records: Sequence[Record], control: Sequence[Record]) -> str:
    """What keeps a strategy from having an effect retention at all; empty if nothing does."""
    if any(record["compactor"] == CONTROL for record in records):
        return IS_CONTROL
    return "" if control else NO_CONTROL


def complied(record: Record) -> bool | None:
    """Whether the choice of an item complies; ``None`` if it could not be read."""
    found: bool | None = record.get("compliance", {}).get("complied")
    return found


def complied_reminded(record: Record) -> bool | None:
    """The same with the constraint put before the request; ``None`` if that was not asked too."""
    reminded = record.get("compliance", {}).get("reminded") or {}
    found: bool | None = reminded.get("complied")
    return found


def _as_share(record: Record) -> float | None:
    found = complied(record)
    return None if found is None else float(found)


def _key(record: Record) -> tuple[str, str, int]:
    return record["case"], record["probe"], record["trial"]
