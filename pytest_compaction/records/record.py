"""A record: one item of a run as plain JSON that survives any transport."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal

from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.models import (
    OFFLINE,
    RECORDED_WORDS,
    ChargedError,
    OwnCalls,
    PriceTable,
    Usage,
)
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
    """The keys that identify an item, whatever became of it.

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


def words_of(settings: Settings, compactor: str, calls: int) -> Words | None:
    """Who wrote the summaries of an item for which its compactions made so many calls.

    ``None`` where none was asked for; where ``--compaction-model=offline`` is named all are by
    rules. The client of a strategy asks a ``live`` model.
    """
    if settings.tells_words or not settings.names_model:
        return dict(settings.words).get(compactor, "live") if calls else None
    if settings.model == OFFLINE:
        return "rules"
    return "live" if calls else None


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
    """Usage and US dollars of an item that has no verdict, for its record, and why it has none."""
    why = {name: True for name in ("unpaid", "stale") if getattr(failure, name)}
    return charged(failure.spent, (), settings, prices, {"compaction": failure.own}) | why


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
    nothing costs anything. A view for which nothing was asked, or that rules read, is left out.
    """
    models = {"compaction": settings.model, "view": settings.model, "judge": settings.judges[0]}
    models["reader"] = settings.reader
    spent = {r: used for r, used in spent.items() if r not in {"view", "reader"} or used.calls}
    usd: dict[str, float | None] = {}
    for role, usage in spent.items():
        if not prices:
            break
        used = [(models.get(role, settings.responder), usage)]
        paid: list[float | None] = []
        by_itself = own.get(role, OwnCalls())
        if by_itself.usage.calls:
            used = [(settings.model, usage - by_itself.usage)]
            paid = [by_itself.usd]
        elif judging and role == "judge":
            used = list(judging)
        for model, part in used:
            free = model in {OFFLINE, RECORDED_WORDS} or not part.calls
            paid.append(0.0 if free else prices.cost(model, part))
        known = [cost for cost in paid if cost is not None]
        whole = len(known) == len(paid)
        usd[role] = round(math.fsum(known), _DOLLAR_DIGITS) if whole else None
    return {"usage": {role: used.as_json() for role, used in spent.items()}, "usd": usd}


def rounded(value: float | None) -> float | None:
    """A score, rounded so that runs on other machines write the same figure."""
    return None if value is None else round(value, _DIGITS)


def clean(text: str) -> str:
    """Text of bounded length without lone surrogates, which xdist cannot send."""
    return text[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
