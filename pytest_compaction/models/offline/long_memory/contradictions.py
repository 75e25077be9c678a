"""Both sides of what the user said of themselves, once so and once otherwise."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.text.words import content_stems, normalize

_NOT: Final = re.compile(r"\b(?:never|not|no|none|without|\w+n't)\b")
_OF_MYSELF: Final = re.compile(r"\b(?:i|i've|i'm|my|we|our)\b")
_SHARE: Final = 0.5
_EMPTY: Final = frozenset(content_stems("ever anything something yet"))


def both_sides(question: str, reading: Reading) -> list[str]:
    """The newest statement that says so and the newest that denies it; one alone if so."""
    wanted = frozenset(content_stems(normalize(question))) - _EMPTY
    sides: dict[bool, tuple[float, str]] = {}
    for said in reading.told:
        share = len(wanted & said.stems) / len(wanted) if wanted else 0.0
        if share < _SHARE or not _OF_MYSELF.search(said.normal):
            continue
        denies = _NOT.search(said.normal) is not None
        if share >= sides.get(denies, (0.0, ""))[0]:
            sides[denies] = (share, said.proper)
    texts = [text for _, text in sides.values()]
    if len(texts) < len((True, False)):
        return texts
    return [
        "There is contradictory information about this.",
        *(f"You said: {text}" for text in texts),
        "Which statement is correct?",
    ]
