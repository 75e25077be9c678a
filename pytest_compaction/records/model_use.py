"""What a run used of its models, by role and strategy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.models import Usage
from pytest_compaction.records.record import Record

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
