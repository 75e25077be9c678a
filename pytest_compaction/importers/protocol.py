"""The protocol of an importer: messages out, and a tally of what became of each record."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar, runtime_checkable

from pytest_compaction.conversation import Image, Message, Opaque, Part, Text, canonical_json
from pytest_compaction.conversation.formats.parts import Media, mapping, string
from pytest_compaction.text import printable

T = TypeVar("T")

# --- left out -----------------------------------------------------------------------------
KEPT_AS_RECORD: Final = "compaction, kept as a record and not as a message"
NOT_ON_RECORD: Final = "compaction without a usable record"
BEFORE_FIRST_MESSAGE: Final = "compaction before the first message"
SUMMARY_IN_RECORD: Final = "summary of a compaction, kept in its record"
MOST_COMPACTIONS: Final = 500
"""The most compactions of a session that are read."""
TOO_MANY: Final = f"compaction beyond the first {MOST_COMPACTIONS} of its session"
ENCRYPTED_CONTENT: Final = "encrypted content of a compaction"
SECOND_RESULT: Final = "second result of the same tool call"
RESULT_WITHOUT_CALL: Final = "tool result whose call is not in the transcript"

# --- repaired -----------------------------------------------------------------------------
JOINED: Final = "record joined with the message that it continues"
SPLIT: Final = "record split into several messages"
NOTICE: Final = "notice of the program, given as a system message"
CALL_WITHOUT_ID: Final = "tool call without an id, given a new one"
MISSING_PARENT: Final = "line whose parent is not in the file, put after the line before it"
OWN_ANCESTOR: Final = "line that is its own ancestor, taken as the first"


MAX_URL: Final = 500
"""The most characters kept of an address; signed addresses are long and soon expire."""


class ImportFormatError(ValueError):
    """A transcript cannot be imported; the text names the file, the line, and what to do."""


class OtherFileError(ImportFormatError):
    """A file belongs to a session that is read from another file, which the text names."""


@dataclass(frozen=True, slots=True)
class ImportTally:
    """What became of the records of a transcript; an importer drops nothing silently.

    ``left_out`` counts records and parts that are not in the messages, by reason;
    ``repaired`` counts what was changed or added to make them whole, by reason.
    Both are sorted by reason. ``unread`` counts the records that the importer did not know.
    """

    records: int
    messages: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    repaired: Mapping[str, int] = field(default_factory=dict)
    unread: Mapping[str, int] = field(default_factory=dict)


MARKED, SHAPED, LOOSE, BARE = 30, 20, 10, 0
"""Specificity of a format that only one program writes and that has marks of its own; of a
provider's interface, recognised by the shape of its parts; of a shape that several formats share;
and of the last resort, nothing but a role and a content."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction that the agent made itself, after the message ``after`` of the log.

    The agent continued with ``messages``, the whole view as it was sent. If they are
    empty, it continued with a ``summary`` followed by the log messages ``kept`` (ids in
    the order of the log, none after the boundary). With neither, the transcript shows
    that a compaction happened but not its result, and ``missing`` says why.
    ``tokens_before`` and ``tokens_after`` are the sizes of the context as the agent counted it, and
    ``window`` is the largest that it says is possible. ``trigger`` is ``auto`` or ``manual``, or
    empty where the transcript does not say; ``seconds`` is how long it took. ``attached`` are the
    ids of those ``messages`` that hold files which the program attached again. ``clears`` tells
    that results of tools were cleared and nothing was summarised. ``usd`` is what the call of the
    compaction cost, in US dollars; ``spent`` is its model and the tokens that it read, had of them
    in a cache and wrote, where the transcript states these and no price.
    """

    after: str
    summary: str = ""
    tokens_before: int | None = None
    kept: tuple[str, ...] = ()
    messages: tuple[Message, ...] = ()
    missing: str = ""
    trigger: str = ""
    tokens_after: int | None = None
    window: int | None = None
    seconds: float | None = None
    attached: tuple[str, ...] = ()
    clears: bool = False
    usd: float | None = None
    spent: tuple[str, int, int, int] | None = None

    @property
    def recorded(self) -> bool:
        """Whether the transcript holds the result of the compaction."""
        return bool(self.messages or self.summary)

    def with_known_numbers(self) -> Boundary:
        """The same without numbers that are none, negative or too large to be counts."""
        return replace(
            self,
            tokens_before=counted_tokens(self.tokens_before),
            tokens_after=counted_tokens(self.tokens_after),
            window=counted_tokens(self.window),
            seconds=amount(self.seconds),
            usd=amount(self.usd),
        )


_MOST_COUNTED: Final = 10**9


def counted_tokens(value: Any) -> int | None:
    """A number of tokens or milliseconds that a transcript states; ``None`` for anything else."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return value if number and 0 <= value < _MOST_COUNTED else None


def amount(value: Any, most: float = 10**9) -> float | None:
    """Seconds or dollars that a transcript states; ``None`` for anything else."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value < most else None


def seconds_between(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> float | None:
    """The seconds between two records, if both tell their time and it is less than an hour."""
    times = [string(record.get("timestamp")).replace("Z", "+00:00") for record in (earlier, later)]
    try:
        start, end = map(datetime.fromisoformat, times)
        passed = (end - start).total_seconds()
    except (ValueError, TypeError, OverflowError):  # or one of them alone tells its zone
        return None
    return passed if 0 <= passed < _HOUR else None


_HOUR: Final = 3600


def trigger_of(value: Any) -> str:
    """``auto`` or ``manual`` if a transcript says so, else empty."""
    return value if value in ("auto", "manual") else ""


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
    """Counts what is left out and repaired, by reason, while a transcript is read.

    It is the rules by which formats are read: images and files become placeholders with their
    media type and size, and a part of no known kind is left out.
    """

    records: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    repaired: Counter[str] = field(default_factory=Counter)
    unread: Counter[str] = field(default_factory=Counter)
    strange: bool = False
    """Whether the message that is being read has a part of no known kind."""

    def add(self, other: Tally) -> None:
        """Count what another tally counted."""
        self.records += other.records
        self.left_out.update(other.left_out)
        self.repaired.update(other.repaired)
        self.unread.update(other.unread)

    def text(self, text: str) -> Part | None:
        """A text; ``None`` for an empty one."""
        return Text(text) if text else None

    def media(self, part: Mapping[str, Any], found: Media) -> Part:
        """The placeholder of an image or file; a document that is a text becomes that text."""
        if mapping(part.get("source")).get("type") == "text" and found.data:
            return Text(found.data)
        return self.placeholder(found)

    def placeholder(self, found: Media) -> Part:
        """What stands for an image or file: its media type, and its size or its address."""
        kind = "image" if found.is_image else "document"
        self.repaired[f"{kind} replaced by a placeholder with its size"] += 1
        url, data, media_type = found.url or "", found.data or "", found.media_type
        shown: dict[str, Any] = {"type": kind, "media_type": "image", "url": url[:MAX_URL]}
        if not found.is_image or found.url is None or url.startswith("data:"):
            if found.is_image and url:
                head, _, data = url.partition(",")
                media_type = head.removeprefix("data:").split(";")[0]
            size = len(data) * 3 // 4  # base64 spends four characters on three bytes
            shown = {"type": kind, "media_type": media_type or kind, "bytes": size}
        return (Image if found.is_image else Opaque)(canonical_json(shown))

    def unknown(self, what: str, part: Any, place: str = "") -> None:
        """Count a part of no known kind as left out, by its type or else its keys."""
        given = mapping(part)
        kind = given.get("type") or ", ".join(sorted(map(str, given))) or None
        self.left_out[unknown(what, kind)] += 1
        self.strange = True

    def skip(self, reason: str, record: Any = None) -> None:
        """Leave out a record that the importer does not know."""
        self.left_out[reason] += 1
        kinds = (string(mapping(record).get(key)) for key in ("type", "role", "kind"))
        self.unread[reason] += record is None or is_long(record) or any(map(_SAID.search, kinds))

    def note_unread(self, record: Mapping[str, Any], known: Container[str]) -> None:
        """Count the long members of a message that the importer does not read."""
        for key, value in record.items():
            if key not in known and is_long(value):
                self.left_out[f"member {printable(str(key), 40)!r} of a message, not read"] += 1

    def refuse_all(self, path: Path, what: str) -> None:
        """Raise the error of a file of lines in which nothing was recognised."""
        raise ImportFormatError(
            f"{path}: no {what} among {self.records} lines; name another format with --format"
        )

    def wrong(self, sentence: str) -> ValueError:
        """The error of an importer."""
        return ImportFormatError(sentence)

    def bounded(self, compactions: Sequence[T]) -> Sequence[T]:
        """The first compactions; the others are left out, since each may hold the whole log."""
        self.left_out[TOO_MANY] += max(len(compactions) - MOST_COMPACTIONS, 0)
        return compactions[:MOST_COMPACTIONS]

    def has_room(self, compactions: Sequence[T]) -> bool:
        """Whether one more compaction is read; one that is not counts as left out."""
        room = len(compactions) < MOST_COMPACTIONS
        self.left_out[TOO_MANY] += not room
        return room

    def compacted(self, boundary: Boundary) -> None:
        """Count the record of a compaction, which does not become a message."""
        self.left_out[KEPT_AS_RECORD if boundary.recorded else NOT_ON_RECORD] += 1

    def transcript(
        self,
        messages: Sequence[Message],
        path: Path,
        empty: str,
        model: str = "",
        boundaries: Iterable[Boundary] = (),
        name: str = "",
    ) -> Transcript:
        """The transcript with the counts so far.

        Without a message, raises :class:`ImportFormatError` with the sentence ``empty``.
        """
        if not messages:
            reasons = reasons_of(self.left_out)
            raise ImportFormatError(f"{empty}; left out: {reasons}" if reasons else empty)
        compactions = tuple(boundaries)  # whose reader may count
        left_out = {reason: number for reason, number in sorted(self.left_out.items()) if number}
        repaired = {reason: number for reason, number in sorted(self.repaired.items()) if number}
        tally = ImportTally(self.records, len(messages), left_out, repaired, dict(+self.unread))
        source = path.as_posix()
        return Transcript(tuple(messages), source, tally, model, compactions, name)


LONG: Final = 200
"""Characters above which a member of a message counts as left out if it is not read."""


_SAID: Final = re.compile(r"user|human|assistant|message|tool|call|result|function|observ", re.I)


def is_long(value: Any) -> bool:
    """Whether the texts and numbers in a value come to more than :data:`LONG` characters."""
    left, waiting = LONG, [value]
    while waiting and left >= 0:
        part = waiting.pop()
        if isinstance(part, Mapping):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        else:
            left -= len(part) if isinstance(part, str) else 1
    return left < 0


def reasons_of(left_out: Mapping[str, int]) -> str:
    """The two largest reasons for what was left out, with their numbers."""
    largest = Counter(left_out).most_common(2)
    return ", ".join(f"{number} × {reason}" for reason, number in largest if number)


def unknown(what: str, value: Any) -> str:
    """The reason for leaving out a record: the value of its type or role, ``what``, is unknown."""
    return f"unknown {what} {printable(str(value), 40)!r}"
