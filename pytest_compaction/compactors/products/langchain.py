"""``langchain``: the last 20 messages stay, everything before them becomes one summary.

After the ``SummarizationMiddleware`` of LangChain 1.5.2 (read in the published
package on 2026-11-30). The part that stays is a number of messages, of tokens or a share of the
window. A cut among tool results moves back to the message that made the calls. The
summariser reads only the last 4,000 tokens of the part that goes, starting with a user
message. If they hold no user message, it is not asked at all, and a sentence that the
conversation was too long takes the place of the summary. If the input is larger than the
window, it is halved: a quarter of that half is from its start, three quarters from its
end. A model that fails is asked three times; then the original raises the error, and here
the view stays as it was. There is no trigger unless one is given.

Adapted: the system prompt, which LangChain keeps elsewhere, stays first. The 4,000
tokens are taken as they are, not in proportion to the window: LangChain names no
window, and the triggers in its documentation are 3,000 to 5,000 tokens, like the
budgets of the shipped cases. Only a user message that does not fit
whole is shortened; the original shortens any message.

``deepagents``: long arguments cut first, then LangChain's summary with more of the log in it.

After the summarisation of deepagents 0.7.32 (the published package, MIT, read on 2026-11-30), which
builds on that of LangChain. It is due at 85 % of the window. First, in the calls
that write or edit files and lie before the newest 10 % of the window, each argument of more than
2,000 characters is cut to its first 20; if that is enough, nothing is summarised. Otherwise all
before these 10 % becomes one summary in LangChain's sections. Unlike in LangChain the summariser
reads all of it. The original writes the messages that go to a file and names it before the
summary, so that the agent can read them again. ``keep=6:trigger=170000tokens`` are the
settings for models whose window is not known.

Adapted: what stays by tokens takes at most half of the budget. Any tool that writes or edits files
counts, not only ``write_file`` and ``edit_file``. Nothing can be read from the file that the view
names: what it would hold is gone. Left out: after a refused request, or one that takes more than 95
% of the input limit without the reply, the original also writes the newest results to files, once;
and it takes thinking that Claude binds to the conversation before it out of what stays.

``tool=yes`` is the tool with which the model compacts by itself (``compact_conversation`` of
``SummarizationToolMiddleware``, which an application adds). It refuses below half of the trigger,
and cuts no arguments first. With ``--compaction-trigger=auto`` the strategy is due from there on,
and asks the model in each turn that begins whether it calls the tool. Adapted: the model has the
tool in every request, while here it is asked only when the user has said something, because
each question is a request of its own; its call and the note that answers it are not in the view.
Rules do not decide: with them it is as if the model called it as soon as it may. At the points of a
case, and at other triggers, nobody is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Final, Literal

from pytest_compaction.artifacts import call_touches, shell_script
from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors.base.cuts import (
    cut_before,
    newest_within,
    pending_start,
    where_smaller,
    with_parts,
)
from pytest_compaction.compactors.base.history import (
    by_rule,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.product import (
    ProductCompactor,
)
from pytest_compaction.compactors.base.summaries import (
    Written,
    fitting_input,
    sections_of,
    summary_room,
    without_preamble,
)
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import (
    Message,
    Part,
    Text,
    ToolCall,
    canonical_json,
    leading_system,
)
from pytest_compaction.models import OFFLINE, AnswerRequest, ModelError

PREAMBLE: Final = "What the conversation was about so far, in a summary:"
TOO_LONG: Final = "The conversation before this point was too long to be summarised."
Unit = Literal["messages", "tokens", "fraction"]

_SIZE: Final = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:(messages|tokens|fraction)\s*)?")


@dataclass(frozen=True, slots=True)
class Size:
    """An amount and its unit; a fraction is a share of the window, above 0 and at most 1."""

    amount: float
    unit: Unit = "messages"

    def __str__(self) -> str:
        return f"{self.amount:g} {self.unit}"

    def tokens(self, context: Context) -> int:
        """The size in tokens; not for a number of messages."""
        return int(self.amount * context.window if self.unit == "fraction" else self.amount)

    def reached(self, messages: Sequence[Message], context: Context) -> bool:
        """Whether a conversation is as large as this or larger."""
        if self.unit == "messages":
            return len(messages) >= self.amount
        return context.tokens.messages(messages) >= max(self.tokens(context), 1)


def parse_size(name: str, value: int | float | str) -> Size:
    """Read ``20``, ``20messages``, ``3000tokens`` or ``0.3fraction``; the key ``name`` is shown.

    Raises ``ValueError`` with the accepted forms.
    """
    found = _SIZE.fullmatch(str(value))
    unit: Unit = "messages"
    if found and found[2] in {"tokens", "fraction"}:
        unit = "tokens" if found[2] == "tokens" else "fraction"
    amount = float(found[1]) if found else 0.0
    whole = amount <= 1 if unit == "fraction" else amount == int(amount)
    if isinstance(value, bool) or amount <= 0 or not whole:
        raise ValueError(
            f"{name}={value} must be a number of messages such as 20, or a size such as "
            "3000tokens or 0.3fraction (of the window)"
        )
    return Size(amount, unit)


@dataclass(eq=False)
class LangChain(ProductCompactor):
    """Summarises everything before the newest messages, of which ``keep`` stay.

    ``keep`` is a number of messages, or as in ``3000tokens`` and ``0.3fraction``.
    ``trim`` is the most tokens that the summariser reads, 0 for no limit.
    ``trigger`` is the size at which it is due by itself, such as ``50messages``.
    """

    name = "langchain"
    asks = "langchain"
    description = "last 20 messages kept; one summary of the 4k tokens before them (LangChain)"
    sections = sections_of("langchain")
    preamble = PREAMBLE
    attempts = 3

    keep: int | float | str = 20
    trim: int = whole(4000, 0, unit="tokens (0 for no limit)")
    trigger: int | float | str = ""
    usual_trigger: ClassVar = ""

    def __post_init__(self) -> None:
        self.kept = parse_size("keep", self.keep)
        super().__post_init__()
        self.also_violates("langchain")
        given = self.trigger != "" or isinstance(self.trigger, bool)
        self.due_size = parse_size("trigger", self.trigger) if given else None
        if self.trigger != self.usual_trigger:
            self.also_violates("due-again")

    def due(self, state: State, context: Context) -> str | None:
        messages = load(state["messages"])
        size, messages = self.due_size, messages[leading_system(messages) :]
        reached = size is not None and size.reached(messages, context)
        return f"the conversation has reached {size}" if reached else None

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        start = first + self.cut(before[first:], context)
        gone = before[first:start]
        if not gone:
            return unchanged(state)
        kept = (*before[:first], *before[start:])
        written = await self._summary(gone, summary_room(kept, context), context)
        return self.replaced(state, before, before[:first], written, before[start:])

    def cut(self, messages: Sequence[Message], context: Context) -> int:
        """Index of the first message that stays; 0 when all do."""
        if self.kept.unit == "messages":
            target = len(messages) - int(self.kept.amount)
        else:
            limit = max(self.kept_tokens(context), 1)
            target, left = 0, context.tokens.messages(messages)
            while left > limit and target < len(messages) - 1:
                left -= context.tokens.message(messages[target])
                target += 1
        return cut_before(messages, target) if target > 0 else 0

    def kept_tokens(self, context: Context) -> int:
        """Tokens that stay if ``keep`` is no number of messages."""
        return self.kept.tokens(context)

    async def _summary(self, gone: Sequence[Message], budget: int, context: Context) -> Written:
        gone = without_preamble(gone, self.preamble)
        read = trimmed(gone, self.trim, context) if self.trim else gone
        if not read:
            return Written(text=TOO_LONG)
        if context.tokens.messages(read) > context.window - budget:
            read = without_middle_part(read, context)
        return await self.written(read, budget, context)


def trimmed(messages: Sequence[Message], limit: int, context: Context) -> tuple[Message, ...]:
    """The end of the messages within ``limit`` tokens, from a user message on; may be empty.

    The user message before the part that fits is shortened to its last lines.
    """
    start, left = len(messages), limit
    while start and context.tokens.message(messages[start - 1]) <= left:
        start -= 1
        left -= context.tokens.message(messages[start])
    opening: tuple[Message, ...] = ()
    if start and messages[start - 1].role == "user":
        opening = _last_lines(messages[start - 1], left, context)
    if opening:
        return (*opening, *messages[start:])
    while start < len(messages) and messages[start].role != "user":
        start += 1
    return tuple(messages[start:])


def _last_lines(message: Message, limit: int, context: Context) -> tuple[Message, ...]:
    lines = message.text.splitlines()
    while lines:
        del lines[0]
        short = replace(message, parts=(Text("\n".join(lines)),))
        if lines and context.tokens.message(short) <= limit:
            return (short,)
    return ()


def without_middle_part(messages: Sequence[Message], context: Context) -> tuple[Message, ...]:
    """The retry of an input that was too long: half of it, at most 40 % of the window.

    A quarter of that is from the start, three quarters from the end; messages that do
    not fit whole are shortened.
    """
    limit = min(context.tokens.messages(messages) // 2, context.window * 2 // 5)
    head: list[Message] = []
    left = limit // 4
    for message in messages:
        left -= context.tokens.message(message)
        if left < 0:
            break
        head.append(message)
    rest = messages[len(head) :]
    tail = newest_within(rest, limit - limit // 4, context.tokens)
    return (*head, *tail) if head or tail else fitting_input(messages, limit, context.tokens)


ARGUMENT_CHARACTERS: Final = 2_000
KEPT_CHARACTERS: Final = 20
TRIGGER: Final = "0.85fraction"
CUT: Final = "…(argument cut)"
OFFLOADED: Final = (
    "This conversation has been summarised. All its messages are in "
    "/conversation_history/session.md if a detail is needed. The summary:"
)
_WRITING: Final = frozenset({"write", "edit", "append"})
CALL: Final = "CALL"
OFFER: Final = (
    "You have a tool without arguments that compacts this conversation: a short summary takes the "
    "place of its older messages. Call it when the conversation gets long, when a new task begins "
    "that has nothing to do with those before, or when what was gathered has been worked up and is "
    f"no longer needed. Do you call it now, before you go on? Answer {CALL} or WAIT, nothing else."
)


@dataclass(eq=False)
class DeepAgents(LangChain):
    """Cuts long arguments of old calls, and if that is not enough summarises.

    ``keep``, ``trim`` and ``trigger`` are those of ``langchain``; ``arguments`` is the number of
    characters above which an argument is cut. With ``tool=yes`` the model may compact before the
    trigger.
    """

    name = "deepagents"
    asks = "deepagents"
    description = "long old arguments cut, then all but 10 % of the window summarised (deepagents)"
    preamble = OFFLOADED

    keep: int | float | str = "0.1fraction"
    trim: int = whole(0, 0, unit="tokens (0 for no limit)")
    trigger: int | float | str = TRIGGER
    arguments: int = whole(ARGUMENT_CHARACTERS, KEPT_CHARACTERS, unit="characters")
    tool: str = choice("no", "yes")
    usual_trigger = TRIGGER

    @property
    def understood(self) -> str:
        """What the header of a run says of it."""
        return (
            "with tool=yes asks the model in each turn whether to compact, from half of its "
            "trigger on, with --compaction-trigger=auto; with rules it compacts as soon as it may"
            if self.tool == "yes"
            else ""
        )

    def due(self, state: State, context: Context) -> str | None:
        """Due at the trigger, or when a turn begins in which the model may call the tool."""
        reached = super().due(state, context)
        if reached is not None or self.tool == "no" or self.due_size is None:
            return reached
        messages = load(state["messages"])
        own, half = messages[leading_system(messages) :], self.due_size.amount / 2
        begins = bool(own) and own[-1].role == "user" and own[-1].origin == "log"
        may = begins and replace(self.due_size, amount=half).reached(own, context)
        if not (may and self.cut(own, context)):
            return None
        return f"the conversation has reached half of {self.due_size}: the model may compact it"

    async def _is_called(self, messages: Sequence[Message], context: Context) -> bool:
        """Whether the model calls the tool; rules call it at once."""
        if context.model.name == OFFLINE:
            return True
        spec = AnswerSpec(max_tokens=150)
        request = AnswerRequest(tuple(messages), OFFER, spec, role="compaction")
        return CALL in (await context.model.answer(request)).text.upper()

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
        by_tool = self.tool == "yes" and context.reason == "auto"
        if by_tool and super().due(state, context) is None:
            try:
                is_called = await self._is_called(before, context)
            except ModelError as error:
                return unchanged(state, f"the model was not asked whether to compact: {error}")
            return await super().compact(state, context) if is_called else unchanged(state)
        after = self.shortened(before, context)
        cut: State = {**state, "messages": dump(after)}
        if after != before and not self.is_needed(cut, context):
            return by_rule(state, before, after)
        done = await super().compact(cut, context)
        if done.status != "compacted":
            return unchanged(state, done.error)
        view = load(done.state["messages"])
        id = f"{self.name}-summary-{done.state['cycle']}"
        return replace(done, spans=spans_between(before, view, id))

    def kept_tokens(self, context: Context) -> int:
        """Tokens that stay by ``keep``, at most half of the budget."""
        return min(super().kept_tokens(context), context.budget // 2)

    def shortened(self, messages: tuple[Message, ...], context: Context) -> tuple[Message, ...]:
        """The messages with long arguments cut in the calls before those that are to stay."""
        first = leading_system(messages)
        end = min(first + self.cut(messages[first:], context), pending_start(messages))
        cut = [with_parts(m, self._cut) if n < end else m for n, m in enumerate(messages)]
        return where_smaller(messages, cut, context.tokens)

    def _cut(self, part: Part) -> Part:
        if not isinstance(part, ToolCall) or shell_script(part) is not None:
            return part
        if not any(touch.verb in _WRITING for touch in call_touches(part)):
            return part
        values = part.parsed()
        short = {
            key: value[:KEPT_CHARACTERS] + CUT
            if isinstance(value, str) and len(value) > self.arguments
            else value
            for key, value in values.items()
        }
        return part if short == values else replace(part, arguments=canonical_json(short))
