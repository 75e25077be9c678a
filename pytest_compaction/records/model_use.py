"""What a run used of its models, by role and strategy, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics import DEFAULT_PRICING, Pricing, Ratios
from pytest_compaction.models import PROVIDERS, Usage, own_tokens_as_json, prices_at
from pytest_compaction.records.record import Record, rounded

ROLES: Final = ("compaction", "view", "baseline", "responder", "reader", "judge")
"""``view``: what a strategy asks about a question. ``baseline``: the answers from full history,
with which dialogues are compared."""
_SHARED: Final = frozenset({"compaction", "baseline"})


@dataclass(frozen=True, slots=True)
class Use:
    """Tokens and dollars of one role; ``usd`` is ``None`` where a call has no price."""

    usage: Usage = Usage()
    usd: float | None = 0.0

    def __add__(self, other: Use) -> Use:
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Use(self.usage + other.usage, usd)


def uses(records: Sequence[Record]) -> dict[tuple[str, str], Use]:
    """Use by role and strategy; a compaction counts once for all its probes."""
    found: dict[tuple[str, str], Use] = {}
    seen: set[tuple[Any, ...]] = set()
    for record in records:
        usage, usd = record.get("usage") or {}, record.get("usd") or {}
        for role in ROLES:
            if role not in usage:
                continue
            strategy = "" if role == "baseline" else record["compactor"]
            if role in _SHARED:
                key = (role, strategy, record["case"], record["trial"])
                if key in seen:
                    continue
                seen.add(key)
            name = (role, strategy)
            found[name] = found.get(name, Use()) + Use(Usage.from_json(usage[role]), usd.get(role))
    return found


def figures_of(records: Sequence[Record]) -> dict[str, Any]:
    """For the header: by model and script of the requests the tokens as counted here, those of the
    model's own tokenizer, and their ratio. Empty if no endpoint told them.
    """
    found = {
        model: {
            script: {**both, "ratio": rounded(both["own"] / max(both["counted"], 1))}
            for script, both in scripts.items()
        }
        for model, scripts in own_tokens_as_json(
            sum(uses(records).values(), Use()).usage.own_tokens
        ).items()
    }
    return {"own_tokens": found} if found else {}


def run_pricing(responder: str, records: Iterable[Record]) -> Pricing:
    """The prices of the model that answered, or stated ratios where it has none.

    The file of a run does not name the host of the model, but its records have dollars only
    where the host has prices.
    """
    priced = any((record.get("usd") or {}).get("responder") is not None for record in records)
    for host in PROVIDERS if priced else ():
        table = prices_at(f"https://{host}")
        usages = (Usage(1, 1000), Usage(1, 1000, 1000), Usage(1, 1000, 0, 0, 1000))
        plain, read, kept, written = (
            table.cost(responder, usage) for usage in (*usages, Usage(1, 0, 0, 1000))
        )
        if plain and read is not None and kept is not None and written is not None:
            ratios = Ratios(read / plain, kept / plain, written / plain)
            return Pricing(f"{responder}, prices of {table.edition}", ratios, plain * 1000)
    return DEFAULT_PRICING
