"""Numbers that are none: JSON as Python writes it may hold NaN and infinities."""

from __future__ import annotations

import math
from typing import Any, Final

from pytest_compaction.records.record import Record

NOT_A_NUMBER: Final = "a score in the record is not a finite number"


def finite(value: Any) -> Any:
    """A JSON value with ``None`` in place of every NaN and infinity in it."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [finite(each) for each in value]
    return value


def finite_record(record: Record) -> Record:
    """A record that no figure is spoiled by: one NaN would make every mean NaN.

    An item whose overall score is no number is unscored, and its reason says so; one with a
    count of tokens that is none has no counts.
    """
    found: Record = finite(record)
    overall = record.get("overall")
    if overall is not None and found["overall"] is None:
        found |= {"status": "unscored", "reason": NOT_A_NUMBER, "dimensions": {}}
    tokens = found.get("tokens")
    if isinstance(tokens, dict) and None in tokens.values():
        found["tokens"] = {}
    return found
