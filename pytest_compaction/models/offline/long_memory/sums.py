"""What was paid over all sessions, item by item, and altogether."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import in_field
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.subject import Subject

_AMOUNT: Final = re.compile(
    r"(?P<sign>[$€£])?\s?(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<unit>euros?|dollars?|pounds?)?\b"
)


def expenses(subject: Subject | None, reading: Reading) -> list[str]:
    """The total, then each statement of a payment; nothing if there is none."""
    found: dict[str, tuple[float, str]] = {}
    for said in reading.told:
        if subject is not None and said.exchange not in subject.exchanges:
            continue
        if not in_field(said.normal, "spent") and not re.search(r"\btook\b", said.normal):
            continue
        for match in _AMOUNT.finditer(said.proper):
            if match["sign"] or match["unit"]:
                amount = float(match["number"].replace(",", ""))
                found[said.normal] = (amount, said.proper)
    if not found:
        return []
    total = sum(amount for amount, _ in found.values())
    return [f"Altogether {total:,.10g} euros.", *(text for _, text in found.values())]
