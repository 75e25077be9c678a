"""Sessions of Cline: message files with their compactions, and the older histories.

Beside ``<id>.messages.json``, ``<id>.compaction.json`` holds the context with which Cline continued
after its latest compaction; if there are several, each makes a case of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message, Text
from pytest_compaction.conversation.formats.anthropic import read_blocks
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.formats.anthropic import leave_compactions
from pytest_compaction.importers.formats.cline_histories import (
    ClassicReader,
    anthropic_blocks,
    is_classic,
    known_role,
)
from pytest_compaction.importers.json_files import is_list, read_document
from pytest_compaction.importers.protocol import (
    Boundary,
    ImportFormatError,
    OtherFileError,
    Tally,
    Transcript,
    counted_tokens,
    trigger_of,
)
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.threads import ThreadBuilder, in_terms_of, is_empty

_SIDECAR: Final = ".compaction.json"
_LOG: Final = ".messages.json"
_READ: Final = ("content", "modelInfo", "metrics", "metadata")
"""Members of a message that are read, or of no matter to the conversation."""
_MADE: Final = ("compaction", "compaction_summary")
_MAX_SIDECARS: Final = 20
"""Each is read whole to see whether it belongs to the session, so their number is bounded."""


def _recognised(value: Any) -> bool:
    data = mapping(value)
    said = isinstance(data.get("messages"), list)
    return (
        ("messages_path" in data and "session_id" in data)
        or (said and "source_message_count" in data)
        or (said and "sessionId" in data and "agent" in data)
        or is_classic(value)
    )


def _transcripts(path: Path) -> Iterator[Transcript]:
    """The session; once for each recorded compaction if there are several."""
    data = read_document(path)
    if is_list(data):
        yield ClassicReader().transcript(path, data)
        return
    session = mapping(data)
    _refuse_other(path, session)
    records = _records(path, session)
    each_once: Sequence[_Record | None] = records or [None]
    for record in each_once:
        tally = Tally()
        log = _read(session, str(path), tally)
        empty = f"{path}: a Cline session without a message; nothing to import"
        boundaries = [_boundary(session, log, record)] if record else []
        name = record.name if record and len(records) > 1 else ""
        yield tally.transcript(log.messages, path, empty, log.model, boundaries, name)


def _refuse_other(path: Path, session: Mapping[str, Any]) -> None:
    """Refuse the other files of a session with an error that names the right one."""
    messages = session.get("messages")
    if not is_list(messages):
        raise OtherFileError(
            f"{path}: this is the header of a Cline session, without its messages; "
            f"import the file beside it that ends in {_LOG}"
        )
    if path.name.endswith(_SIDECAR) or "source_message_count" in session:
        raise OtherFileError(
            f"{path}: this is the result of a Cline compaction, not the session; import the "
            f"file beside it that ends in {_LOG}, which reads this one as well"
        )
    if not messages:
        raise ImportFormatError(f"{path}: a Cline session without a message; nothing to import")


@dataclass(frozen=True, slots=True)
class _Record:
    name: str
    place: str
    data: Mapping[str, Any]


def _records(path: Path, session: Mapping[str, Any]) -> list[_Record]:
    stem = path.name.removesuffix(_LOG)
    id = session.get("sessionId")
    found: list[_Record] = []
    for beside in sorted(path.parent.glob(f"*{_SIDECAR}"))[:_MAX_SIDECARS]:
        name = beside.name.removesuffix(_SIDECAR)
        data = mapping(read_document(beside))
        ours = id in (data.get("sessionId"), data.get("conversation_id")) or name == stem
        if ours and is_list(data.get("messages")) and data["messages"]:
            found.append(_Record(name, str(beside), data))
    return found


@dataclass(slots=True)
class _Read:
    """Messages, and for each the number of its message in the session."""

    messages: tuple[Message, ...] = ()
    origins: list[int] = field(default_factory=list)
    model: str = ""
    sent: list[tuple[int, int]] = field(default_factory=list)
    """Numbers of replies in the session, with the tokens of their requests."""


def _read(session: Mapping[str, Any], place: str, tally: Tally) -> _Read:
    thread = ThreadBuilder(tally)
    read = _Read()
    system = session.get("system_prompt")
    if isinstance(system, str) and system.strip():
        thread.add("system", [Text(system)], -1)
    for number, message in enumerate(session["messages"]):
        tally.records += 1
        where = f"{place}, message {number}"
        role = known_role(message, where)
        tally.note_unread(message, _READ)
        read.model = string(mapping(message.get("modelInfo")).get("id")) or read.model
        if sent := counted_tokens(mapping(message.get("metrics")).get("inputTokens")):
            read.sent.append((number, sent))
        blocks = read_blocks(anthropic_blocks(message.get("content"), tally), where, tally)
        leave_compactions(blocks, tally)
        for result, rest in blocks.results:
            thread.add_result(result, rest)
        elsewhere = blocks.results or blocks.compactions
        if not (elsewhere and is_empty(blocks.parts)):
            thread.add_unless_empty(role, blocks.parts, number)
    read.messages = thread.finished()
    read.origins = thread.origins
    return read


def _boundary(session: Mapping[str, Any], log: _Read, record: _Record) -> Boundary:
    """The recorded compaction: the context as it was sent, after the last message it covered."""
    prompt = {"system_prompt": session.get("system_prompt")}
    view = _read({**prompt, **record.data}, record.place, Tally())
    end = _known(session["messages"], record.data)
    before = [m for m, origin in zip(log.messages, log.origins, strict=True) if origin < end]
    before = before or list(log.messages)
    first = next((tokens for number, tokens in log.sent if number >= end), None)
    last = next((tokens for number, tokens in reversed(log.sent) if number < end), None)
    stated = _tokens_before(record.data["messages"])  # of the messages alone, without the prompt
    return Boundary(
        before[-1].id,
        tokens_before=last if stated is None or (first and last) else stated,
        tokens_after=first if last else None,
        messages=in_terms_of(before, view.messages, f"recorded-{record.name}"),
        trigger=_trigger(record.data["messages"]),
    )


def _known(messages: Sequence[Any], record: Mapping[str, Any]) -> int:
    count = record.get("source_message_count")
    if isinstance(count, int) and 0 < count <= len(messages):
        return count
    numbers = {_id(message): n for n, message in enumerate(messages) if _id(message)}
    kept = [numbers[_id(m)] for m in record["messages"] if _id(m) in numbers]
    return max(kept) + 1 if kept else len(messages)


def _id(message: Any) -> str:
    return string(mapping(message).get("id"))


def _tokens_before(messages: Sequence[Any]) -> int | None:
    for message in messages:
        given = mapping(mapping(message).get("metadata"))
        if given.get("kind") in _MADE and isinstance(given.get("tokensBefore"), int):
            return int(given["tokensBefore"])
    return None


def _trigger(messages: Sequence[Any]) -> str:
    for message in messages:
        reason = string(mapping(mapping(message).get("metadata")).get("reason"))
        if reason:
            return trigger_of(reason.partition("_")[0].replace("overflow", "auto"))
    return ""


IMPORTER: Final = Format(
    "cline",
    "Cline: session messages with their compactions, API history (JSON)",
    shown_by(_recognised),
    _transcripts,
)
