"""The compactions of a run, each once, from its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.metrics.item_figures import Record

COMPACTED: Final = frozenset({"compacted", "truncated"})
"""The statuses of a compaction that changed the view."""

CaseTrial = tuple[str, int]


@dataclass(frozen=True, slots=True)
class CompactionEvent:
    """One compaction; all figures but the window and the messages are tokens.

    ``before``: the request that it took the place of. ``after``: the view that it left.
    ``prefix``: whole messages at the beginning that both share. ``free``: the window less the
    view. ``until_next``: messages of the log until the view was again as large as before, ``None``
    if the log ended first; ``messages_left``: all messages of the log after it. What is not
    known is ``None``.
    """

    case: str
    trial: int
    point: str
    status: str
    before: int | None = None
    after: int | None = None
    prefix: int | None = None
    free: int | None = None
    window: int | None = None
    until_next: int | None = None
    messages_left: int | None = None

    @property
    def changed(self) -> bool:
        """Whether the view was changed."""
        return self.status in COMPACTED


def events_by_case(records: Iterable[Record]) -> dict[CaseTrial, tuple[CompactionEvent, ...]]:
    """The compactions of each case and trial; empty for records that do not list them.

    A record lists those up to the point of its probe: the longest list has them all.
    """
    longest: dict[CaseTrial, tuple[CompactionEvent, ...]] = {}
    for record in records:
        listed = listed_events(record)
        if listed is None:
            continue
        key = record["case"], record["trial"]
        if key not in longest or len(listed) > len(longest[key]):
            window = whole(record["compaction"].get("window"))
            longest[key] = tuple(_event(record, event, window) for event in listed)
    return {key: longest[key] for key in sorted(longest)}


def listed_events(record: Record) -> list[Mapping[str, Any]] | None:
    """The compactions that a record lists; ``None`` if it has no list of them."""
    listed = record["compaction"].get("events")
    if not isinstance(listed, list):
        return None
    return [event for event in listed if isinstance(event, Mapping)]


def whole(value: Any) -> int | None:
    """A whole number from a record, or ``None`` for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _event(record: Record, event: Mapping[str, Any], window: int | None) -> CompactionEvent:
    names = ("before", "after", "prefix", "free", "until_next", "messages_left")
    return CompactionEvent(
        case=record["case"],
        trial=record["trial"],
        point=str(event.get("point")),
        status=str(event.get("status")),
        window=window,
        **{name: whole(event.get(name)) for name in names},
    )
