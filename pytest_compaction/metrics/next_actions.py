"""Next action after a compaction: a call compared with the recorded one, and the figures of it.

Arguments are compared as values: numbers by their size, lists in order, objects without it, texts
whole, and paths as the files that they name.
"""

from __future__ import annotations

import math
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pytest_compaction.artifacts import same_end
from pytest_compaction.conversation import Message
from pytest_compaction.metrics.intervals import (
    Mean,
    case_key,
    clustered,
    counts_of,
    jackknife_interval,
    mean_over,
)
from pytest_compaction.record import Record

WAYS: Final = ("choice", "call")
"""How the next action is asked for: as a choice of three recorded calls, and freely."""
CONTEXTS: Final = ("view", "tail", "full")
"""What it is asked from: the view, the newest messages in as many tokens, and the full log."""
_FOLDER: Final = re.compile(
    r"\b(?:cwd|workdir|working[ _]?(?:dir|directory|folder))\b"
    r"[^\w/]{0,8}(?:is |was reset to )?(?P<folder>/[\w.~][^\s\"'`<>,;()\\]+)",
    re.IGNORECASE,
)
_MAX_PATH: Final = 4096


def working_folder(messages: Iterable[Message]) -> str:
    """The first working folder that a conversation names; empty if it names none."""
    for message in messages:
        texts = (message.text, *(result.text for result in message.results))
        match = next(filter(None, map(_FOLDER.search, texts)), None)
        if match is not None:
            return posixpath.normpath(match["folder"].rstrip("."))
    return ""


def arguments_right(one: Mapping[str, Any], other: Mapping[str, Any], folder: str = "") -> float:
    """The share of the arguments of either call that both have with the same value (0 to 1).

    Symmetric. Two calls without arguments agree in all of them.
    """
    names = one.keys() | other.keys()
    same = sum(
        name in one and name in other and same_value(one[name], other[name], folder)
        for name in names
    )
    return same / len(names) if names else 1.0


def same_value(one: Any, other: Any, folder: str = "") -> bool:
    """Whether two values of JSON are equal; paths are resolved against ``folder``.

    Values that are nested too deep for Python are not equal.
    """
    try:
        return _same(one, other, folder)
    except RecursionError:
        return False


def _same(one: Any, other: Any, folder: str) -> bool:
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, str) and isinstance(other, str):
        return one == other or _same_path(one, other, folder)
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[k], other[k], folder) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(_same(a, b, folder) for a, b in pairs)
    return bool(one == other)


def _same_path(one: str, other: str, folder: str) -> bool:
    """Whether both texts are paths of one file.

    Where no working folder is known, an absolute path is compared by its end with a relative one.
    """
    if not ("/" in one or "/" in other) or not (_may_be_path(one) and _may_be_path(other)):
        return False
    first, second = (posixpath.normpath(posixpath.join(folder, each)) for each in (one, other))
    apart = posixpath.isabs(first) != posixpath.isabs(second)
    return first == second or (apart and same_end(first, second))


def _may_be_path(text: str) -> bool:
    return 0 < len(text) <= _MAX_PATH and "://" not in text and len(text.split()) == 1


def next_share(record: Record, way: str, context: str = "view") -> float | None:
    """How far the next action of an item is right in a context (0 to 1).

    ``None`` where one of the replies that are compared has no score.
    """
    shares = _shares(record, way)
    return None if None in shares.values() else shares.get(context)


def next_kept(records: Sequence[Record], way: str) -> Mean | None:
    """(view - tail) / (full log - tail), each summed over all items, with its interval over cases.

    ``None`` where no lead of the full log is shown: where it, or its interval, is not above 0.
    """
    found = []
    for record in records:
        view, tail, full = (next_share(record, way, context) for context in CONTEXTS)
        if view is not None and tail is not None and full is not None:
            found.append((case_key(record), (view, tail, full)))
    value = _lead_kept([shares for _, shares in found])
    lead = mean_over(clustered((case, full - tail) for case, (_, tail, full) in found))
    if value is None or lead is None or (lead.interval and lead.interval[0] <= 0):
        return None
    interval = jackknife_interval(clustered(found), _lead_kept)
    counted = [record for record in records if next_share(record, way, "tail") is not None]
    return Mean(value, interval, len(found), *counts_of(counted))


def _lead_kept(shares: Sequence[tuple[float, float, float]]) -> float | None:
    view, tail, full = (math.fsum(each[place] for each in shares) for place in range(3))
    return (view - tail) / (full - tail) if full - tail > 1e-9 else None


def next_unscored(records: Iterable[Record]) -> int:
    """The number of next actions asked for that a reply without a score takes out of the figure."""
    return sum(None in _shares(record, way).values() for record in records for way in WAYS)


def without_next_call(records: Iterable[Record]) -> dict[str, list[str]]:
    """The points that no recorded call follows, by case."""
    found: dict[str, list[str]] = {}
    for record in records:
        asked = record.get("next_action")
        if isinstance(asked, Mapping) and not asked.get("message"):
            points = found.setdefault(record["case"], [])
            point = str((record.get("point") or {}).get("id"))
            points += [] if point in points else [point]
    return found


def _shares(record: Record, way: str) -> dict[str, float | None]:
    """The shares of a record by context; a run file may hold anything."""
    asked: Any = record.get("next_action")
    shares = asked.get(way) if isinstance(asked, Mapping) else None
    if not isinstance(shares, Mapping):
        return {}
    found = {context: shares[context] for context in CONTEXTS if context in shares}
    return {
        name: float(share) if type(share) in {int, float} and 0 <= share <= 1 else None
        for name, share in found.items()
    }
