"""The compactions of a transcript as points of a case, with the view that the agent kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.case.recorded_view import recorded_view
from pytest_compaction.conversation.formats.chat import message_to_chat
from pytest_compaction.conversation.messages import Message, structure_faults
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.importers.protocol import Boundary, Transcript

FAR_BELOW: Final = 0.5
"""Share of the agent's own count below which a log lacks more than prompts and tools explain."""


@dataclass(frozen=True, slots=True)
class RecordPoint:
    """A point after the message at ``index``; ``data`` and ``view`` are empty without a record.

    ``missing`` says why there is no record; ``tokens_before`` is the agent's own count.
    """

    index: int
    data: Mapping[str, Any]
    view: tuple[Message, ...]
    tokens_before: int | None = None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class ShortLog:
    """A point whose log has ``held`` tokens where the agent counted ``before``."""

    point: str
    held: int
    before: int


def record_points(transcript: Transcript) -> list[RecordPoint]:
    """The points of a transcript whose agent compacted, in the order of the log.

    Of several compactions after one message the last one counts. The end of the log is a
    point as well, without a record, so that the rest of the log is asked about.
    """
    position = {message.id: index for index, message in enumerate(transcript.messages)}
    latest: dict[int, Boundary] = {}
    for boundary in transcript.boundaries:
        if boundary.after in position:
            latest[position[boundary.after]] = boundary
    points = [
        _record_point(index, boundary, transcript.messages, position)
        for index, boundary in sorted(latest.items())
    ]
    last = len(transcript.messages) - 1
    if points and points[-1].index < last:
        points.append(RecordPoint(last, {}, ()))
    return points


def told_short(
    records: Sequence[RecordPoint], sizes: Sequence[int], counter: TokenCounter
) -> list[ShortLog]:
    """The points before which the log holds far less than the agent had in its context.

    The context is the view that the agent went on with after its last compaction, and the
    log since. Sizes in tokens. What fills the difference is not in the transcript, so a
    probe cannot ask about it, and a summary of it is no summary of the log.
    """
    found: list[ShortLog] = []
    start, carried = 0, 0
    for number, record in enumerate(records, start=1):
        held = carried + sum(sizes[start : record.index + 1])
        before = record.tokens_before or 0
        if held < before * FAR_BELOW:
            found.append(ShortLog(f"p{number}", held, before))
        start, carried = record.index + 1, counter.messages(record.view)
    return found


def _record_point(
    index: int, boundary: Boundary, log: tuple[Message, ...], position: Mapping[str, int]
) -> RecordPoint:
    before = boundary.tokens_before
    if not boundary.recorded:
        reason = boundary.missing or "the transcript does not have its result"
        return RecordPoint(index, {}, (), before, reason)
    data = _data(boundary, log, position)
    view = recorded_view(data, "", log, position)
    faults = structure_faults(view)
    if faults:
        reason = f"the record is not a valid conversation: {faults[0].sentence}"
        return RecordPoint(index, {}, (), before, reason)
    return RecordPoint(index, data, view, before)


def _data(
    boundary: Boundary, log: tuple[Message, ...], position: Mapping[str, int]
) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if boundary.messages:
        data["messages"] = [
            {"log": message.id}
            if message.id in position and log[position[message.id]] == message
            else message_to_chat(message)
            for message in boundary.messages
        ]
    else:
        data["summary"] = boundary.summary
        if boundary.kept:
            data["kept"] = list(boundary.kept)
    if boundary.tokens_before is not None and boundary.tokens_before >= 0:
        data["tokens_before"] = boundary.tokens_before
    return data
