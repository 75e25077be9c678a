"""A broken invariant in words: the rule, why it matters, and the example that breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.checking.examples.scenario import Fault, Scenario
from pytest_compaction.checking.invariants.invariant import Invariant
from pytest_compaction.checking.observation import Observation, ObservedStep
from pytest_compaction.checking.survey import Broken
from pytest_compaction.conversation.messages import Message, Text, ToolCall, ToolResult
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.text import printable

_MESSAGES: Final = 24
"""How many messages of an example are shown: the first and the last half of them."""
_TEXT: Final = 44
_FAULTS: Final = {
    "raises": "raises an error",
    "empty": "gives an empty summary",
    "oversized": "writes about four times as much as asked",
    "echo": "repeats the conversation",
    "prompt": "repeats its instructions",
    "call-like": "writes a tool call as text",
    "reasoning": "does not get beyond its reasoning",
}


def described(compactor: str, invariant: Invariant, broken: Broken, many: str, again: str) -> str:
    """The failure of an item: a few paragraphs of short lines.

    ``many`` says how many examples broke the invariant; ``again`` is the command that
    runs the item again.
    """
    breach = broken.breach
    lines = [
        f"{printable(compactor, 60)} breaks {invariant.name}: {breach.sentence}"
        + (f" ({_ids(breach.ids)})" if breach.ids else ""),
        "",
        f"The invariant: {invariant.sentence}",
        f"Why it matters: {invariant.matters}",
        "",
        f"{many}; this is the smallest that was found:",
        *_example(broken.observation),
        "",
        f"Run it again: {again}",
    ]
    return "\n".join(lines)


def _example(observation: Observation) -> Iterator[str]:
    scenario = observation.scenario
    yield f"  window {scenario.window} tokens, budget {scenario.budget}" + _fault(scenario.fault)
    steps = list(observation.steps)
    log = _bounded(scenario)
    for number, batch in enumerate(scenario.batches):
        for message in batch:
            if message.id in log:
                yield "  " + message_line(message, observation.tokens)
            elif log[_GAP] == message.id:
                yield f"  … {len(scenario.log) - _MESSAGES} more messages"
        if number < len(steps):
            yield from _step(number + 1, steps[number])
    for number, step in enumerate(steps[len(scenario.batches) :], len(scenario.batches) + 1):
        yield from _step(number, step)
    if observation.raised is not None:
        yield f"  then {observation.raised}"


_GAP: Final = ""


def _bounded(scenario: Scenario) -> dict[str, str]:
    """The ids of the messages to show; under ``_GAP`` the id where messages are left out."""
    log = scenario.log
    half = _MESSAGES // 2
    shown = log if len(log) <= _MESSAGES else (*log[:half], *log[-half:])
    gap = log[half].id if len(log) > _MESSAGES else "-"
    return {**{message.id: "" for message in shown}, _GAP: gap}


def _step(number: int, step: ObservedStep) -> Iterator[str]:
    again = " again" if step.again else ""
    yield (
        f"  = compaction {number}{again}: {step.status}, {step.tokens_before} -> "
        f"{step.tokens_after} tokens" + (f" ({printable(step.error, 100)})" if step.error else "")
    )
    if step.rewrote:
        yield f"    view: {_ids([_named(message, step) for message in step.after], 12)}"


def _named(message: Message, step: ObservedStep) -> str:
    if message.id in step.said:
        return printable(message.id, 24)
    return f"{printable(message.id, 24)} ({message.role}, new)"


def message_line(message: Message, tokens: TokenCounter) -> str:
    """One line about a message: id, role, tokens, and the beginning of each part."""
    parts: list[str] = []
    for part in message.parts:
        if isinstance(part, Text):
            parts.append(f"“{printable(part.text, _TEXT)}”")
        elif isinstance(part, ToolCall):
            parts.append(f"{part.id}={part.name}({printable(part.arguments, _TEXT)})")
        elif isinstance(part, ToolResult):
            word = "error" if part.is_error else "result"
            parts.append(f"{word} of {part.call_id}: “{printable(part.text, _TEXT)}”")
        else:
            parts.append(f"<{type(part).__name__.lower()}>")
    return f"{message.id} {message.role} [{tokens.message(message)}] {' '.join(parts)}"


def _fault(fault: Fault | None) -> str:
    if fault is None:
        return ""
    when = f"at request {fault.call}" if fault.call else "each time"
    return f"; the model {_FAULTS[fault.kind]} {when}"


def _ids(ids: Sequence[str], count: int = 5) -> str:
    shown = [printable(id, 60) for id in ids[:count]]
    more = f", … {len(ids) - count} more" if len(ids) > count else ""
    return ("messages " if count == 5 and len(ids) > 1 else "message " if count == 5 else "") + (
        ", ".join(shown) + more
    )
