"""A part of a conversation, for a session that is too large to be one case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from pytest_compaction.conversation.messages import Message, groups
from pytest_compaction.importers.protocol import (
    Boundary,
    ImportFormatError,
    ImportTally,
    Transcript,
)

OUTSIDE: Final = "message outside the part that was asked for"
_SYSTEM_ROLES: Final = ("system", "developer")
_KEPT_OUTSIDE: Final = "it kept messages that are outside the imported part"


@dataclass(frozen=True, slots=True)
class SessionPart:
    """Which messages to import: the newest ``last``, or those from ``first`` to ``final``.

    Messages are counted from 1; ``None`` sets no limit.
    """

    first: int | None = None
    final: int | None = None
    last: int | None = None

    def __bool__(self) -> bool:
        return self != SessionPart()

    def of(self, transcript: Transcript) -> Transcript:
        """The transcript with these messages and the system messages at its start.

        A tool call is never parted from its results: if one is in the part, both are
        taken. Compactions within the part stay; they keep their record if the part has all
        the messages that they kept. Raises :class:`ImportFormatError` for an empty part.
        """
        messages = transcript.messages
        head = sum(1 for _ in takewhile(lambda one: one.role in _SYSTEM_ROLES, messages))
        start, end = self._range(transcript)
        for begins, ends in groups(messages):
            if begins < start < ends:
                start = begins
            if begins < end < ends:
                end = ends
        start = max(start, head)
        kept = (*messages[:head], *messages[start:end])
        ids = {message.id for message in kept}
        boundaries = (_within(boundary, ids) for boundary in transcript.boundaries)
        return replace(
            transcript,
            messages=kept,
            boundaries=tuple(boundary for boundary in boundaries if boundary is not None),
            tally=_counted(transcript.tally, messages, kept),
        )

    def _range(self, transcript: Transcript) -> tuple[int, int]:
        total = len(transcript.messages)
        if self.last is not None:
            return max(0, total - self.last), total
        start = (self.first or 1) - 1
        end = total if self.final is None else min(self.final, total)
        if start >= end:
            name = f", conversation {transcript.name}" if transcript.name else ""
            asked = f"--from {start + 1}" + (f" --to {self.final}" if self.final else "")
            raise ImportFormatError(
                f"{transcript.source}{name}: {asked} is outside its {total} messages; "
                "they are counted from 1"
            )
        return start, end


def _within(boundary: Boundary, ids: set[str]) -> Boundary | None:
    if boundary.after not in ids:
        return None
    if ids.issuperset(boundary.kept):
        return boundary
    return replace(boundary, summary="", kept=(), missing=_KEPT_OUTSIDE)


def _counted(
    tally: ImportTally, messages: Sequence[Message], kept: Sequence[Message]
) -> ImportTally:
    lost = len(messages) - len(kept)
    left_out = {**tally.left_out, **({OUTSIDE: lost} if lost else {})}
    return replace(tally, messages=len(kept), left_out=dict(sorted(left_out.items())))
