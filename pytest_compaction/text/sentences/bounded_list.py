"""The sentences of long texts, of which only those asked for lately are held as they were read."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.text.sentences.parsed import Parsed
from pytest_compaction.text.sentences.sentence_list import SentenceList

_MOST: Final = 5_000
"""Sentences of which what was read is held; beyond it all is dropped."""


class BoundedList(SentenceList):
    """Holds what was read of sentences while it is little, and reads them again later."""

    def parsed(self, number: int) -> Parsed:
        """The sentence with this number, prepared for questions."""
        drop_beyond_most(self._parsed)
        return super().parsed(number)

    def beside(self, number: int) -> list[int]:
        """Sentences near this one in the same bullet or paragraph: they may share a passage."""
        drop_beyond_most(self._beside)
        return super().beside(number)

    def around(self, number: int) -> Parsed:
        """The sentence with those beside it, read as one."""
        drop_beyond_most(self._around)
        return super().around(number)


def drop_beyond_most(held: dict[int, Any]) -> None:
    """Drop all that is held of sentences when it is much."""
    if len(held) > _MOST:
        held.clear()
