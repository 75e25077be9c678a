"""Find the lines of a pi session that form its conversation: the path from the last line up.

The lines form a tree. A user who goes back to an earlier line starts another branch, and
the abandoned branch leaves the context.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.reasons import MISSING_PARENT, OWN_ANCESTOR


def branch_of(records: Iterable[Mapping[str, Any]], tally: Tally) -> frozenset[str] | None:
    """The ids on the branch of the last line; ``None`` for old files, which have no parents.

    If a parent is not in the file, the line before takes its place, and the tally counts it.
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
