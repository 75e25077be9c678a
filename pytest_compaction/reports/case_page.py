"""A case to read: its messages, the points where they are compacted, and its probes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case import LETTERS, Case, Fact, Probe
from pytest_compaction.conversation import (
    Image,
    Text,
    Thinking,
    TokenCounter,
    ToolCall,
    ToolResult,
    readable,
)
from pytest_compaction.reports.lines import cells, counted
from pytest_compaction.text import TextIndex, printable

LEAST_WIDTH: Final = 40
LINES: Final = 4
"""The most lines of a part of a message that is not shown in full."""
_MAX_WHERE: Final = 5
_MAX_CHARACTERS: Final = 200_000


@dataclass(frozen=True, slots=True)
class Page:
    """How a case is shown: ``width`` in terminal cells, parts shortened unless ``full``."""

    width: int = 80
    full: bool = False

    def lines(self, text: str, indent: int, first: str = "") -> Iterator[str]:
        """A text, wrapped and indented, with control characters visible; ``first`` labels it."""
        room = max(self.width, LEAST_WIDTH) - indent
        limit = _MAX_CHARACTERS if self.full else room * LINES
        lead = first.ljust(indent) if first else " " * indent
        wrapped = list(wrap(printable(text, limit), room)) or [""]
        if not self.full and len(wrapped) > LINES:
            wrapped = [*wrapped[: LINES - 1], *wrap(f"{wrapped[LINES - 1]} …", room)][:LINES]
            if not wrapped[-1].endswith("…"):
                wrapped[-1] = f"{_head(wrapped[-1], room - 1)}…"
        for line in wrapped:
            yield f"{lead}{line}".rstrip()
            lead = " " * indent


def wrap(text: str, width: int) -> Iterator[str]:
    """Lines of at most ``width`` terminal cells; a longer word is cut."""
    line, used = "", 0
    for word in text.split(" "):
        size = cells(word)
        if line and used + 1 + size > width:
            yield line
            line, used = "", 0
        while size > width:
            head = _head(word, width)
            yield head
            word = word[len(head) :]
            size = cells(word)
        line, used = (f"{line} {word}", used + 1 + size) if line else (word, size)
    if line:
        yield line


def _head(word: str, width: int) -> str:
    used = 0
    for number, character in enumerate(word):
        used += cells(character)
        if used > width:
            return word[: max(number, 1)]
    return word


def case_overview(case: Case, page: Page) -> Iterator[str]:
    counter = TokenCounter()
    sizes = [counter.message(message) for message in case.messages]
    kinds = Counter(probe.kind for probe in case.probes)
    yield from page.lines(f"{case.id} ({case.task}) {case.source}", 0)
    if case.title:
        yield from page.lines(case.title, 2)
    yield from page.lines(
        f"{len(case.messages):,} messages, {sum(sizes):,} tokens; "
        f"window {case.window:,}, budget {case.budget:,}",
        2,
    )
    for point in case.points:
        passed = sum(sizes[: point.index + 1])
        record = f"; on record: {len(point.recorded)} messages" if point.recorded else ""
        after = case.messages[point.index].id
        yield from page.lines(f"point {point.id}: after {after}, {passed:,} tokens{record}", 2)
    facts = [fact for probe in case.probes for fact in probe.facts]
    needed = sum(fact.needed is not None for fact in facts)
    shown = ", ".join(f"{kind} {kinds[kind]}" for kind in sorted(kinds))
    later = f", {needed} of them needed later" if needed else ""
    yield from page.lines(f"{len(case.probes)} probes ({shown}), {len(facts)} facts{later}", 2)
    if case.proposed:
        waiting = counted(len(case.proposed), "proposed question")
        yield from page.lines(f"{waiting}, not asked: a reader has to confirm them", 2)


def case_messages(case: Case, page: Page, point: int | None = None) -> Iterator[str]:
    """The log with its points; with ``point``, only the messages up to it from the one before."""
    counter = TokenCounter()
    ends = {point.index: point for point in case.points}
    first, last = 0, len(case.messages)
    if point is not None:
        last = case.points[point].index + 1
        first = case.points[point - 1].index + 1 if point else 0
    for index in range(first, last):
        message = case.messages[index]
        yield from page.lines(f"{message.id} {message.role} {counter.message(message):,}", 0)
        for part in message.parts:
            yield from _part(part, page)
        if index in ends:
            yield _rule(f"compacted here: point {printable(ends[index].id)}", page)


def _rule(text: str, page: Page) -> str:
    return f"── {text} ".ljust(max(page.width, LEAST_WIDTH), "─")


def _part(part: object, page: Page) -> Iterator[str]:
    if isinstance(part, Text):
        yield from page.lines(part.text, 4)
    elif isinstance(part, ToolCall):
        yield from page.lines(f"{part.name} {part.arguments}", 9, "    call")
    elif isinstance(part, ToolResult):
        yield from page.lines(part.text, 9, "    FAIL" if part.is_error else "    gave")
    elif isinstance(part, Image | Thinking):
        name = type(part).__name__.lower()
        yield from page.lines(f"[{name}, {len(part.payload):,} characters]", 4)
    else:
        yield from page.lines(f"[{getattr(part, 'payload', '')}]", 4)


def case_probes(case: Case, page: Page, point: int | None = None) -> Iterator[str]:
    """The probes of one point or of all with facts and traps, the proposed ones after them."""
    indexes = [TextIndex(readable(message)) for message in case.messages]
    for probe in (*case.probes, *case.proposed):
        if point is not None and probe.point != point:
            continue
        waits = "; proposed, waits for a reader" if probe in case.proposed else ""
        after = case.points[probe.point].id
        yield from page.lines(f"{probe.id} {probe.kind}, after {after}{waits}", 0)
        yield from page.lines(probe.question, 4)
        for fact in probe.facts:
            yield from _fact(fact, probe, case, indexes, page)
        for trap in probe.traps:
            now = f" (now: {'; '.join(trap.current)})" if trap.current else ""
            against = f" (against: {trap.of})" if trap.of else ""
            text = "; ".join((trap.text, *trap.aliases))
            yield from page.lines(f"{text}{now}{against}", 9, "    trap")
            yield from _keys(trap.keys, page)
        if probe.choice is not None:
            for letter in LETTERS:
                complies = letter == probe.choice.letter
                option = probe.choice.complying if complies else probe.choice.other
                said = "complies" if complies else "does not"
                yield from page.lines(f"{letter}) {option} ({said})", 9, "    take")
        answer = probe.answer
        form = [answer.format, f"at most {answer.max_tokens} tokens"]
        form += [f"at most {answer.max_items} items"] if answer.max_items else []
        form += [f"at most {answer.max_words} words"] if answer.max_words else []
        form += [f"without {'; '.join(answer.forbid)}"] if answer.forbid else []
        yield from page.lines(", ".join(form), 9, "    form")


def _fact(
    fact: Fact, probe: Probe, case: Case, indexes: Sequence[TextIndex], page: Page
) -> Iterator[str]:
    asked = case.points[probe.point].index
    where = [
        message.id
        for message, index in zip(case.messages[: asked + 1], indexes, strict=False)
        if index.read(fact.statement).outcome == "stated"
    ]
    also = f" (or: {'; '.join(fact.aliases)})" if fact.aliases else ""
    yield from page.lines(f"{fact.text}{also}", 9, "    fact")
    more = f" and {len(where) - _MAX_WHERE} more" if len(where) > _MAX_WHERE else ""
    type = f"{fact.type}, {fact.change}" if fact.change else fact.type
    stated = f"{type}; stated in {len(where)} of {asked + 1} messages: "
    yield from page.lines(f"{stated}{', '.join(where[:_MAX_WHERE])}{more}", 11)
    if fact.needed is not None:
        yield from page.lines(fact.needed.why, 11)
    yield from _keys(fact.keys, page)
    for other in fact.counterparts:
        yield from page.lines(f"not: {other.text}", 11)


def _keys(keys: Sequence[Sequence[str]], page: Page) -> Iterator[str]:
    if keys:
        yield from page.lines(f"keys: {' + '.join(' | '.join(group) for group in keys)}", 11)


def recorded_view(case: Case, point: int, page: Page) -> Iterator[str]:
    """The view that the recorded agent had after its own compaction at a point, if known."""
    at = case.points[point]
    if at.recorded:
        yield _rule(f"on record after point {printable(at.id)}", page)
    for message in at.recorded:
        yield from page.lines(f"{message.id} {message.role}", 0)
        for part in message.parts:
            yield from _part(part, page)
