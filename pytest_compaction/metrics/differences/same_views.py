"""Strategies whose views were the same in every item of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_compaction.metrics.item_figures import Record


def with_same_views(groups: Mapping[str, Sequence[Record]]) -> list[list[str]]:
    """The names of the strategies, those with the same views together, in order of occurrence.

    Views are compared by the hash of what the responder was asked. A strategy that lacks
    one for some item stands alone.
    """
    found: dict[object, list[str]] = {}
    for name, records in groups.items():
        found.setdefault(_views(records) or name, []).append(name)
    return list(found.values())


def _views(records: Sequence[Record]) -> frozenset[tuple[str, str, int, str]] | None:
    hashes = [(r, r.get("hashes", {}).get("prompt")) for r in records]
    if not all(digest for _, digest in hashes):
        return None
    return frozenset((r["case"], r["probe"], r["trial"], digest) for r, digest in hashes)
