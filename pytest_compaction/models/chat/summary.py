"""Summaries by a chat model: the fields of the prompt, and the reply read and cut to its budget."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Final

from pytest_compaction.conversation import (
    ROLES,
    Image,
    Message,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from pytest_compaction.conversation.formats.chat import chat_messages
from pytest_compaction.conversation.formats.requests import clean, readable_part, transcript
from pytest_compaction.models.chat.fences import fences_for
from pytest_compaction.models.chat.prompts import Prompt
from pytest_compaction.models.protocol import SummaryRequest
from pytest_compaction.models.structured_summary import (
    EMPTY_SECTION,
    Section,
    Summary,
    written_summary,
)
from pytest_compaction.models.summary_prompt import SummaryPrompt
from pytest_compaction.text import normalize

_FEWEST_WORDS: Final = 10
"""The least that a model is asked for, however small the budget is."""
LEFT_OUT: Final = "({count} more noted here did not fit)"
LINES_LEFT_OUT: Final = "({count} more lines did not fit)"
_HEADING: Final = re.compile(
    r"(?:#{1,6} ?|\*\*)?(?:\d{1,2}[.)] )?(?P<title>[^#*:]{1,80}?) ?:? ?(?:\*\*)? ?:? ?#* ?"
)
"""A heading as Markdown or plain, with one space where there is white space."""
_LONGEST_HEADING: Final = 200
"""Characters of a line that may be a heading: a title has 80 at most, and marks around it."""
_ITEM: Final = re.compile(r"^(?P<indent>\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_NOTHING: Final = frozenset(
    normalize(text)
    for text in (EMPTY_SECTION, "nothing yet", "none", "(none)", "n/a", "nothing", "-", "none.")
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The messages of a request for a summary, and the lines in it that no reply may add."""

    messages: list[dict[str, Any]]
    own: tuple[str, ...]
    mark: str

    def echoed(self, reply: str) -> list[str]:
        """The prompt's own lines, which are not notes when a reply repeats them.

        These are the lines of the template, the lines of a fence, and the names of roles. A
        reply may repeat what stands between the fences word for word.
        """
        fenced = [line for line in reply.splitlines() if self.mark in line]
        return [*self.own, *fenced, *(f"[{role}]" for role in ROLES)]


def asked_for(request: SummaryRequest, prompt: SummaryPrompt, words: int) -> Asked:
    """A request for about ``words`` words, as messages; quoted material stands in fences."""
    sections = request.sections
    previous = request.previous.render(sections) if request.previous is not None else ""
    focus = clean(request.instructions)
    messages = _as_text(request.messages, prompt) if prompt.shape == "serialised" else ""
    fences = fences_for([messages, previous, focus])
    plain = prompt.lines or prompt.shape == "conversation"
    notes = previous if plain else fences.around("notes", previous)
    in_text = previous and not (prompt.before or prompt.after)
    fields = {
        "mark": fences.mark,
        "sections": "\n".join(f"## {section.title}\n{section.asks}" for section in sections),
        "words": str(max(_FEWEST_WORDS, words)),
        "focus": Template(prompt.focus).substitute(focus=focus) if focus else "",
        "previous": Template(prompt.previous).substitute(previous=notes) if in_text else "",
        "messages": messages if plain else fences.around("messages", messages),
    }
    texts = [prompt.system, (prompt.update if previous else "") or prompt.user]
    if plain:  # without the lines of what there is not
        for name in ("focus", "previous"):
            if not fields[name]:
                texts = [t.removeprefix(f"${name}\n").replace(f"\n${name}", "") for t in texts]
    frame = Prompt(*texts)
    bare = frame.messages({**fields, "messages": "", "previous": ""})
    own = tuple(line for message in bare for line in message["content"].splitlines())
    said = frame.messages(fields)
    if prompt.shape == "conversation":
        place = 1 if prompt.system else 0
        turns = [_turns(each, previous) for each in (prompt.before, prompt.after)]
        said[place:place] = [*turns[0], *chat_messages(request.messages), *turns[1]]
    return Asked(said, own, fences.mark)


def _turns(turns: Sequence[tuple[str, str]], previous: str) -> list[dict[str, Any]]:
    said = [(role, Template(text).substitute(previous=previous)) for role, text in turns]
    return [{"role": role, "content": text} for role, text in said] if previous else []


def _as_text(messages: Sequence[Message], prompt: SummaryPrompt) -> str:
    if not prompt.lines:
        return transcript(messages)
    lines = {kind: Template(line) for kind, line in prompt.lines}
    found: list[str] = []
    for message in messages:
        for part in message.parts:
            if isinstance(part, Text | Image):
                kind, fields = message.role, {"text": readable_part(part)}
            elif isinstance(part, ToolCall):
                kind = "call"
                fields = {"name": clean(part.name), "arguments": clean(part.arguments)}
                fields["id"] = clean(part.id)
            elif isinstance(part, ToolResult):
                kind, fields = "result", {"text": clean(part.text), "id": clean(part.call_id)}
            elif isinstance(part, Thinking) and (thought := part.thought):
                kind, fields = "thinking", {"text": clean(thought)}
            else:
                continue
            if kind in lines:
                found.append(lines[kind].substitute(fields))
    return "\n\n".join(found)


def read_summary(
    text: str,
    request: SummaryRequest,
    asked: Asked,
    prompt: SummaryPrompt,
    count: Callable[[str], int],
) -> Summary:
    """The summary in a reply, cut to the budget of its request."""
    echoed = asked.echoed(text)
    if prompt.reply == "sections":
        summary = sections_of(text, request.sections, echoed)
        return within_budget(summary, request.sections, request.budget, count)
    for tag in prompt.dropped:
        text = re.sub(rf"<{tag}>.*?(?:</{tag}>|\Z)", "", text, flags=re.S)
    if prompt.inside:
        found = re.search(rf"<{prompt.inside}>(.*?)(?:</{prompt.inside}>|\Z)", text, re.S)
        text = found[1] if found else text
    own = {normalize(line) for line in echoed}
    lines = text.strip().splitlines()
    if all(normalize(line) in own for line in lines if line.strip()):
        return Summary(())
    return written_summary(first_lines(lines, request.budget, count))


def first_lines(lines: Sequence[str], budget: int, count: Callable[[str], int]) -> str:
    """The text of as many lines as fit ``budget`` tokens, with a note of how many do not."""

    def cut(left_out: int) -> str:
        note = [LINES_LEFT_OUT.format(count=left_out)] if left_out else []
        return "\n".join([*lines[: len(lines) - left_out], *note])

    fewest = bisect_left(
        range(len(lines)), True, key=lambda left_out: count(cut(left_out)) <= budget
    )
    if fewest < len(lines):
        return cut(fewest)
    line = lines[0] if lines else ""
    size = bisect_left(
        range(1, len(line) + 1), True, key=lambda size: count(f"{line[:size]} […]") > budget
    )
    return f"{line[:size]} […]" if size else ""


def has_heading(text: str, sections: Sequence[Section]) -> bool:
    """Whether a reply has any of the headings that were asked for."""
    titles = {normalize(section.title): section.id for section in sections}
    return any(_heading(line, titles) for line in text.splitlines())


def sections_of(text: str, sections: Sequence[Section], echoed: Iterable[str] = ()) -> Summary:
    """Read a reply back into sections.

    A heading is a line with a section's title, as Markdown or plain. Lines before the
    first heading are an introduction and are left out. A reply without any of the headings
    goes into the first section whole, so that notes are not lost because of their form.
    Lines of ``echoed`` are the prompt's own words, and are left out too.
    """
    titles = {normalize(section.title): section.id for section in sections}
    own = {normalize(line) for line in echoed if line.strip()}
    entries: dict[str, list[list[str]]] = {section.id: [] for section in sections}
    lines = text.splitlines()
    current = None if has_heading(text, sections) else sections[0].id
    for line in lines:
        found = _heading(line, titles)
        if found is not None:
            current = found
        elif current is not None and normalize(line) not in own:
            _add(entries[current], line)
    whole = {id: [" ".join(parts) for parts in found] for id, found in entries.items()}
    return Summary(tuple((id, tuple(dict.fromkeys(found))) for id, found in whole.items()))


def _heading(line: str, titles: dict[str, str]) -> str | None:
    line = line.strip()
    # White space is taken together first, because the pattern may divide it in many ways.
    short = len(line) <= _LONGEST_HEADING
    found = _HEADING.fullmatch(" ".join(line.split())) if short else None
    return titles.get(normalize(found["title"])) if found else None


def _add(entries: list[list[str]], line: str) -> None:
    """A list item begins an entry, an indented line continues it, any other line is an entry.

    An entry is the list of its lines.
    """
    if not line.strip() or set(line.strip()) <= {"-", "=", "*", "_", "`"}:
        return
    item = _ITEM.match(line)
    if item is None and entries and line[0].isspace():
        entries[-1].append(line.strip())
        return
    text = item["text"].strip() if item else line.strip().lstrip("#").strip()
    if normalize(text) not in _NOTHING:
        entries.append([text])


def within_budget(
    summary: Summary, sections: Sequence[Section], budget: int, count: Callable[[str], int]
) -> Summary:
    """The summary cut to ``budget`` tokens, entry by entry; each section says what it lost.

    The section that is furthest beyond its share loses its last entry first, so that no
    section is emptied for the sake of another. If not even one entry fits, the first one
    is shortened.
    """

    def fits(summary: Summary) -> bool:
        return count(summary.render(sections)) <= budget

    def without(lost: Sequence[str]) -> Summary:
        """The summary after each section in ``lost`` lost a last entry, with a note of how many."""
        entries: list[tuple[str, tuple[str, ...]]] = []
        for section in sections:
            cut, kept = lost.count(section.id), summary.of(section.id)
            note = (LEFT_OUT.format(count=cut),) if cut else ()
            entries.append((section.id, (*kept[: len(kept) - cut], *note)))
        return Summary(tuple(entries))

    if fits(summary):
        return summary
    shares = {section.id: max(section.share, 0.01) for section in sections}
    costs = {section.id: [count(entry) for entry in summary.of(section.id)] for section in sections}
    totals = {id: sum(found) for id, found in costs.items()}
    order: list[str] = []
    """The sections that lose their last entry, until one entry is left."""
    for _ in range(sum(map(len, costs.values())) - 1):
        longest = max((id for id in costs if costs[id]), key=lambda id: totals[id] / shares[id])
        totals[longest] -= costs[longest].pop()
        order.append(longest)
    fewest = 1 + bisect_left(range(1, len(order)), True, key=lambda n: fits(without(order[:n])))
    cut = without(order[:fewest])
    if fits(cut):
        return cut

    def shortened(size: int) -> Summary:
        return Summary(((id, (f"{text[:size]} […]",)),))

    id, text = next(((id, kept[0]) for id, kept in cut.entries if kept), ("", ""))
    size = bisect_left(range(1, len(text) + 1), True, key=lambda size: not fits(shortened(size)))
    return shortened(size) if size else Summary(())
