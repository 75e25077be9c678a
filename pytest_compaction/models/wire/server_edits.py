"""Context edits by the server: which are due, and which ones a reply says were made.

The request parameter ``context_management`` and its edits are those of Anthropic's
Messages API (betas ``compact-2026-01-12`` and ``context-management-2025-06-27``).
Gateways with chat completions pass it on as it is. Below ``provider_specific_fields``
they pass back what the server reports: ``applied_edits`` for cleared tool uses, and a
block with the summary for a compaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.conversation import Message, TokenCounter, ToolCall
from pytest_compaction.conversation.formats.requests import clean, tool_name
from pytest_compaction.text import printable

Json = Mapping[str, Any]

PARAMETER: Final = "context_management"
COMPACTION: Final = "compact_20260112"
CLEARING: Final = "clear_tool_uses_20250919"
LEAST_TRIGGER: Final = 50_000
"""The lowest trigger, in input tokens, that the provider takes for a compaction."""
_TRIGGERS: Final = {COMPACTION: 150_000, CLEARING: 100_000}
"""Input tokens from which an edit without a trigger acts, as documented."""
_KEEP: Final = 3
"""Tool uses that clearing keeps if it is not told how many, as documented."""
_FIELDS: Final = "provider_specific_fields"


@dataclass(frozen=True, slots=True)
class Applied:
    """The edits that a server reports of a context before it answered.

    ``edits`` are the types of the edits that had an effect. ``cleared_tokens`` and
    ``cleared_uses`` are the server's own count of what it cleared. ``summary`` is the text
    that a compaction left, empty if only the server can read it. ``read_tokens`` are the
    input tokens of the answer itself, ``None`` if they are not reported separately.
    ``problem`` is what went wrong with an edit.
    """

    edits: tuple[str, ...] = ()
    cleared_tokens: int = 0
    cleared_uses: int = 0
    summary: str = ""
    read_tokens: int | None = None
    problem: str = ""


def edits_of(parameters: Json) -> list[Json]:
    """The edits that request parameters ask for; empty if they ask for none."""
    return _mappings(_member(parameters.get(PARAMETER), "edits"))


def due_edits(
    parameters: Json, messages: Sequence[Message], tokens: TokenCounter
) -> tuple[str, ...]:
    """The edits that must have an effect on these messages, each in words.

    An edit is due if its trigger is reached and, if it clears tool uses, there are some to
    clear. Tokens are counted here; a server counts with its own tokenizer.
    """
    size = tokens.messages(messages)
    due: list[str] = []
    for edit in edits_of(parameters):
        kind, trigger = str(edit.get("type")), edit.get("trigger")
        unit, least = _member(trigger, "type"), _member(trigger, "value")
        if not (isinstance(unit, str) and isinstance(least, int)):
            unit, least = "input_tokens", _TRIGGERS.get(kind, 0)
        uses = unit == "tool_uses"
        count = sum(len(message.calls) for message in messages) if uses else size
        if kind not in _TRIGGERS or count < least:
            continue
        if kind == COMPACTION or clearable(edit, messages):
            due.append(f"{kind} from {least:,} {unit.replace('_', ' ')} on")
    return tuple(due)


def clearable(edit: Json, messages: Sequence[Message]) -> list[tuple[Message, ToolCall]]:
    """Results with their calls that an edit may clear, oldest first."""
    calls = {call.id: call for message in messages for call in message.calls}
    answered = [
        (message, calls[result.call_id])
        for message in messages
        for result in message.results
        if result.call_id in calls
    ]
    keep = _member(edit.get("keep"), "value")
    kept = keep if isinstance(keep, int) else _KEEP
    excluded = set(edit.get("exclude_tools") or ())
    old = answered[: max(len(answered) - kept, 0)]
    return [(message, call) for message, call in old if tool_name(call.name) not in excluded]


def assumed(parameters: Json, read_tokens: int) -> Applied:
    """What an estimate assumes of a server: it makes every edit, and reads this much after."""
    kinds = tuple(sorted(str(edit.get("type")) for edit in edits_of(parameters)))
    return Applied(kinds, read_tokens=read_tokens)


def read_applied(body: Json) -> Applied:
    """What a reply says about edits, empty if it says nothing. Never raises."""
    places = list(_places(body))
    reports = (_mappings(_member(place.get(PARAMETER), "applied_edits")) for place in places)
    entries = next((found for found in reports if found), [])
    made = [entry for entry in entries if not entry.get("error")]
    iterations = _mappings(_member(body.get("usage"), "iterations"))
    cleared = [entry for entry in made if _count(entry, "cleared_input_tokens")]
    kinds = {str(entry.get("type")) for entry in cleared}
    blocks = _blocks(places)
    whole = [block for block in blocks if block.get("content") or block.get("encrypted_content")]
    compacted = bool(whole)
    if not blocks:
        compacted = any(entry.get("type") == COMPACTION for entry in made)
        compacted |= any(_output(one) for one in iterations if one.get("type") == "compaction")
    if compacted:
        kinds.add(COMPACTION)
    # Input tokens of the last iteration that answered, or of all if they are not listed.
    answering = [one for one in iterations if one.get("type") != "compaction"]
    usage, read = body.get("usage"), 0
    if answering:
        read = _input(answering[-1])
    elif compacted and isinstance(usage, Mapping):
        read = _input(usage)
    problems = [str(entry["error"]) for entry in entries if entry.get("error")]
    if blocks and not whole:
        problems.append("the compaction block is empty: its summary failed")
    return Applied(
        tuple(sorted(kinds)),
        sum(_count(entry, "cleared_input_tokens") for entry in cleared),
        sum(_count(entry, "cleared_tool_uses") for entry in cleared),
        "\n".join(clean(b["content"]) for b in whole if isinstance(b.get("content"), str)),
        read or None,
        printable("; ".join(problems), 160),
    )


def compaction_usage(body: Json) -> tuple[int, int]:
    """Input and output tokens of compactions that the usage of a reply does not contain.

    The provider bills them as separate iterations, beside the usage of the answer. If a
    gateway has added them up already, its total shows that.
    """
    usage = body.get("usage")
    iterations = _mappings(_member(usage, "iterations"))
    compactions = [one for one in iterations if one.get("type") == "compaction"]
    if not compactions or not isinstance(usage, Mapping):
        return 0, 0
    read, written = sum(map(_input, compactions)), sum(map(_output, compactions))
    others = sum(_input(one) for one in iterations if one.get("type") != "compaction")
    if _input(usage) >= read + max(others, 1):
        return 0, 0
    return read, written


def _places(body: Json) -> Iterator[Json]:
    """Places that can hold a report: the body, its choice, its message, and their extra fields."""
    choices = _mappings(body.get("choices"))
    choice: Json = choices[0] if choices else {}
    message = choice.get("message")
    for place in (body, choice, message if isinstance(message, Mapping) else {}):
        yield place
        fields = place.get(_FIELDS)
        if isinstance(fields, Mapping):
            yield fields


def _blocks(places: Sequence[Json]) -> list[Json]:
    for place in places:
        content = _mappings(place.get("content"))
        blocks = [part for part in content if part.get("type") == "compaction"]
        blocks = blocks or _mappings(place.get("compaction_blocks"))
        if blocks:
            return blocks
    return []


def _input(usage: Json) -> int:
    """Input tokens, with the cached ones that the provider counts separately."""
    if "prompt_tokens" in usage:
        return _count(usage, "prompt_tokens")
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(_count(usage, name) for name in names)


def _output(usage: Json) -> int:
    return _count(usage, "output_tokens") or _count(usage, "completion_tokens")


def _count(entry: Json, name: str) -> int:
    value = entry.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _member(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else None


def _mappings(value: Any) -> list[Json]:
    items = value if isinstance(value, list | tuple) else ()
    return [item for item in items if isinstance(item, Mapping)]
