"""A record: one item of a run as plain JSON that survives any transport."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pytest_compaction.conversation.messages import canonical_json, short_hash
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import ChargedError
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.record import Record as Record
from pytest_compaction.record import RecordType as RecordType
from pytest_compaction.record import Status as Status
from pytest_compaction.record import Words
from pytest_compaction.record import type_of as type_of
from pytest_compaction.settings import Settings

Phase = Literal["setup", "call", "teardown"]
"""The part of a pytest item that went wrong."""

MAX_TEXT: Final = 4000
_DIGITS: Final = 4
_DOLLAR_DIGITS: Final = 8


def status_from(passed: bool | None) -> Status:
    """The status of an item with a verdict; ``None`` stands for an unscored one."""
    return "unscored" if passed is None else "passed" if passed else "failed"


def blank_record(
    *,
    item: str,
    case: str,
    task: str,
    probe: str,
    kind: str,
    compactor: str,
    trial: int,
    digest: str,
    scoring: Mapping[str, Any],
) -> Record:
    """What identifies an item, whatever became of it.

    ``digest`` is that of the case or dialogue; ``scoring`` are the settings on which
    its scores depend.
    """
    return {
        "item": clean(item),
        "case": case,
        "task": task,
        "probe": probe,
        "kind": kind,
        "compactor": compactor,
        "trial": trial,
        "hashes": {"case": digest, "settings": short_hash(canonical_json(scoring))},
    }


def words_of(settings: Settings, calls: int) -> Words:
    """Who wrote the summaries of an item for which its compactions made so many calls."""
    if settings.model == offline.NAME or not calls:
        return "rules"
    return "recorded" if settings.model == shipped.NAME else "live"


def with_error(record: Record, phase: Phase, reason: str) -> Record:
    """A record that keeps its verdict, with the error of an item that went wrong afterwards.

    The verdict was paid for and is still true; the error makes the item fail all the same.
    """
    return {**record, "error": {"phase": phase, "reason": clean(reason)}}


def went_wrong_later(record: Mapping[str, Any]) -> bool:
    """Whether an item went wrong after its verdict, which the record then keeps."""
    return "error" in record


def spent_before(
    failure: ChargedError, settings: Settings, prices: PriceTable | None = None
) -> dict[str, Any]:
    """Usage and US dollars of an item that has no verdict, for its record."""
    unpaid = {"unpaid": True} if failure.unpaid else {}
    return charged(failure.spent, (), settings, prices, {"compaction": failure.own}) | unpaid


def charged(
    spent: Mapping[str, Usage],
    judging: Sequence[tuple[str, Usage]],
    settings: Settings,
    prices: PriceTable | None,
    own: Mapping[str, OwnCalls] = {},
) -> dict[str, Any]:
    """``usage`` and ``usd`` of a record, by role; dollars are ``None`` where no price is known.

    ``judging`` is the usage of each judge with the name of its model; without it the first
    judge is charged for all judging. ``own`` is the part of a role that the strategy's own
    client asked for, from whatever model. Without ``prices`` there is no endpoint, and
    nothing costs anything. A view for which nothing was asked is left out.
    """
    models = {"compaction": settings.model, "view": settings.model, "judge": settings.judges[0]}
    spent = {role: used for role, used in spent.items() if role != "view" or used.calls}
    usd: dict[str, float | None] = {}
    if prices:
        for role, usage in spent.items():
            alone = [(models.get(role, settings.responder), usage)]
            by_itself = own.get(role, OwnCalls())
            if by_itself.usage.calls:
                usd[role] = _with_own(usage, by_itself, settings.model, prices)
                continue
            usd[role] = _dollars(judging if judging and role == "judge" else alone, prices)
    return {"usage": {role: used.as_json() for role, used in spent.items()}, "usd": usd}


def _with_own(usage: Usage, own: OwnCalls, model: str, prices: PriceTable) -> float | None:
    """The cost of a role with calls that the strategy's own client made."""
    rest = _dollars([(model, usage - own.usage)], prices)
    return None if rest is None or own.usd is None else round(rest + own.usd, _DOLLAR_DIGITS)


def _dollars(used: Sequence[tuple[str, Usage]], prices: PriceTable) -> float | None:
    """The cost of several models together; ``None`` if one has no price. Offline is free."""
    costs = [
        0.0 if model == offline.NAME or not usage.calls else prices.cost(model, usage)
        for model, usage in used
    ]
    known = [cost for cost in costs if cost is not None]
    return round(math.fsum(known), _DOLLAR_DIGITS) if len(known) == len(costs) else None


def rounded(value: float | None) -> float | None:
    """A score, rounded so that runs on other machines write the same figure."""
    return None if value is None else round(value, _DIGITS)


def clean(text: str) -> str:
    """Text of bounded length without lone surrogates, which xdist cannot send."""
    return text[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
