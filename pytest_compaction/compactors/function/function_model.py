"""The model of the run, in the form in which a function asks it for a summary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, overload

from pytest_compaction.compactors.base.summaries import write_summary
from pytest_compaction.compactors.function.message_shapes.shapes import Shape
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.conversation.messages import Message, text_message
from pytest_compaction.models.protocol import ModelError, SummaryReply, SummaryRequest
from pytest_compaction.models.structured_summary import Section

_NOTES: Final = (
    Section(
        "summary",
        "Summary",
        "Everything that whoever goes on with the work has to know: what is wanted and under "
        "which conditions, what was done and decided and why, files, values, errors, how things "
        "stand, and what is still to be done.",
        ("intent", "files", "errors", "decisions", "values", "next", "state"),
    ),
)
_CALL: Final = "model.summarize(messages, instructions=..., max_tokens=...)"


class FunctionModel:
    """What a function over messages gets as its ``model``.

    Whatever else the model of the run offers is there under its own name.
    """

    def __init__(self, context: Context, shape: Shape) -> None:
        self._context = context
        self._shape = shape

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._context.model, name)

    @overload
    async def summarize(self, messages: SummaryRequest) -> SummaryReply: ...

    @overload
    async def summarize(
        self, messages: Any, *, instructions: str = "", max_tokens: int | None = None
    ) -> str: ...

    async def summarize(
        self, messages: Any, *, instructions: str = "", max_tokens: int | None = None
    ) -> str | SummaryReply:
        """A summary of ``messages`` as text: a list of notes, one a line.

        ``messages`` is a text, or messages as the function was given them; chat dictionaries are
        always taken. ``instructions`` say what matters most. The summary has at most
        ``max_tokens`` tokens, by default half of the budget of the view. A request of the
        package (:class:`SummaryRequest`) goes to the model as it is and gives its reply.

        Raises :class:`ModelError` if the model gives no summary, and ``TypeError`` or
        ``ValueError`` with a sentence for arguments that it cannot take.
        """
        if isinstance(messages, SummaryRequest):
            return await self._context.model.summarize(messages)
        read = self._read(messages)
        if not isinstance(instructions, str):
            raise TypeError(
                f"instructions is {type(instructions).__name__}; expected text, as in {_CALL}"
            )
        room = self._room(max_tokens)
        written = await write_summary(self._context, read, _NOTES, room, None, instructions)
        if written.error is not None:
            raise ModelError(written.error)
        return "\n".join(f"- {note}" for note in written.summary.of(_NOTES[0].id))

    def _room(self, max_tokens: object) -> int:
        if max_tokens is None:
            return max(1, self._context.budget // 2)
        if isinstance(max_tokens, bool) or not isinstance(max_tokens, int) or max_tokens < 1:
            raise ValueError(
                f"max_tokens is {max_tokens!r}; expected a whole number of tokens from 1 on"
            )
        return max_tokens

    def _read(self, given: Any) -> tuple[Message, ...]:
        """A text as what a user said, or messages of whichever shape."""
        if isinstance(given, str):
            if not given.strip():
                raise ValueError("model.summarize got an empty text; there is nothing to summarise")
            return (text_message("m0", "user", given),)
        if isinstance(given, bytes | dict) or not isinstance(given, Sequence):
            raise TypeError(
                f"model.summarize got {type(given).__name__}; expected a text or a list of "
                f"messages, as in {_CALL}"
            )
        if not given:
            raise ValueError("model.summarize got no messages; there is nothing to summarise")
        if all(isinstance(item, Message) for item in given):
            return tuple(given)
        try:
            read = self._shape.read(given)
        except MessageShapeError as error:
            raise ValueError(f"model.summarize got a wrong message: {error}") from None
        return tuple(replace(message, id=f"m{n}") for n, message in enumerate(read))
