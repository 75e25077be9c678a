"""What reports read of a record that is judged by nuggets, and whether it can be read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_compaction.metrics.event_order import ORDER_FIGURES


def unreadable_keys(record: Mapping[str, Any]) -> list[str]:
    """The keys of nuggets that a record has and that no report can read."""
    return [key for key, is_sound in _SOUND.items() if key in record and not is_sound(record[key])]


def _is_share(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _are_tenths(value: Any) -> bool:
    return isinstance(value, list) and all(type(tenth) is int for tenth in value)


def _are_nuggets(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(nugget, dict)
        and isinstance(nugget.get("text"), str)
        and (nugget.get("score") is None or _is_share(nugget["score"]))
        for nugget in value
    )


def _is_ordering(value: Any) -> bool:
    return isinstance(value, dict) and all(_is_share(value.get(name)) for name in ORDER_FIGURES)


_SOUND: Final[Mapping[str, Callable[[Any], bool]]] = {
    "size": lambda value: isinstance(value, str),
    "score": lambda value: value is None or _is_share(value),
    "tenths": _are_tenths,
    "nuggets": _are_nuggets,
    "ordering": _is_ordering,
}
