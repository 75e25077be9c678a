"""The protocol of an importer: messages out, and a tally of what became of each record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from pytest_compaction.conversation.messages import Message
from pytest_compaction.importers.reasons import KEPT_AS_RECORD, NOT_ON_RECORD


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


MARKED: Final = 30
"""Specificity of a format that only one program writes and that has marks of its own."""
SHAPED: Final = 20
"""Specificity of a provider's interface, recognised by the shape of its parts."""
LOOSE: Final = 10
"""Specificity of a shape that several formats share."""
BARE: Final = 0
"""Specificity of the last resort: nothing but a role and a content."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction that the agent made itself, after the message ``after`` of the log.

    The agent continued with ``messages``, the whole view as it was sent. If they are
    empty, it continued with a ``summary`` followed by the log messages ``kept`` (ids in
    the order of the log, none after the boundary). With neither, the transcript shows
    that a compaction happened but not its result, and ``missing`` says why.
    ``tokens_before`` is the size of the context as the agent counted it.
    """

    after: str
    summary: str = ""
    tokens_before: int | None = None
    kept: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    missing: str = ""

    @property
    def recorded(self) -> bool:
        """Whether the transcript holds the result of the compaction."""
        return bool(self.messages or self.summary)


@dataclass(frozen=True, slots=True)
class Transcript:
    """One imported conversation; ``source`` names the file, ``model`` the agent's model if known.

    ``name`` distinguishes the conversations of one file and is added to the case id;
    it is empty for a file with a single conversation. ``title`` takes the place of the name
    that the file's path gives to the case.
    """

    messages: tuple[Message, ...]
    source: str
    tally: ImportTally
    model: str = ""
    boundaries: tuple[Boundary, ...] = ()
    name: str = ""
    title: str = ""


@runtime_checkable
class Importer(Protocol):
    """Reads one transcript format.

    A class may have a ``specificity`` (:data:`MARKED` when absent). If several importers
    recognise a file, the one with the highest reads it; of equals, the first by name. The
    registry finds every module below ``formats`` whose ``IMPORTER`` is such a class. An
    importer with ``recognises_folder(path)`` is also given folders, for formats that keep
    a conversation in a folder.
    """

    name: str
    description: str

    def recognises(self, head: str) -> bool:
        """Whether a file is of this format, by its first 64 kB, which may end within a line.

        If no format of one program is told from them, a JSON file is shown once more as an
        outline: with all keys, and the beginning of its lists and texts.
        """

    def read(self, path: Path) -> Transcript | Iterable[Transcript]:
        """Read a file: its conversation, or an iterable of several.

        Raises :class:`ImportFormatError` if the file is broken or nothing in it was
        recognised. If one of several conversations is broken, the iterable raises when it
        gets there; the conversations before it remain valid.
        """


@dataclass(slots=True)
class Tally:
    """Counts what is left out and repaired, by reason, while a transcript is read."""

    records: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)

    def compacted(self, boundary: Boundary) -> None:
        """Count the record of a compaction, which does not become a message."""
        self.left_out[KEPT_AS_RECORD if boundary.recorded else NOT_ON_RECORD] += 1

    def counted(self, messages: int) -> ImportTally:
        """The counts so far, for a transcript of this number of messages."""
        left_out = {reason: number for reason, number in sorted(self.left_out.items()) if number}
        repaired = {reason: number for reason, number in sorted(self.repaired.items()) if number}
        return ImportTally(self.records, messages, left_out, repaired)
