"""The parts of ``hermes:mode=lean``: what is read, what rules add, what stays at the end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import (
    cut_after,
    cut_before,
    mask_results,
    pending_start,
)
from pytest_compaction.compactors.base.product import scaled
from pytest_compaction.compactors.base.summaries import each_at_most
from pytest_compaction.compactors.products.hermes_cuts import (
    OVER_TAIL,
    TAIL_MESSAGES,
    pruned_results,
    tail_of,
    turn_end,
)
from pytest_compaction.compactors.protocol import Context
from pytest_compaction.conversation import (
    MESSAGE_TOKENS,
    Message,
    Text,
    ToolCall,
    ToolResult,
    text_message,
)

LEAST_TAIL, MOST_TAIL, TAIL_OF_WINDOW = 10_000, 25_000, 0.025
MOST_OF_WINDOW: Final = 0.2
"""The share of the window that the tail takes at most."""
RECENT: Final = 3
"""The newest messages, whose results stay whole where the tail is too large, if that is enough."""
WHOLE_ROUNDS: Final = 6
LONG_RESULT: Final = 1_500
"""Characters of a result in the tail that gives way if it is older than the newest rounds."""
READ_INPUT, SLICES = 160_000, 8
"""Characters that the summariser reads of all, and the stretches that they are taken from."""
ANCHORS: Final = 7_000
QUOTED, QUOTE = 24_000, 4_000
ANCHOR_HEADING: Final = "## Anchor Index"
QUOTES_HEADING: Final = "## User Messages"
RECOVERY_HEADING: Final = "## Context Recovery"
STILL_OPEN: Final = "[This request is still open:]"
_KINDS: Final = (
    ("issues", 120, re.compile(r"#\d{3,6}\b")),
    ("commits", 40, re.compile(r"\b[0-9a-f]{9,40}\b")),
    ("branches", 40, re.compile(r"\b(?:fix|feat|docs|refactor|chore)/[\w./-]{3,60}")),
    (
        "files",
        80,
        re.compile(
            r"(?<![\w./-])(?:[\w.-]{0,80}/){1,20}[\w.-]{1,80}"
            r"\.(?:py|tsx?|js|rs|md|ya?ml|json|toml|sh)\b"
        ),
    ),
    ("errors", 40, re.compile(r"\b(?:[A-Z][A-Za-z]*Error|Exception|Traceback)\b[^\n]{0,90}")),
    ("handles", 40, re.compile(r"@[A-Za-z0-9-]{3,30}\b")),
    ("urls", 30, re.compile(r"https?://[^\s)\"']{10,110}")),
)
"""What is listed as it stands, how many of each at most, and how it looks."""


def tail_tokens(context: Context) -> tuple[int, int]:
    """The tokens that stay at the end, and the most that whole messages may make of them."""
    least = scaled(LEAST_TAIL, 200_000, context)
    most = scaled(MOST_TAIL, 200_000, context)
    share = int(context.window * MOST_OF_WINDOW)
    keep = min(max(least, min(most, int(context.window * TAIL_OF_WINDOW))), share)
    return keep, max(keep, min(int(keep * OVER_TAIL), share))


def request_of(message: Message) -> str:
    """What a user asks in a message, said again or not; empty in others."""
    again = message.text.startswith(STILL_OPEN)
    asked = message.role == "user" and (message.origin == "log" or again)
    return message.text.removeprefix(STILL_OPEN).strip() if asked else ""


def pressed(
    messages: Sequence[Message], boundary: int, ceiling: int, context: Context
) -> tuple[Message, ...]:
    """Old results as one line, and newer ones too while those from ``boundary`` take too much.

    Results that nobody has read yet stay, if they do not take the tail's whole share.
    """
    unread = len(messages)
    while unread and messages[unread - 1].role == "tool":
        unread -= 1
    unread = max(unread - 1, 0) if unread < len(messages) else unread
    if context.tokens.messages(messages[unread:]) > context.window * MOST_OF_WINDOW:
        unread = len(messages)
    results = [n for n in range(unread) if messages[n].results]
    ends = [*range(boundary, len(messages) - RECENT + 1), *results[-1:]]
    pruned = pruned_results(messages, min(boundary, unread), context, None)
    for end in ends:
        if context.tokens.messages(pruned[boundary:]) <= ceiling:
            break
        pruned = pruned_results(messages, min(end, unread), context, None)
    return pruned


def lean_tail_start(
    messages: Sequence[Message], head: int, keep: int, ceiling: int, context: Context
) -> int:
    """Index from which messages stay: at least one after ``head`` is summarised.

    The last request and the last answer stay, unless the calls since then are what takes too much.
    """
    count = len(messages)
    available = max(0, count - head - 1)
    least = min(TAIL_MESSAGES, max(3, available - 2), available) if available > 1 else 0
    floor = 0 if ceiling >= least * MESSAGE_TOKENS else least
    start = min(tail_of(messages, head, keep, ceiling, floor, context), count - max(floor, 1))
    if start <= head:
        start = max(count - least, head + 1)
    start = cut_before(messages, start)
    asked = [n for n in range(head, count) if request_of(messages[n])]
    last = asked[-1] if asked else count

    def too_much(first: int, end: int) -> bool:
        called = any(m.calls for m in messages[first:start])
        return called and context.tokens.messages(messages[first:end]) > ceiling

    split = False
    if last < start:
        only_text = all(isinstance(part, Text) for part in messages[last].parts)
        short = context.tokens.message(messages[last]) <= ceiling
        split = last > head and only_text and short and too_much(last, count)
        if not split:
            start = last if last > head else turn_end(messages, last)
    said = [n for n in range(head, count) if messages[n].role == "assistant"]
    spoken = [n for n in said if messages[n].text.strip()] or said
    if not split and spoken and spoken[-1] < start:
        place = cut_before(messages, spoken[-1])
        start = start if too_much(place, start) else place
    if start == last and start - 1 > head and messages[start - 1].role in {"assistant", "tool"}:
        bridge = cut_before(messages, start - 1)
        start = bridge if bridge > head else start
    return cut_after(messages, max(start, head + 1))


def demoted(messages: Sequence[Message], start: int) -> tuple[Message, ...]:
    """The messages with a note for long results from ``start`` on, but for the newest rounds."""
    rounds, after, old = 0, -1, set()
    for place in range(len(messages) - 1, start - 1, -1):
        if not messages[place].results:
            continue
        rounds += place + 1 != after
        after = place
        long = any(len(result.text) >= LONG_RESULT for result in messages[place].results)
        if rounds > WHOLE_ROUNDS and long:
            old.add(messages[place].id)
    return mask_results(messages, old, _kept_elsewhere)


def _kept_elsewhere(result: ToolResult) -> str:
    return (
        f"[{len(result.text):,} characters of output are in the history of the session; "
        "session_search(query=…) finds them]"
    )


def sampled(messages: Sequence[Message], most: int) -> tuple[Message, ...]:
    """Of messages of more than ``most`` characters, stretches evenly from all of them.

    The last stretch ends with the newest message. None that is read takes more than its stretch.
    """
    if sum(map(_characters, messages)) <= most:
        return tuple(messages)
    count = min(SLICES, len(messages))
    share = max(most // count, 1)
    short = each_at_most(messages, share)
    sizes = [min(_characters(message), share) for message in short]
    chosen = {len(messages) - 1}
    left = most - sizes[-1]
    for stretch in range(count - 1):
        place, room = round(stretch * len(messages) / count), share
        while place < len(messages) and place not in chosen and sizes[place] <= min(room, left):
            chosen.add(place)
            room, left, place = room - sizes[place], left - sizes[place], place + 1
    for place in range(len(messages) - 2, -1, -1):  # the newest first, for what room is left
        if place not in chosen and sizes[place] <= left and place + 1 in chosen:
            chosen.add(place)
            left -= sizes[place]
    return tuple(message for place, message in enumerate(short) if place in chosen)


def _characters(message: Message) -> int:
    return sum(
        len(part.arguments if isinstance(part, ToolCall) else part.text)
        for part in message.parts
        if isinstance(part, Text | ToolResult | ToolCall)
    )


def additions(messages: Sequence[Message], context: Context) -> dict[str, str]:
    """What rules add to a summary of these messages, by heading."""
    return {
        ANCHOR_HEADING: _anchors(messages, scaled(ANCHORS, 200_000, context)),
        QUOTES_HEADING: _quotes(messages, scaled(QUOTED, 200_000, context)),
        RECOVERY_HEADING: (
            f"The {len(messages)} messages that this replaces are in the history of the session. "
            "Look up what is missing here with session_search(query=…); do not guess it."
        ),
    }


def _anchors(messages: Sequence[Message], most: int) -> str:
    """The names in what was said and in results, the most frequent of each kind first."""
    said = [text for m in messages for text in (m.text, *(r.text for r in m.results)) if text]
    lines: list[str] = []
    for kind, cap, looks in _KINDS:
        found = [name.rstrip(".,;:") for text in said for name in looks.findall(text)]
        newest = {name: place for place, name in enumerate(found)}
        times = Counter(found)
        ranked = sorted(times, key=lambda name: (-times[name], -newest[name]))[:cap]
        named = (f"{name} (x{times[name]})" if times[name] > 1 else name for name in ranked)
        line = f"{kind}: {', '.join(named)}"
        if ranked and sum(map(len, lines)) + len(line) > most:
            break
        lines += [line] if ranked else []
    return "\n".join(lines)


def _quotes(messages: Sequence[Message], most: int) -> str:
    """The requests among the messages as they were said, the newest first."""
    quoted: list[str] = []
    for asked in filter(None, map(request_of, reversed(messages))):
        left = min(QUOTE, most - sum(map(len, quoted)))
        if left <= 0:
            break
        text = f"{asked[:left]} [cut]" if len(asked) > left else asked
        quoted.append("> " + text.replace("\n", "\n> "))
    return "\n\n".join(quoted)


def with_additions(text: str, added: dict[str, str]) -> str:
    """A summary with what rules add, but headings that it has itself."""
    new = [f"{name}\n{part}" for name, part in added.items() if part and name not in text]
    return "\n\n".join([text, *new])


def restated(
    messages: Sequence[Message], log: Sequence[Message], by: str, end: str, id: str
) -> tuple[Message, ...]:
    """The messages with the last request of the log after the summary ``by``, if it is open.

    A summary says that what stands before it was dealt with. ``end`` is the line that ends it. The
    request stands last, or behind the summary where two would ask in a row or a call waits.
    """
    place = next(n for n, message in enumerate(messages) if message.id == by)
    asked = next((n for n in range(len(log) - 1, -1, -1) if request_of(log[n])), None)
    if asked is None or _is_answered(log[asked + 1 :]):
        return tuple(messages)
    if any(map(request_of, messages[place + 1 :])) or not messages[place].text.endswith(end):
        return tuple(messages)
    text = f"{STILL_OPEN} {request_of(log[asked])}"
    visible = [m.role for m in messages if m.role != "tool" and not m.calls]
    if visible[-1] != "user" and pending_start(messages) == len(messages):
        return (*messages, text_message(id, "user", text, "synthetic"))
    carrier = replace(messages[place], parts=(*messages[place].parts, Text(text)))
    return (*messages[:place], carrier, *messages[place + 1 :])


def _is_answered(since: Sequence[Message]) -> bool:
    for message in reversed(since):
        if message.role != "assistant" or message.calls:
            return False
        if message.text.strip():
            return True
    return False
