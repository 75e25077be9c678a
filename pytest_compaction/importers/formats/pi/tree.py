"""Which lines of a pi session are its conversation: the way from the last one up to the root.

Lines form a tree: a user who goes back to an earlier line starts another branch, and what
stood on the one that was left was not in the context any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reasons import MISSING_PARENT, OWN_ANCESTOR


def branch_of(records: Iterable[Mapping[str, Any]], tally: Tally) -> frozenset[str] | None:
    """The ids on the last line's branch; ``None`` for old files, whose lines name no parent.

    Where a parent is not in the file, the line before stands for it, and the tally says so.
    """
    ids: list[str] = []
    parents: list[str | None] = []
    for record in records:
        own, parent = record.get("id"), record.get("parentId")
        if isinstance(own, str) and record.get("type") != "session":
            ids.append(own)
            parents.append(parent if isinstance(parent, str) else None)
    if not any(parents):
        return None
    place = {id: index for index, id in enumerate(ids)}
    kept: set[str] = set()
    index: int | None = len(ids) - 1
    while index is not None and ids[index] not in kept:
        kept.add(ids[index])
        parent = parents[index]
        if parent is None or parent in place:
            index = place[parent] if parent is not None else None
        else:
            tally.repaired[MISSING_PARENT] += 1
            index = index - 1 if index else None
    if index is not None:
        tally.repaired[OWN_ANCESTOR] += 1
    return frozenset(kept)
