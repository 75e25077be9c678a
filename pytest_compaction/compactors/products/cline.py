"""``cline``: summarise the older part, or drop it by rule.

After Cline 4.x (public source, commit 21cb8d25, read on 2026-11-29). ``mode`` is one of two.

``agentic`` (4.x, the default): at 90 % of the usable input the newest 20,000 tokens stay, but
no more than the target: half of the usable input after five pairs of messages, 70 % of the
trigger before, and half of what there is where a compaction was asked for. They begin at a
message of the user or of the model, not after the last turn of the user; a single request with
a long run of tool calls is cut within the run. The previous summary and the new messages, of
each tool result the first 2,000 characters, become the new summary, of at most 4,096 tokens;
its list of files is collected from the tool calls of the new messages alone. Reasoning and
images are not read, and new messages above the usable input are cut, each to its share, then
dropped from the oldest on. An empty summary leaves the history as it was; where the model
cannot be asked, ``basic`` takes its place.

``basic`` (4.x): by rule. All that the user typed stays. Of the last turn the newest
messages within the target stay, of older turns the answer that ends each, newest first.
What is left out gives way to a note of files read, files edited and commands run, and of
the last three texts of the model those that went. What one such compaction kept, later
ones keep.

Adapted: tool results are the user's in the original, so one of its messages is here
everything that one side says in a row; results never lose their call. The previous summary
is read without its files. A note of ``basic`` is a message of its own and not part of the
user's. The tokens of ``agentic`` are in proportion to the case's window (the product's is
taken to be 200,000), its usable input is 90 % of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from pytest_compaction.artifacts import file_operations, shell_script
from pytest_compaction.compactors.base.cuts import pending_start, tail_start, user_turns
from pytest_compaction.compactors.base.history import by_rule, rewritten, unchanged
from pytest_compaction.compactors.base.product import ProductCompactor, product_prompt, scaled
from pytest_compaction.compactors.base.summaries import (
    WHOLE,
    read_limits,
    sections_of,
    summary_message,
    summary_room,
)
from pytest_compaction.compactors.parameters import choice
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Part,
    Text,
    Thinking,
    ToolResult,
    groups,
    leading_system,
    readable,
    text_message,
)
from pytest_compaction.models import summary_from_json

LEAST_CHARACTERS: Final = 16
"""Characters that a text keeps at least where it is cut to its share."""


def projected(
    messages: Sequence[Message], limit: int, context: Context
) -> tuple[Message, ...] | None:
    """Messages for the summariser within ``limit`` tokens; ``None`` if too much must stay.

    First reasoning and images go, whatever there is room for. Then texts are cut, from the newest
    message to the oldest, each to its equal share; then the oldest messages go, a call always with
    its results. The first and the latest message of the user and calls that wait stay.
    """
    shown = _without_unreadable(messages)
    sizes = [context.tokens.message(message) for message in shown]
    total = sum(sizes)
    spared, waiting = _latest_request(shown), pending_start(shown)
    for place in range(min(waiting, len(shown)) - 1, -1, -1):
        if total > limit and place != spared:
            of_token = max(1.0, len(readable(shown[place])) / max(1, sizes[place]))
            share = max(LEAST_CHARACTERS, int(limit * of_token / len(shown)))
            shown[place] = _cut(shown[place], share)
            total -= sizes[place]
            sizes[place] = context.tokens.message(shown[place])
            total += sizes[place]
    users = [place for place, message in enumerate(shown) if message.role == "user"]
    pinned = {*users[:1], *users[-1:]}
    dropped: set[int] = set()
    for begin, end in groups(shown):
        if total > limit and end <= waiting and pinned.isdisjoint(range(begin, end)):
            dropped.update(range(begin, end))
            total -= sum(sizes[begin:end])
    left = tuple(message for place, message in enumerate(shown) if place not in dropped)
    return left if limit > 0 and total <= limit else None


def _without_unreadable(messages: Sequence[Message]) -> list[Message]:
    """The messages without reasoning, and without images except in what must stay."""
    spared = _latest_request(messages)
    waiting = pending_start(messages)
    left: list[Message] = []
    for place, message in enumerate(messages):
        gone: tuple[type[Part], ...] = (Thinking,)
        if place != spared and place < waiting:
            gone = (Thinking, Image, Opaque)
        parts = tuple(part for part in message.parts if not isinstance(part, gone))
        if parts:
            left.append(message if parts == message.parts else replace(message, parts=parts))
    return left


def _latest_request(messages: Sequence[Message]) -> int:
    return max((place for place, one in enumerate(messages) if one.role == "user"), default=-1)


def _cut(message: Message, length: int) -> Message:
    parts: list[Part] = []
    for part in message.parts:
        if isinstance(part, Text | ToolResult):
            parts.append(replace(part, text=_shortened(part.text, length)))
            length = max(0, length - len(part.text))
        else:
            parts.append(part)
    return replace(message, parts=tuple(parts))


def _shortened(text: str, length: int) -> str:
    note = f"\n[{len(text) - length} characters cut]"
    if len(text) <= length:
        return text
    if length <= LEAST_CHARACTERS + len(note):
        return text[:length]
    return text[: length - len(note)] + note


NOTE_ID: Final = "cline-note"
NOTE: Final = "[Earlier context was compacted. What you did after the request above:]"
KEPT_TEXTS: Final = 3
"""How many of the newest texts of the model are kept, as part of the notes."""
COMMAND_CHARACTERS: Final = 100


def folded(
    messages: Sequence[Message],
    wanted: int,
    kept_before: Collection[str],
    context: Context,
) -> tuple[Message, ...] | None:
    """The messages without older work, in about ``wanted`` tokens; ``None`` if no user spoke.

    All that the user typed stays, images only in the last message. Of the last turn the
    newest messages that fit stay, of each older turn the answer that ends it, newest first.
    What an earlier compaction kept, the ids ``kept_before``, stays too.
    """
    turns = user_turns(messages)
    if not turns:
        return None
    first = leading_system(messages)
    typed = {
        turn: messages[turn] if turn == turns[-1] else _without_images(messages[turn])
        for turn in turns
    }
    kept = {index: message for index, message in typed.items() if message.parts}
    kept |= {index: messages[index] for index in range(first)}
    for begin, end in groups(messages):
        if any(message.id in kept_before for message in messages[begin:end]):
            kept |= {index: messages[index] for index in range(begin, end)}
    rest = wanted - context.tokens.messages([m for i, m in kept.items() if i >= first])
    newest = tail_start(messages, rest, context, turns[-1] + 1)
    for index in range(newest, len(messages)):
        kept[index] = messages[index]
    rest -= context.tokens.messages(messages[newest:])
    for begin, end in reversed([*pairwise(turns)]):
        index, answer = _answer(messages, begin, end)
        if answer is None or index in kept:
            continue
        cost = context.tokens.message(answer)
        if cost <= rest:
            kept[index] = answer
            rest -= cost
    return tuple(_with_notes(messages, kept, first))


def touched_files(messages: Sequence[Message]) -> dict[str, list[str]]:
    """Paths that the tool calls read, and those that they changed in any way."""
    found: dict[str, set[str]] = {"read": set(), "edited": set()}
    for operation in file_operations(messages):
        if operation.succeeded and operation.operation != "restored":
            found["read" if operation.operation == "read" else "edited"].add(operation.path)
    return {kind: sorted(paths) for kind, paths in found.items()}


def files_section(files: Mapping[str, Sequence[str]], limit: int, context: Context) -> str:
    """The list of files in at most ``limit`` tokens; files that were only read go first."""
    read, edited = list(files["read"]), list(files["edited"])
    while True:
        text = f"## Files\nRead: {_listed(read)}\nEdited: {_listed(edited)}"
        if context.tokens.text(text) <= limit:
            return text
        if not read and not edited:
            return ""
        (read or edited).pop()


def _listed(paths: Sequence[str]) -> str:
    return ", ".join(f"`{path}`" for path in paths) or "none"


def _without_images(message: Message) -> Message:
    return replace(message, parts=tuple(p for p in message.parts if not isinstance(p, Image)))


def _answer(messages: Sequence[Message], begin: int, end: int) -> tuple[int, Message | None]:
    """The last message of the model in a turn that makes no call, without its thinking."""
    for index in range(end - 1, begin, -1):
        message = messages[index]
        if message.role != "assistant" or message.calls:
            continue
        parts = tuple(part for part in message.parts if not isinstance(part, Thinking))
        return index, replace(message, parts=parts) if message.text.strip() else None
    return begin, None


def _with_notes(
    messages: Sequence[Message], kept: dict[int, Message], first: int
) -> Iterator[Message]:
    """The kept messages, and a note in each place where work was left out.

    The original writes none after work that it kept before; here the view would then end on
    a message of the model.
    """
    said = [i for i, m in enumerate(messages) if m.role == "assistant" and m.text.strip()]
    texts = set(said[-KEPT_TEXTS:])
    gap: list[int] = []
    last: Message | None = None
    for index in range(len(messages) + 1):
        if index < len(messages) and index not in kept:
            gap.append(index)
            continue
        if gap and last is not None:
            ends = index == len(messages) and last.role == "assistant"
            yield from _note(messages, gap, texts, always=ends)
        if index < len(messages):
            yield kept[index]
            last = kept[index] if index >= first else None
        gap = []


def _note(
    messages: Sequence[Message], gap: list[int], texts: set[int], always: bool
) -> Iterator[Message]:
    """A note on what is left out; none for neither work nor an answer, except ``always``."""
    left_out = [messages[index] for index in gap]
    files = touched_files(left_out)
    scripts = [shell_script(call) for message in left_out for call in message.calls]
    texts_run = (script.strip() for script in scripts if script)
    most = COMMAND_CHARACTERS
    commands = list(dict.fromkeys(t if len(t) <= most else f"{t[:most]}..." for t in texts_run))
    answers = [messages[index].text.strip() for index in gap if index in texts]
    if not (always or files["read"] or files["edited"] or commands or answers):
        return
    lists = (
        ("Files read:", files["read"]),
        ("Files edited:", files["edited"]),
        ("Commands ran:", commands),
    )
    blocks = ["\n".join([title, *entries]) for title, entries in lists]
    if answers:
        blocks.append("Your recent answers:\n" + "\n---\n".join(answers))
    text = "\n\n".join([NOTE, *blocks])
    yield text_message(f"{NOTE_ID}-{left_out[0].id}", "user", text, "synthetic")


USABLE: Final = 0.9
"""Share of the window that is usable for input where a model gives only its window."""
TRIGGER: Final = 0.9
"""Share of the usable input at which ``agentic`` is due."""
TARGET: Final = 0.7
"""Share of the trigger that is to be left after it."""
MANY_PAIRS: Final = 5
SECTIONS: Final = sections_of("cline")
AGENTIC: Final = "Summary of the conversation before the messages that follow:"
SUMMARY_ID: Final = "cline-summary"
FILES: Final = re.compile(r"^## files$", re.M | re.IGNORECASE)
"""The section of files, which is added where the model did not write it."""
PRODUCT_WINDOW: Final = 200_000
PRESERVED: Final = 20_000
SUMMARY_TOKENS: Final = 4_096
RESULT_CHARACTERS: Final = 2_000
"""Characters of a tool result that the summariser of ``agentic`` reads."""


@dataclass(eq=False)
class Cline(ProductCompactor):
    """Cline's ways to shrink a history; ``mode`` is ``agentic`` or ``basic``.

    ``read_results`` and ``read_arguments`` are the characters that the summariser may read of
    a result and of each argument, or ``all``; ``agentic`` shows 2,000 of a result.
    """

    name = "cline"
    asks = "cline"
    description = "newest tokens kept, the rest summarised; by rule with mode=basic (Cline)"
    sections = SECTIONS
    preamble = AGENTIC

    mode: str = choice("agentic", "basic")
    read_results: int | str | None = None
    read_arguments: int | str = WHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        agentic = self.mode == "agentic"
        results = self.read_results
        if results is None:
            results = RESULT_CHARACTERS if agentic else WHOLE
        self.limits = read_limits(WHOLE, results, self.read_arguments)
        self.traits = Traits(needs_model=agentic, keeps_tail=True)
        self.also_violates(f"cline-{self.mode}")

    def due_at(self, context: Context) -> int:
        return int(context.window * USABLE * TRIGGER)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        if self.mode == "basic":
            return self._folded(state, before, context)
        wanted = target(before, self.due(state, context) is not None, context)
        preserved = min(scaled(PRESERVED, PRODUCT_WINDOW, context), wanted)
        cut = first + tail_cut(before[first:], preserved, context)
        new = [message for message in before[first:cut] if message.id != SUMMARY_ID]
        if not new:
            return unchanged(state)
        kept = (*before[:first], *before[cut:])
        previous = summary_from_json(state["summary"]) if "summary" in state else None
        before_it = previous.render(SECTIONS) if previous else ""
        read = projected(new, readable_tokens(before_it, new, context), context)
        if read is None:
            return unchanged(state, "the window leaves no room to read the conversation in")
        limit = min(summary_room(kept, context), scaled(SUMMARY_TOKENS, PRODUCT_WINDOW, context))
        listed = files_section(touched_files(read), limit // 2, context)
        budget = limit - context.tokens.text(listed)
        prompt = product_prompt(self.asks).filled("files", listed)
        written = await self.written(read, budget, context, previous, prompt=prompt)
        if written.raised:
            return self._folded(state, before, context)
        if written.error:
            return unchanged(state, written.error)
        if not FILES.search(written.text):
            written = replace(written, text=f"{written.text}\n\n{listed}".strip())
        message = summary_message(SUMMARY_ID, written.text, AGENTIC)
        after = (*kept[:first], message, *kept[first:])
        noted = written.summary.as_json()
        return rewritten(state, before, after, SUMMARY_ID, summary=noted)

    def _folded(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """The user's texts and the newest work, with notes on the rest."""
        wanted = target(before, self.due(state, context) is not None, context)
        after = folded(before, wanted, state.get("folded", ()), context)
        if after is None:
            return unchanged(state)
        done = by_rule(state, before, after)
        if done.status == "noop":
            return done
        typed = {*range(leading_system(after)), *user_turns(after)}
        kept = [message.id for index, message in enumerate(after) if index not in typed]
        lost = set() if SUMMARY_ID in kept else {"summary"}
        new = {key: value for key, value in done.state.items() if key not in lost}
        return replace(done, state={**new, "folded": kept})


def tail_cut(messages: Sequence[Message], preserved: int, context: Context) -> int:
    """Start of the newest ``preserved`` tokens, at a message of the user or of the model.

    The cut is never after the last turn of the user, unless that is the first message: one
    request and a long run of tool calls are cut within the run. 0 if nothing may be cut.
    """
    turns = user_turns(messages)
    total, cut = 0, len(messages)
    while cut and total < preserved:
        cut -= 1
        total += context.tokens.message(messages[cut])
    if turns and turns[-1] > 0:
        cut = min(cut, turns[-1])
    while cut > 0 and not (messages[cut].role == "assistant" or cut in turns):
        cut -= 1
    return cut


def target(messages: Sequence[Message], due: bool, context: Context) -> int:
    """Tokens that the messages after the system prompt are to take after a compaction.

    If it is due, that is half of the usable input once there are five pairs of a user's and
    a model's message, and 70 % of the trigger before that. If it was asked for, half of
    what the messages take now.
    """
    usable = int(context.window * USABLE)
    trigger = int(usable * TRIGGER)
    first = leading_system(messages)
    fixed = context.tokens.messages(messages[:first])
    if not due:
        return max(1, min(trigger - fixed, context.tokens.messages(messages[first:]) // 2))
    models = [message.role == "assistant" for message in messages[first:]]
    pairs = sum(model and not before for before, model in pairwise(models))
    return max(1, (usable // 2 if pairs >= MANY_PAIRS else int(trigger * TARGET)) - fixed)


def readable_tokens(previous: str, new: Sequence[Message], context: Context) -> int:
    """Tokens of new messages that the summariser may read.

    The usable input less the ``previous`` summary and the list of the files of these messages.
    """
    listed = files_section(touched_files(new), context.window, context)
    return int(context.window * USABLE) - sum(map(context.tokens.text, (previous, listed)))
