"""What an importer is and hands over: messages, and a ledger of what became of each record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, runtime_checkable

from pytest_compaction.conversation import Message


class ImportFormatError(ValueError):
    """A transcript cannot be imported; the text names the file, the line, and what to do."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """What became of the records of a transcript; an importer drops nothing silently.

    ``left_out`` counts records and parts that are not in the messages, by reason;
    ``repaired`` counts what was changed or added to make them whole, by reason.
    Both are sorted by reason.
    """

    records: int
    messages: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction that the agent really made, after the message ``after``."""

    after: str
    summary: str
    tokens_before: int | None = None


@dataclass(frozen=True, slots=True)
class Transcript:
    """One imported session; ``source`` names the file, ``model`` the agent's model if known."""

    messages: tuple[Message, ...]
    source: str
    ledger: Ledger
    model: str = ""
    boundaries: tuple[Boundary, ...] = ()


@runtime_checkable
class Importer(Protocol):
    """Reads one transcript format."""

    name: str
    description: str

    def recognises(self, head: str) -> bool:
        """Whether the first 64 kB of a file (its last line may be cut) are of this format."""

    def read(self, path: Path) -> Transcript:
        """Read a file; raises :class:`ImportFormatError` for one that is broken or empty."""


@dataclass(slots=True)
class Tally:
    """Counts by reason while a transcript is read."""

    records: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)

    def ledger(self, messages: int) -> Ledger:
        """The ledger of what was counted."""
        left_out = dict(sorted(self.left_out.items()))
        return Ledger(self.records, messages, left_out, dict(sorted(self.repaired.items())))
