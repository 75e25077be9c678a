"""Summaries: what the model reads, asking it for one, and checking its reply."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

from pytest_compaction.compactors.base.cuts import IMAGE, images_as_text, with_parts
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import (
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    TokenCounter,
    ToolCall,
    ToolResult,
    canonical_json,
    groups,
    text_message,
)
from pytest_compaction.models import (
    ModelError,
    NoReplyError,
    Section,
    Summary,
    SummaryPrompt,
    SummaryRequest,
    packaged_prompt,
)

ELSEWHERE: Final = "(see the record that stands beside this summary)"
"""The text of a section that was not requested."""

MOST: Final = 0.7
"""The share of a reply that must be prompt, or calls, for the whole reply to count as that."""

_RUN: Final = 3
"""Consecutive words that identify copied text, whatever its line breaks and marks."""

_WORD: Final = re.compile(r"\w+")
_REASONING: Final = re.compile(
    r"<(think|thinking|reasoning|analysis)>.*?(?:</\1>|\Z)", re.S | re.IGNORECASE
)
_TAGGED_CALL: Final = re.compile(
    r"<(tool_calls?|function_calls?|tool_use|invoke)\b.*?(?:</\1>|\Z)", re.S | re.IGNORECASE
)
_CALLS: Final = frozenset({"tool_calls", "tool_call", "function_call", "tool_use"})
_CALL_TYPES: Final = frozenset({"function", "function_call", "tool_call", "tool_use"})
_NAMES: Final = frozenset({"name", "function", "tool", "recipient_name"})
_ARGUMENTS: Final = frozenset({"arguments", "args", "input", "parameters"})
_FENCE: Final = re.compile(r"^[^\S\n]*```\w*[^\S\n]*$", re.M)
_OPENING: Final = re.compile(r"[{\[]")
_JSON: Final = json.JSONDecoder()
_MOST_TRIES: Final = 1000
"""Brackets that begin no JSON, after which the rest of a reply is taken for text."""


def mistaken_for(summary: Summary, sections: tuple[Section, ...]) -> str | None:
    """Name the thing that a reply is instead of a summary; ``None`` for a summary.

    A near copy of the prompt counts as the prompt: most of its words appear there in the
    same order. A call with a few words around it counts as a call, in any of the formats
    in which models write calls as text.
    """
    lines = [line for _, lines in summary.entries for line in lines if line != ELSEWHERE]
    text = "\n".join(lines)
    if not text.strip():
        return None
    if not _REASONING.sub("", text).strip():
        return "nothing but reasoning"
    plain = _FENCE.sub("", text).strip()
    left = _TAGGED_CALL.sub("", plain)
    calls = len(plain) - len(left) + sum(end - begin for begin, end in _json_calls(left))
    if calls >= MOST * len(plain):
        return "a tool call"
    runs, known = [run for line in lines for run in _runs(line)], _prompt(sections)
    copied = sum(run in known for run in runs) / len(runs) if runs else 0.0
    return "the instructions to summarise" if copied >= MOST else None


@lru_cache(maxsize=64)
def _prompt(sections: tuple[Section, ...]) -> frozenset[tuple[str, ...]]:
    """All runs of words of the prompt for these sections, whichever model is asked."""
    template = packaged_prompt("summarize")
    asked = [f"{section.title} {section.asks}" for section in sections]
    return frozenset(run for t in (template.system, template.user, *asked) for run in _runs(t))


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return (tuple(words[i : i + _RUN]) for i in range(len(words) - _RUN + 1))


def _json_calls(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of a text whose JSON is a tool call or a list of them; linear.

    The search ends after many brackets that begin nothing, or much that was read in vain.
    """
    place = tries = in_vain = 0
    while tries < _MOST_TRIES and in_vain <= len(text):
        found = _OPENING.search(text, place)
        if found is None:
            return
        try:
            value, end = _JSON.raw_decode(text, found.start())
        except (ValueError, RecursionError) as error:
            tries += 1
            stop = error.pos if isinstance(error, json.JSONDecodeError) else len(text)
            in_vain += stop - found.start()
            place = found.start() + 1
            continue
        if _is_call(value):
            yield found.start(), end
        place = end


def _is_call(value: Any) -> bool:
    """Whether JSON is a call, or a list of calls, however deep it is nested."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list) and each:
            waiting += each
            continue
        if not isinstance(each, dict):
            return False
        named = bool(_NAMES & each.keys()) and bool(_ARGUMENTS & each.keys())
        type = each.get("type")
        typed = isinstance(type, str) and type in _CALL_TYPES
        if not (_CALLS & each.keys() or named or typed):
            return False
    return True


def sections_of(table: str) -> tuple[Section, ...]:
    """The sections that a strategy asks for: a table of ``sections.toml``."""
    return tuple(
        Section(id, row["title"], row["asks"], tuple(row["gathers"].split()), row["share"])
        for id, row in data_tables("sections")[table].items()
    )


@cache
def data_tables(name: str) -> dict[str, Any]:
    """The tables of a data file of this folder."""
    return tomllib.loads(resources.files(__package__).joinpath(f"{name}.toml").read_text("utf-8"))


WHOLE: Final = "all"
"""The value of a parameter that sets no limit."""

_NOT_SHOWN: Final = "[not shown]"


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """Characters that a summariser may read; ``None`` sets no limit, 0 shows nothing.

    ``texts`` is for all that one message says, ``results`` for each tool result, and
    ``arguments`` for each text among the arguments of a call: with 0 the name of the tool
    is all that is left of it.
    """

    texts: int | None = None
    results: int | None = None
    arguments: int | None = None

    def applied(self, messages: Sequence[Message]) -> tuple[Message, ...]:
        """The messages as the summariser may read them, each with its id and its place."""
        if self == NO_LIMITS:
            return tuple(messages)
        left = self.texts

        def limited(part: Part) -> Part:
            nonlocal left
            if isinstance(part, Text) and left is not None:
                shown = beginning(part.text, left)
                left = max(left - len(part.text), 0)
                return Text(shown)
            if isinstance(part, ToolResult) and self.results is not None:
                return replace(part, text=beginning(part.text, self.results))
            if isinstance(part, ToolCall) and self.arguments is not None:
                short = short_arguments(part, self.arguments) if self.arguments else "{}"
                is_cut = not self.arguments or len(short) < len(part.arguments)
                return replace(part, arguments=short) if is_cut else part
            return part

        read: list[Message] = []
        for message in messages:
            left = self.texts
            read.append(with_parts(message, limited))
        return tuple(read)


NO_LIMITS: Final = ReadLimits()


def read_limits(texts: int | str, results: int | str, arguments: int | str) -> ReadLimits:
    """The limits that the parameters ``read_texts``, ``read_results``, ``read_arguments`` set.

    Each is a number of characters, 0 or more, or ``all``; else a ``ValueError`` says so.
    """
    return ReadLimits(
        _characters("read_texts", texts),
        _characters("read_results", results),
        _characters("read_arguments", arguments),
    )


def beginning(text: str, length: int) -> str:
    """The first ``length`` characters of a text, and a note of how many follow."""
    if len(text) <= length:
        return text
    if not length:
        return _NOT_SHOWN
    return f"{text[:length]} [{len(text) - length} more characters]"


def _characters(name: str, value: int | str) -> int | None:
    if value == WHOLE:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(
            f"{name}={value} must be a whole number of characters, 0 or more, or {WHOLE}"
        )
    return value


_SHORTEST: Final = 200
"""Texts are not cut below this many characters; whole messages are left out then."""


def fitting_input(
    messages: Sequence[Message], limit: int, tokens: TokenCounter
) -> tuple[Message, ...]:
    """The messages shortened to at most ``limit`` tokens; unchanged if they fit.

    First, parts that only their provider can read are removed. Then long texts lose
    their middle, the longest texts most. At last the oldest groups are removed.
    """
    if tokens.messages(messages) <= limit:
        return tuple(messages)
    unread = Thinking | Opaque
    kept = [with_parts(m, lambda p: None if isinstance(p, unread) else p) for m in messages]
    kept = [message for message in kept if message.parts]
    parts = (part for message in kept for part in message.parts)
    texts = (
        part.arguments if isinstance(part, ToolCall) else part.text
        for part in parts
        if isinstance(part, Text | ToolResult | ToolCall)
    )
    length = max(map(len, texts), default=0)
    while length > _SHORTEST and tokens.messages(kept) > limit:
        length = max(length * 3 // 4, _SHORTEST)
        kept = [_shortened(message, length) for message in kept]
    while kept and tokens.messages(kept) > limit:
        del kept[: groups(kept)[0][1]]
    return tuple(kept)


def each_at_most(messages: Sequence[Message], length: int) -> tuple[Message, ...]:
    """The messages with every text, result and long argument cut to about ``length`` characters."""
    return tuple(_shortened(message, length) for message in messages)


def without_middle(text: str, length: int) -> str:
    """A text cut to about ``length`` characters: head, a note of how much is missing, tail."""
    if len(text) <= length:
        return text
    half = max(length // 2 - 20, 1)
    left_out = len(text) - 2 * half
    return f"{text[:half]} [{left_out} characters left out] {text[-half:]}"


def fitting_summary(
    summary: Summary, sections: Sequence[Section], budget: int, tokens: TokenCounter
) -> Summary:
    """The summary without the entries that do not fit ``budget`` tokens.

    The largest section loses its last entry first. The result is empty if not even one
    entry fits.
    """
    entries = {section: list(lines) for section, lines in summary.entries}
    shown = {section.id for section in sections}
    cost = {id: [tokens.text(line) + 2 for line in entries.get(id, ())] for id in shown}
    total = {id: sum(costs) for id, costs in cost.items()}

    def whole() -> Summary:
        return Summary(tuple((section, tuple(lines)) for section, lines in entries.items()))

    over = tokens.text(summary.render(sections)) - budget
    while over > 0 and any(cost.values()):
        while over > 0 and any(cost.values()):
            largest = max(sorted(shown), key=total.__getitem__)
            entries[largest].pop()
            over -= cost[largest][-1]
            total[largest] -= cost[largest].pop()
        over = tokens.text(whole().render(sections)) - budget
    return whole() if over <= 0 else Summary(())


def _shortened(message: Message, length: int) -> Message:
    def short(part: Part) -> Part:
        if isinstance(part, Text | ToolResult):
            return replace(part, text=without_middle(part.text, length))
        if isinstance(part, ToolCall) and len(part.arguments) > length:
            return replace(part, arguments=short_arguments(part, length))
        return part

    return with_parts(message, short)


def short_arguments(call: ToolCall, length: int) -> str:
    """Arguments in which only long strings are cut, so that they parse if they did before."""
    values = call.parsed()
    if not values:
        return without_middle(call.arguments, length)
    return canonical_json(_short_values(values, length))


def _short_values(value: Any, length: int) -> Any:
    if isinstance(value, str):
        return without_middle(value, length)
    if isinstance(value, dict):
        return {key: _short_values(item, length) for key, item in value.items()}
    if isinstance(value, list):
        return [_short_values(item, length) for item in value]
    return value


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
    prompt: SummaryPrompt | None = None,
) -> Written:
    """Ask the model of the run for a summary of at most ``budget`` tokens.

    If the model fails or writes nothing, the result is an error, never an empty summary,
    so that a strategy can leave its view as it was. A reply that repeats the
    instructions, is a tool call or is mere reasoning is an error too (see
    :func:`mistaken_for`), unless it is taken ``as_written``, as some originals do.
    ``instructions`` are added to those of the context. The model reads no images, no more
    than ``limits`` let it, and no more than the window holds beside the reply (see
    :func:`fitting_input`). Of a reply that is too long, the entries that fit are taken. ``prompt``
    is that of a product.
    """
    if budget <= 0:
        return Written(error="there is no room for a summary within the budget")
    count = context.tokens
    focus = "\n".join(text for text in (context.instructions, instructions) if text)
    taken = budget + count.text(focus) + (count.text(previous.render(sections)) if previous else 0)
    words = (prompt.image, prompt.linked) if prompt else (IMAGE,)
    shown = limits.applied(images_as_text(messages, *words))
    readable = fitting_input(shown, max(context.window - taken, 1), count)
    if not readable:
        return Written(error="the window leaves no room to read the conversation in")
    request = SummaryRequest(readable, sections, budget, previous, focus, prompt)
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
