"""The fields of the prompt for a summary, and the lines of a reply that only repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_compaction.conversation.formats.requests import clean, transcript
from pytest_compaction.conversation.messages import ROLES
from pytest_compaction.models.chat.fences import fences_for
from pytest_compaction.models.chat.prompts import Prompt
from pytest_compaction.models.protocol import SummaryRequest

_FEWEST_WORDS: Final = 10
"""The least that a model is asked for, however small the budget is."""
_CARRY_OVER: Final = (
    "The notes so far. Carry over what still holds, bring it up to date with the messages, and "
    "lose nothing that is not outdated:"
)


def summary_fields(request: SummaryRequest, words: int) -> dict[str, str]:
    """The fields of the template for about ``words`` words; quoted material stands in fences."""
    sections = request.sections
    previous = request.previous.render(sections) if request.previous is not None else ""
    focus = clean(request.instructions)
    messages = transcript(request.messages)
    fences = fences_for([messages, previous, focus])
    notes = fences.around("notes", previous)
    return {
        "mark": fences.mark,
        "sections": "\n".join(f"## {section.title}\n{section.asks}" for section in sections),
        "words": str(max(_FEWEST_WORDS, words)),
        "focus": f"\nAbove all: {focus}\n" if focus else "",
        "previous": f"\n{_CARRY_OVER}\n{notes}\n" if previous else "",
        "messages": fences.around("messages", messages),
    }


def own_words(prompt: Prompt, fields: Mapping[str, str], reply: str) -> list[str]:
    """The prompt's own lines, which are not notes when a reply repeats them.

    These are the lines of the template, the lines of a fence, and the names of roles. A
    reply may repeat what stands between the fences word for word.
    """
    bare = prompt.messages({**fields, "messages": "", "previous": ""})
    lines = [line for message in bare for line in message["content"].splitlines()]
    lines += [line for line in reply.splitlines() if fields["mark"] in line]
    return [*lines, *(f"[{role}]" for role in ROLES)]
