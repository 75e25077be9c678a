"""Real sessions with questions written by hand: ``python tests/recordings/real/record.py NAME...``.

The log is what the importer makes of a public transcript; ``NAME.py`` beside this module asks
about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from questions import Questions


class ImportedLog(Questions):
    """A log to ask about; only what stands up to the chosen point is evidence."""

    def __init__(self, messages: Sequence[dict[str, Any]], ends: Sequence[int]) -> None:
        """``ends`` has the number of messages up to each point, in order."""
        super().__init__(messages[: ends[0]])
        self._whole = list(messages)
        self._ends = list(ends)
        self._point = 1

    def go_on(self) -> None:
        """Reach the next point: what is asked from here on may use the log up to it."""
        self._point += 1
        self.messages = self._whole[: self._ends[self._point - 1]]

    def probe(self, *given: Any, **named: Any) -> None:
        """Ask after the point that was reached."""
        if self._point < len(self._ends):
            named = {"point": f"p{self._point}"} | named
        super().probe(*given, **named)


@dataclass(frozen=True)
class RealSession:
    """A public transcript and the questions about it, as ``SESSION`` in ``NAME.py``.

    ``transcript`` is its path below the folder of public data, ``conversation`` the one that is
    meant where the file holds several, ``task`` and ``title`` are those of the case, ``licence``
    is an SPDX name and ``repository`` where the transcript was published.
    """

    ask: Callable[[ImportedLog], None]
    transcript: str
    task: str
    title: str
    licence: str
    repository: str
    conversation: str = ""
