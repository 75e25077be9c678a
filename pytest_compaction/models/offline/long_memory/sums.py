"""What was paid over all sessions, item by item, and altogether."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from pytest_compaction.models.offline.long_memory.fields import in_field
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.models.offline.long_memory.subject import Subject
from pytest_compaction.text.words import content_stems, normalize

_AMOUNT: Final = re.compile(
    r"(?P<sign>[$€£]|\bR(?=\d))?\s?(?P<number>\d[\d,]*(?:\.\d+)?)"
    r"\s?(?P<unit>euros?|dollars?|pounds?)?\b"
)
_LISTED: Final = re.compile(r"\b(?:on|across|for|of) ", re.IGNORECASE)
_NEXT_ITEM: Final = re.compile(r",|\band\b", re.IGNORECASE)
_LIST_END: Final = re.compile(r" altogether| in total", re.IGNORECASE)
_NEAR: Final = 0.6
_PAID: Final = re.compile(r"\b(?:paid|pay|cost\w*|charged|bought|ordered|booked|bill\w*|spent)\b")
"""What was paid or settled, and not only quoted or wished for."""
_CUT: Final = re.compile(r",(?:\s{0,4}and\s)?|\sand\s", re.IGNORECASE)


def expenses(subject: Subject | None, reading: Reading) -> list[str]:
    """The total, then each statement of a payment; nothing if there is none."""
    found: dict[str, tuple[float, str, str]] = {}
    for said in reading.told:
        if subject is not None and said.exchange not in subject.exchanges:
            continue
        if not in_field(said.normal, "spent") and not re.search(r"\btook\b", said.normal):
            continue
        for amount, currency in _amounts(said):
            found[said.normal] = (amount, currency, said.proper)
    if not found:
        return []
    return [_total([(amount, sign) for amount, sign, _ in found.values()]), *_told(found)]


def sum_of_items(question: str, reading: Reading) -> list[str]:
    """The total of what the question lists, each by the statement that gives its amount."""
    items = listed_items(question)
    if items is None:
        return []
    found: list[tuple[float, str, str]] = []
    priced = [n for n, said in enumerate(reading.statements) if said.by_user and _amounts(said)]
    for item in _CUT.split(items):
        stems = frozenset(content_stems(normalize(item)))
        ranked = reading.relevance.of(priced, stems)
        if not ranked:
            return []
        near = [one.number for one in ranked if one.score >= _NEAR * ranked[0].score]
        told = [reading.statements[number] for number in near]
        paid = next((said for said in told if _PAID.search(said.normal)), told[0])
        amount, currency = _nearest(stems, paid)
        found.append((amount, currency, paid.text))
    total = _total([(amount, sign) for amount, sign, _ in found])
    return [total, *dict.fromkeys(text for _, _, text in found)]


def listed_items(question: str) -> str | None:
    """The first list of a question, two items at least: "on the tent, the stove and the map"."""
    for sentence in " ".join(question.split()).split("?"):
        listed = _LISTED.search(sentence)
        second = listed and _NEXT_ITEM.search(sentence, listed.end() + 1)
        if listed and second and second.end() < len(sentence):
            end = _LIST_END.search(sentence, second.end() + 1)
            return sentence[listed.end() : end.start() if end else len(sentence)]
    return None


def _nearest(stems: frozenset[str], said: Statement) -> tuple[float, str]:
    """The amount that stands closest to the words of an item."""
    words = [
        match.start()
        for match in re.finditer(r"[\w'\-]+", said.proper)
        if stems & frozenset(content_stems(normalize(match[0])))
    ]
    places = [m for m in _AMOUNT.finditer(said.proper) if m["sign"] or m["unit"]]
    best = min(places, key=lambda m: min((abs(m.start() - place) for place in words), default=0))
    return _read(best)


def _amounts(said: Statement) -> list[tuple[float, str]]:
    found = _AMOUNT.finditer(said.proper)
    return [_read(match) for match in found if match["sign"] or match["unit"]]


def _read(match: re.Match[str]) -> tuple[float, str]:
    unit = match["unit"]
    plural = f"{unit.rstrip('s')}s" if unit else ""
    return float(match["number"].replace(",", "")), match["sign"] or plural


def _told(found: dict[str, tuple[float, str, str]]) -> list[str]:
    return [text for _, _, text in found.values()]


def _total(amounts: list[tuple[float, str]]) -> str:
    """In the currency of the amounts, the commonest of several."""
    currency = Counter(sign for _, sign in amounts).most_common(1)[0][0]
    total = f"{sum(amount for amount, _ in amounts):,.10g}"
    if len(currency) == 1:
        return f"Altogether {currency}{total}."
    return f"Altogether {total} {currency}."
