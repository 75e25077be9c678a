"""Asking the model for a summary, and what may go wrong with the reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import Message, text_message
from pytest_compaction.models.protocol import ModelError, SummaryRequest
from pytest_compaction.summary import Section, Summary


@dataclass(frozen=True, slots=True)
class Written:
    """A summary with its text, or ``error``: why there is none, for the user to read."""

    summary: Summary = field(default_factory=lambda: Summary(()))
    text: str = ""
    error: str | None = None


async def write_summary(
    context: Context,
    messages: Sequence[Message],
    sections: tuple[Section, ...],
    budget: int,
    previous: Summary | None = None,
    instructions: str = "",
) -> Written:
    """Ask the model of the run for a summary of at most ``budget`` tokens.

    A model that fails or writes nothing gives an error and never an empty summary,
    so that a strategy can leave its view as it was. ``instructions`` are added to
    those of the context.
    """
    if budget <= 0:
        return Written(error="there is no room for a summary within the budget")
    focus = "\n".join(text for text in (context.instructions, instructions) if text)
    request = SummaryRequest(messages, sections, budget, previous, focus)
    try:
        summary = (await context.model.summarize(request)).summary
    except ModelError as error:
        return Written(error=f"the summary could not be written: {error}")
    if summary.empty:
        return Written(error="the summary came back empty")
    return Written(summary, summary.render(sections))


def summary_message(id: str, text: str, preamble: str, role: str = "user") -> Message:
    """A synthetic message that says what it is before it gives the summary."""
    return text_message(id, role, f"{preamble}\n\n{text}", "synthetic")
