"""Summaries: asking the model for one, and checking its reply."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.compactors.base.bounds import fitting_input, fitting_summary
from pytest_compaction.compactors.base.masking import images_as_text
from pytest_compaction.compactors.base.not_a_summary import mistaken_for
from pytest_compaction.compactors.base.read_limits import NO_LIMITS, ReadLimits
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation.messages import Message, text_message
from pytest_compaction.models.protocol import ModelError, NoReplyError, SummaryRequest
from pytest_compaction.models.structured_summary import Section, Summary

SUMMARY_OVERHEAD: Final = 60
"""Tokens for the preamble of a summary message and the chat format around it."""

_SEPARATOR: Final = "\x00"
_ANALYSIS: Final = re.compile(r"<analysis>.*?(?:</analysis>|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class Written:
    """A summary with its text, or ``error``: a sentence for the user on why there is none.

    ``raised`` is true if the model could not be asked, false if its reply was of no use.
    ``silent`` is true if it was asked and refused, or said nothing; ``raised`` then is as well.
    ``empty`` is true if it was asked and wrote nothing.
    """

    summary: Summary = field(default_factory=lambda: Summary(()))
    text: str = ""
    error: str | None = None
    raised: bool = False
    silent: bool = False
    empty: bool = False


async def write_summary(
    context: Context,
    messages: Sequence[Message],
    sections: tuple[Section, ...],
    budget: int,
    previous: Summary | None = None,
    instructions: str = "",
    as_written: bool = False,
    limits: ReadLimits = NO_LIMITS,
) -> Written:
    """Ask the model of the run for a summary of at most ``budget`` tokens.

    If the model fails or writes nothing, the result is an error, never an empty summary,
    so that a strategy can leave its view as it was. A reply that repeats the
    instructions, is a tool call or is mere reasoning is an error too (see
    :func:`mistaken_for`), unless it is taken ``as_written``, as some originals do.
    ``instructions`` are added to those of the context. The model reads no images, no more
    than ``limits`` let it, and no more than the window holds beside the reply (see
    :func:`fitting_input`). Of a reply that is too long, the entries that fit are taken.
    """
    if budget <= 0:
        return Written(error="there is no room for a summary within the budget")
    count = context.tokens
    focus = "\n".join(text for text in (context.instructions, instructions) if text)
    taken = budget + count.text(focus) + (count.text(previous.render(sections)) if previous else 0)
    shown = limits.applied(images_as_text(messages))
    readable = fitting_input(shown, max(context.window - taken, 1), count)
    if not readable:
        return Written(error="the window leaves no room to read the conversation in")
    request = SummaryRequest(readable, sections, budget, previous, focus)
    try:
        summary = (await context.model.summarize(request)).summary
    except ModelError as error:
        silent = isinstance(error, NoReplyError)
        said = f"the summary could not be written: {error}"
        return Written(error=said, raised=True, silent=silent)
    if summary.empty:
        return Written(error="the summary came back empty", empty=True)
    mistaken = None if as_written else mistaken_for(summary, sections)
    if mistaken is not None:
        return Written(error=f"the summary came back as {mistaken}, not as a summary")
    summary = fitting_summary(summary, sections, budget, count)
    if summary.empty:
        return Written(error=f"the summary does not fit the {budget} tokens that are left for it")
    return Written(summary, summary.render(sections))


def summary_message(id: str, text: str, preamble: str, role: str = "user") -> Message:
    """A synthetic message that says what it is before it gives the summary."""
    return text_message(id, role, f"{preamble}\n\n{text}", "synthetic")


def without_analysis(written: Written, sections: Sequence[Section]) -> Written:
    """The summary without the analysis that the model wrote between ``<analysis>`` tags.

    If the closing tag is missing, the rest of the section is removed as well. It is an
    error if nothing is left.
    """
    if written.error or "<analysis>" not in written.text:
        return written
    entries: list[tuple[str, tuple[str, ...]]] = []
    for section, lines in written.summary.entries:
        text = _ANALYSIS.sub("", _SEPARATOR.join(lines))
        kept = (line.strip() for line in text.split(_SEPARATOR))
        entries.append((section, tuple(line for line in kept if line)))
    summary = Summary(tuple(entries))
    if summary.empty:
        return Written(error="the summary came back with nothing but an analysis")
    return Written(summary, summary.render(sections))


def without_preamble(messages: Sequence[Message], preamble: str) -> tuple[Message, ...]:
    """The messages with the preamble of an earlier summary taken off.

    For strategies that read their earlier summary as conversation: the preamble must not
    become an entry of the next summary.
    """
    return tuple(
        text_message(m.id, m.role, m.text.removeprefix(preamble).lstrip(), m.origin)
        if m.origin == "synthetic" and m.text.startswith(preamble) and m.text != preamble
        else m
        for m in messages
    )


def summary_room(kept: Sequence[Message], context: Context, least: float = 0.25) -> int:
    """Tokens for a summary beside the messages that stay.

    The rest of the budget, but at least the share ``least`` of the whole budget: a tail
    that is kept by the number of its messages may take all of it.
    """
    left = context.budget - context.tokens.messages(kept) - SUMMARY_OVERHEAD
    return max(left, int(context.budget * least))
