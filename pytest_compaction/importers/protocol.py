"""The protocol of an importer: messages out, and a tally of what became of each record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from pytest_compaction.conversation.messages import Message


class ImportFormatError(ValueError):
    """A transcript cannot be imported; the text names the file, the line, and what to do."""


@dataclass(frozen=True, slots=True)
class ImportTally:
    """What became of the records of a transcript; an importer drops nothing silently.

    ``left_out`` counts records and parts that are not in the messages, by reason;
    ``repaired`` counts what was changed or added to make them whole, by reason.
    Both are sorted by reason.
    """

    records: int
    messages: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)


KEPT_AS_RECORD: Final = "compaction, kept as its record and not as a message"
"""Why a record of a compaction is in no message."""
NOT_ON_RECORD: Final = "compaction of which nothing usable is on record"
JOINED: Final = "record joined with the message before it, of which it is a part"
"""How a record that is only a part of a message is counted as put right."""

MARKED: Final = 30
"""Specificity of a format that only one program writes, known by marks of its own."""
SHAPED: Final = 20
"""Specificity of a provider's interface, known by the shape of its parts."""
LOOSE: Final = 10
"""Specificity of a shape that several formats share."""
BARE: Final = 0
"""Specificity of what is left: a role and a content."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction that the agent really made, after the message ``after`` of the log.

    What the agent went on with is either ``messages``, the whole view as it was sent,
    or, where they are empty, a ``summary`` followed by the log messages ``kept``
    (ids, in the order of the log, none after the boundary). With neither, the
    transcript tells that there was a compaction but not what it made; ``missing``
    says why. ``tokens_before`` is the size of the context as the agent counted it.
    """

    after: str
    summary: str = ""
    tokens_before: int | None = None
    kept: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    missing: str = ""

    @property
    def recorded(self) -> bool:
        """Whether the transcript holds what the compaction made."""
        return bool(self.messages or self.summary)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One imported conversation; ``source`` names the file, ``model`` the agent's model if known.

    ``name`` tells the conversations of one file apart and is added to the case id;
    it is empty where the file holds one.
    """

    messages: tuple[Message, ...]
    source: str
    ledger: ImportTally
    model: str = ""
    boundaries: tuple[Boundary, ...] = ()
    name: str = ""


@runtime_checkable
class Importer(Protocol):
    """Reads one transcript format.

    A class may have a ``specificity`` (:data:`MARKED` when absent): of the importers
    that recognise a file the one with the highest reads it, of several such the first
    by name. A module of this folder with ``IMPORTER``, the class, is found by itself.
    An importer with ``recognises_folder(path)`` is also given folders to read, for formats
    that keep a conversation in one.
    """

    name: str
    description: str

    def recognises(self, head: str) -> bool:
        """Whether the first 64 kB of a file (its last line may be cut) are of this format."""

    def read(self, path: Path) -> Transcript | Iterable[Transcript]:
        """Read a file: its conversation, or several, which may be made one by one.

        Raises :class:`ImportFormatError` for a file that is broken or in which nothing
        was recognised. A conversation of several that is broken is raised in its place;
        those before it stand.
        """


@dataclass(slots=True)
class Tally:
    """Counts by reason while a transcript is read."""

    records: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)

    def compacted(self, boundary: Boundary) -> None:
        """Count the record of a compaction, which is in no message."""
        self.left_out[KEPT_AS_RECORD if boundary.recorded else NOT_ON_RECORD] += 1

    def ledger(self, messages: int) -> ImportTally:
        """The counts so far, for a transcript of so many messages."""
        left_out = {reason: number for reason, number in sorted(self.left_out.items()) if number}
        repaired = {reason: number for reason, number in sorted(self.repaired.items()) if number}
        return ImportTally(self.records, messages, left_out, repaired)
