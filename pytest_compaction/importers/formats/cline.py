"""Sessions of Cline: message files with their compactions, and the older histories.

Beside ``<id>.messages.json``, ``<id>.compaction.json`` holds the context with which Cline continued
after its latest compaction; if there are several, each makes a case of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Text
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
        log, model = _read(session, str(path), tally)
        empty = f"{path}: a Cline session without a message; nothing to import"
        boundaries = [_boundary(session, log, record)] if record else []
        name = record.name if record and len(records) > 1 else ""
        yield tally.transcript(log.messages, path, empty, model, boundaries, name)


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


def _read(session: Mapping[str, Any], place: str, tally: Tally) -> tuple[ThreadBuilder, str]:
    """The messages, each with the number of its message in the session, and the model."""
    thread, model = ThreadBuilder(tally), ""
    system = session.get("system_prompt")
    if isinstance(system, str) and system.strip():
        thread.add("system", [Text(system)], -1)
    for number, message in enumerate(session["messages"]):
        tally.records += 1
        where = f"{place}, message {number}"
        role = known_role(message, where)
        tally.note_unread(message, _READ)
        model = string(mapping(message.get("modelInfo")).get("id")) or model
        blocks = read_blocks(anthropic_blocks(message.get("content"), tally), where, tally)
        leave_compactions(blocks, tally)
        for result, rest in blocks.results:
            thread.add_result(result, rest)
        elsewhere = blocks.results or blocks.compactions
        if not (elsewhere and is_empty(blocks.parts)):
            thread.add_unless_empty(role, blocks.parts, number)
    thread.close()
    return thread, model


def _boundary(session: Mapping[str, Any], log: ThreadBuilder, record: _Record) -> Boundary:
    """The recorded compaction: the context as it was sent, after the last message it covered."""
    prompt = {"system_prompt": session.get("system_prompt")}
    view, _ = _read({**prompt, **record.data}, record.place, Tally())
    sent = record.data["messages"]
    end = record.data.get("source_message_count")
    if not isinstance(end, int) or not 0 < end <= len(session["messages"]):
        numbers = {_id(message): n for n, message in enumerate(session["messages"], start=1)}
        kept = [numbers[_id(m)] for m in sent if _id(m) and _id(m) in numbers]
        end = max(kept, default=len(session["messages"]))
    before = [m for m, origin in zip(log.messages, log.origins, strict=True) if origin < end]
    before = before or log.messages
    notes = [mapping(mapping(message).get("metadata")) for message in sent]
    made = [note.get("tokensBefore") for note in notes if note.get("kind") in _MADE]
    reasons = filter(None, (string(note.get("reason")) for note in notes))
    # What was stated is of the messages alone, without the prompt; replies state all of a request.
    stated = next((tokens for tokens in made if isinstance(tokens, int)), None)
    metrics = [mapping(mapping(message).get("metrics")) for message in session["messages"]]
    tokens = [counted_tokens(metric.get("inputTokens")) for metric in metrics]
    first = next(filter(None, tokens[end:]), None)
    last = next(filter(None, reversed(tokens[:end])), None)
    return Boundary(
        before[-1].id,
        tokens_before=last if stated is None or (first and last) else stated,
        tokens_after=first if last else None,
        messages=in_terms_of(before, view.messages, f"recorded-{record.name}"),
        trigger=trigger_of(next(reasons, "").partition("_")[0].replace("overflow", "auto")),
    )


def _id(message: Any) -> str:
    return string(mapping(message).get("id"))


IMPORTER: Final = Format(
    "cline",
    "Cline: session messages with their compactions, API history (JSON)",
    shown_by(_recognised),
    _transcripts,
)
