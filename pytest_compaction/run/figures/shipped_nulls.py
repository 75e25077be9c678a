"""What the nulls state in the shipped cases, as data: a run need not read their views.

A null has few views at a point, because a view changes only where another sentence or message
fits. ``nulls.json`` has the digest of each, from few tokens to many, and for each probe from which
view on it states how much. A view that the file does not have is read as any other.
"""

from __future__ import annotations

import base64
import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, Literal

from pytest_compaction.case import Case, Probe
from pytest_compaction.conversation import Message, readable
from pytest_compaction.metrics import reader_version

FILE: Final = Path(__file__).with_name("nulls.json")
DIGEST: Final = 8

Nulls = Literal["none", "shipped", "all"]
"""The cases in which a strategy is compared with the nulls: ``shipped`` are those of the file."""
Run = tuple[int, float, int]
"""From this view on: the survival, 0 to 5, and how many of the probe's facts are stated."""


@dataclass(frozen=True)
class CaseNulls:
    """What the nulls state in one case.

    ``views`` has, by null and point, the digests of its views in one text; ``runs`` has them by
    probe and null.
    """

    digest: str
    views: Mapping[str, Mapping[str, str]]
    runs: Mapping[str, Mapping[str, Sequence[Run]]]

    def of(self, null: str, probe: Probe, view: Iterable[Message]) -> tuple[float, float] | None:
        """The survival and the share of facts that this view states, if it is known."""
        number = self._numbers.get((null, str(probe.point)), {}).get(view_digest(view))
        if number is None:
            return None
        runs = self.runs[probe.id][null]
        _, overall, stated = runs[bisect_right(runs, number, key=lambda run: run[0]) - 1]
        return overall, stated / len(probe.facts)

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], dict[str, int]]:
        return {
            (null, point): {
                text[at : at + DIGEST]: at // DIGEST for at in range(0, len(text), DIGEST)
            }
            for null, points in self.views.items()
            for point, text in points.items()
        }


def shipped_nulls(case: Case) -> CaseNulls | None:
    """What the nulls state in a case; ``None`` if the file is not about it as it is now."""
    found = _content()
    if found.get("reader") != reader_version():
        return None
    known: CaseNulls | None = found["cases"].get(case.id)
    return known if known is not None and known.digest == case.digest else None


@cache
def _content() -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(FILE.read_bytes())
    except OSError:
        return {}
    return {**found, "cases": {id: CaseNulls(**each) for id, each in found["cases"].items()}}


def view_digest(view: Iterable[Message]) -> str:
    """What tells a view from others of a null at the same point."""
    found = hashlib.blake2b(digest_size=6)
    for message in view:
        text = readable(message).encode("utf-8", "replace")
        found.update(b"%d\n" % len(text) + text)
    return base64.urlsafe_b64encode(found.digest()).decode()
