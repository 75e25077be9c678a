"""Summarises by rules: sorts the lines of a log into the sections that ask for them.

No line is weighed. A section takes its newest lines, as many as its share of the room holds, so
that the summaries of two strategies differ by their sections, cuts and budgets alone. Lines are
the sentences of user and assistant, errors and last lines that commands printed, and what
happened to files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Final

from pytest_compaction.artifacts import commands, error_texts, file_operations, file_states
from pytest_compaction.conversation import Message
from pytest_compaction.models.offline.cues import ERROR, NEXT, STATE
from pytest_compaction.models.structured_summary import EMPTY_SECTION, Section, Source, Summary
from pytest_compaction.text import clipped, sentences

_CUES: Final[tuple[tuple[Source, Callable[[str], object]], ...]] = (
    ("next", NEXT.search),
    ("errors", ERROR.search),
    ("state", STATE.search),
)
"""What a sentence of the assistant is about; without any cue it is a decision."""
_MARK: Final = "- "
_LINE_TOKENS: Final = 3
"""Tokens of a list mark and a line break."""
_SMALLEST: Final = 6
_LINE_CHARACTERS: Final = 320
_COMMAND_CHARACTERS: Final = 90


def summarize(
    messages: Sequence[Message],
    sections: Sequence[Section],
    budget: int,
    previous: Summary | None,
    count: Callable[[str], int],
) -> Summary:
    """Fill ``sections`` from ``previous`` and ``messages`` within ``budget`` tokens."""
    left: dict[str, dict[str, None]] = {section.id: {} for section in sections}
    for _, place, text in sorted(_lines(messages, previous, sections), key=itemgetter(0)):
        # Of the sections that ask for a source the one that asks for the fewest others has it.
        asking = [s for s in sections if place in {_heading(s), *s.gathers}]
        line = clipped(text, _LINE_CHARACTERS)
        if asking and line:
            lines = left[min(asking, key=lambda section: len(section.gathers)).id]
            lines.pop(line, None)  # a line that is repeated is as new as its repetition
            lines[line] = None
    room = budget - sum(count(_heading(section)) + _LINE_TOKENS for section in sections)
    used = dict.fromkeys(left, 0.0)
    taken: dict[str, list[str]] = {id: [] for id in left}
    while room >= _SMALLEST and any(left.values()):
        # The section that has used least of its share is next.
        section = min((s for s in sections if left[s.id]), key=lambda section: used[section.id])
        line, _ = left[section.id].popitem()
        cost = count(line) + _LINE_TOKENS
        if cost <= room:
            taken[section.id].append(line)
            room -= cost
            used[section.id] += cost / section.share
    return Summary(tuple((id, tuple(reversed(lines))) for id, lines in taken.items()))


def _lines(
    messages: Sequence[Message], previous: Summary | None, sections: Sequence[Section]
) -> Iterator[tuple[int, str, str]]:
    """Every line with its place in time, and the heading that it stood under or its source."""
    headings = {section.id: _heading(section) for section in sections}
    for id, lines in previous.entries if previous else ():
        yield from ((-1, headings.get(id) or _about(line), line) for line in lines)
    for order, message in enumerate(messages):
        if message.origin == "synthetic" and f"\n{_MARK}" in message.text:  # an earlier summary
            heading = ""
            for line in message.text.splitlines():
                heading = line if line in headings.values() else heading
                text = line.removeprefix(_MARK)
                if text not in {line, EMPTY_SECTION}:
                    yield order, heading or _about(text), text
        elif message.role in {"user", "assistant"}:
            asks = message.role == "user" and message.origin == "log"
            for sentence in sentences(message.text):
                yield order, "intent" if asks else _about(sentence.text), sentence.text
    orders = {message.id: order for order, message in enumerate(messages)}
    for run in commands(messages):
        order = orders[run.message_id]
        yield from ((order, "errors", text) for text in error_texts(run.output, run.failed))
        printed = run.output.strip().rpartition("\n")[2]
        if printed:
            yield order, "values", f"`{clipped(run.text, _COMMAND_CHARACTERS)}`: {printed}"
    for state in file_states(file_operations(messages)):
        happened = {
            "created": state.created,
            f"renamed from {state.renamed_from}": bool(state.renamed_from),
            "modified": state.modified and not state.created,
            "deleted": state.deleted,
        }
        if state.touched:
            verbs = ", ".join(verb for verb, did in happened.items() if did) or "read"
            yield max(orders[id] for id in state.message_ids), "files", f"`{state.path}` {verbs}"


def _heading(section: Section) -> str:
    return f"## {section.title}"


def _about(text: str) -> Source:
    return next((source for source, cue in _CUES if cue(text)), "decisions")
