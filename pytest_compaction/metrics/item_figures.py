"""The figures of one item, from its record: what leads, what the view states, what it scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_compaction.metrics.readings import Source
from pytest_compaction.record import Record


def reading_of(record: Record) -> Source:
    """The text that an item was scored by: the view, where rules answered, or the answer."""
    return "answer" if record.get("reading") == "answer" else "view"


def survival(record: Record) -> float | None:
    """The overall score of what the view states (0 to 5); ``None`` for an unscored item."""
    if record["overall"] is None or reading_of(record) == "view":
        value: float | None = record["overall"]
        return value
    return (record.get("view") or {}).get("overall")


def second_figure(record: Record) -> float | None:
    """The overall score of the reading that does not lead (0 to 5)."""
    if record["overall"] is None:
        return None
    other = record.get("answer") if reading_of(record) == "view" else record.get("view")
    return (other or {}).get("overall")


def answer_figure(record: Record) -> float | None:
    """The overall score of the answer (0 to 5); ``None`` where none was scored."""
    found: float | None = record["overall"] if reading_of(record) == "answer" else None
    return found if reading_of(record) == "answer" else second_figure(record)


def stated_share(record: Record) -> float | None:
    """The share of an item's facts that its view states; ``None`` without a score or facts."""
    facts = record["facts"]
    if record["overall"] is None or not facts:
        return None
    return sum(is_stated(fact) for fact in facts) / len(facts)


def is_stated(fact: Mapping[str, Any]) -> bool:
    """Whether the view states a fact, from its part of a record."""
    return bool(fact["survived"])


def is_answered(fact: Mapping[str, Any]) -> bool:
    """Whether an answer was made that could state a fact."""
    return fact.get("used", False) is not None


def outcome_of(fact: Mapping[str, Any], leads: Source) -> str:
    """The outcome of a fact in the view or the answer, from its part of a record."""
    stated = fact["survived"] if leads == "view" else fact["used"]
    return str(fact.get(leads, "stated" if stated else "absent"))
