"""``cline``: summarise the older part, or drop it by rule.

After Cline 4.x (public source). ``mode`` is one of two.

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

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pytest_compaction.compactors.base.cuts import user_turns
from pytest_compaction.compactors.base.history import by_rule, by_summary, unchanged
from pytest_compaction.compactors.base.product import AS_WRITTEN, ProductCompactor, scaled
from pytest_compaction.compactors.base.summaries import (
    WHOLE,
    read_limits,
    summary_message,
    summary_room,
)
from pytest_compaction.compactors.parameters import check_choice
from pytest_compaction.compactors.products.cline.basic import (
    files_section,
    folded,
    touched_files,
)
from pytest_compaction.compactors.products.cline.projection import projected
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import (
    Message,
    leading_system,
)
from pytest_compaction.models.structured_summary import Section, summary_from_json

USABLE: Final = 0.9
"""Share of the window that is usable for input where a model gives only its window."""
TRIGGER: Final = 0.9
"""Share of the usable input at which ``agentic`` is due."""
TARGET: Final = 0.7
"""Share of the trigger that is to be left after it."""
MANY_PAIRS: Final = 5
SECTIONS: Final = (
    Section("goal", "Goal", "What is built or mended, in one sentence.", ("intent",), 1.0),
    Section("state", "State", "Done, in progress, blocked.", ("state", "errors"), 1.0),
    Section(
        "highlights",
        "Highlights",
        "Choices and findings that matter.",
        ("decisions", "values"),
        1.5,
    ),
    Section("next", "Next", "The immediate next steps.", ("next",), 0.6),
)
AGENTIC: Final = "Summary of the conversation before the messages that follow:"
SUMMARY_ID: Final = "cline-summary"
PRODUCT_WINDOW: Final = 200_000
PRESERVED: Final = 20_000
SUMMARY_TOKENS: Final = 4_096
RESULT_CHARACTERS: Final = 2_000
"""Characters of a tool result that the summariser of ``agentic`` reads."""
VIOLATIONS: Final = {
    "agentic": {
        **AS_WRITTEN,
        "within-budget": "the last turn of the user stays whole, and so does a message that is "
        "longer than the tail",
        "never-larger": "a summary longer than what it replaces is used all the same",
        "last-user-kept": "the only request is summarised where the tool calls after it are cut",
        "log-order-and-text": "where the model fails, images of older messages of the user go "
        "without a word",
    },
    "basic": {
        "turns-alternate": "an answer that names no file, command or result goes without a note",
        "log-order-and-text": "images of older messages of the user go without a word",
        "within-budget": "all that the user typed stays, and so does what an earlier step kept",
        "never-larger": "a note may be longer than what it stands for",
    },
}


class Cline(ProductCompactor):
    """Cline's ways to shrink a history; ``mode`` is ``agentic`` or ``basic``.

    ``read_results`` and ``read_arguments`` are the characters that the summariser may read of
    a result and of each argument, or ``all``; ``agentic`` shows 2,000 of a result.
    """

    name = "cline"
    description = "newest tokens kept, the rest summarised; by rule with mode=basic (Cline)"
    sections = SECTIONS
    preamble = AGENTIC

    def __init__(
        self,
        mode: str = "agentic",
        read_results: int | str | None = None,
        read_arguments: int | str = WHOLE,
    ) -> None:
        check_choice("mode", mode, tuple(VIOLATIONS))
        self.mode = mode
        if read_results is None:
            read_results = RESULT_CHARACTERS if mode == "agentic" else WHOLE
        self.limits = read_limits(WHOLE, read_results, read_arguments)
        traits = Traits(needs_model=mode == "agentic", keeps_tail=True)
        self.set_traits(traits, VIOLATIONS[mode])

    def limit(self, context: Context) -> int:
        """90 % of the usable input."""
        return int(context.window * USABLE * TRIGGER)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        """Shrink the history in the way of the mode."""
        if self.mode == "basic":
            return self._folded(state, before, context)
        return await self._summarised(state, before, context)

    async def _summarised(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """The previous summary and the new span in one, and the newest turns."""
        first = leading_system(before)
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
        written = await self.written(read, budget, context, previous)
        if written.raised:
            return self._folded(state, before, context)
        if written.error:
            return unchanged(state, written.error)
        message = summary_message(SUMMARY_ID, f"{written.text}\n\n{listed}".strip(), AGENTIC)
        after = (*kept[:first], message, *kept[first:])
        noted = written.summary.as_json()
        return by_summary(state, before, after, SUMMARY_ID, summary=noted)

    def _folded(
        self, state: State, before: tuple[Message, ...], context: Context
    ) -> Outcome[State]:
        """What the user typed and the newest work, with notes of what was left out."""
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


def sides(messages: Sequence[Message]) -> list[tuple[int, int]]:
    """Ranges after the system prompt in which one side speaks: the user with tools, the model.

    The original keeps tool results in messages of the user, so that both sides
    alternate: one range is one of its messages.
    """
    ranges: list[tuple[int, int]] = []
    for index in range(leading_system(messages), len(messages)):
        model = messages[index].role == "assistant"
        if ranges and (messages[index - 1].role == "assistant") == model:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    return ranges


def tail_cut(messages: Sequence[Message], preserved: int, context: Context) -> int:
    """Where the newest ``preserved`` tokens begin, at a message of the user or of the model.

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
    pairs = sum(messages[begin].role == "assistant" for begin, _ in sides(messages)[1:])
    return max(1, (usable // 2 if pairs >= MANY_PAIRS else int(trigger * TARGET)) - fixed)


def readable_tokens(previous: str, new: Sequence[Message], context: Context) -> int:
    """Tokens of new messages that the summariser may read.

    The usable input less the ``previous`` summary and the list of the files of these messages.
    """
    listed = files_section(touched_files(new), context.window, context)
    return int(context.window * USABLE) - sum(map(context.tokens.text, (previous, listed)))


STRATEGY: Final = Cline
