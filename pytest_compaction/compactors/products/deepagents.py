"""``deepagents``: long arguments cut first, then LangChain's summary with more of the log in it.

After the summarisation of deepagents (public source, MIT, commit 23b83ad5), which builds on
that of LangChain (see :mod:`.langchain`). It is due at 85 % of the window. First, in the calls
that write or edit files and lie before the newest 10 % of the window, each argument of more than
2,000 characters is cut to its first 20; if that is enough, nothing is summarised. Otherwise all
before these 10 % becomes one summary in LangChain's sections. Unlike in LangChain the summariser
reads all of it. The original writes the messages that go to a file and names it before the
summary, so that the agent can read them again. ``keep=6:trigger=170000tokens`` are the
settings for models whose window is not known.

Adapted: what stays by tokens takes at most half of the budget. Any tool that writes or edits
files counts, not only ``write_file`` and ``edit_file``. Nothing can be read from the file that the
view names: what it would hold is gone. After a refused request the original also cuts the newest
results; that is left out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import (
    by_rule,
    dump,
    load,
    spans_between,
    unchanged,
)
from pytest_compaction.compactors.base.masking import where_smaller
from pytest_compaction.compactors.base.product import DUE_AGAIN
from pytest_compaction.compactors.parameters import check_whole
from pytest_compaction.compactors.products.langchain import VIOLATIONS, LangChain
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation.messages import (
    Message,
    Part,
    ToolCall,
    canonical_json,
    leading_system,
)

ARGUMENT_CHARACTERS: Final = 2_000
KEPT_CHARACTERS: Final = 20
TRIGGER: Final = "0.85fraction"
CUT: Final = "…(argument cut)"
PREAMBLE: Final = (
    "This conversation has been summarised. All its messages are in "
    "/conversation_history/session.md if a detail is needed. The summary:"
)
_WRITING: Final = frozenset({"write", "edit", "append"})


class DeepAgents(LangChain):
    """Cuts long arguments of old calls, and if that is not enough summarises.

    ``keep``, ``trim`` and ``trigger`` are those of ``langchain``; ``arguments`` is the number of
    characters above which an argument is cut.
    """

    name = "deepagents"
    description = "long old arguments cut, then all but 10 % of the window summarised (deepagents)"
    preamble = PREAMBLE

    def __init__(
        self,
        keep: int | float | str = "0.1fraction",
        trim: int = 0,
        trigger: int | float | str = TRIGGER,
        arguments: int = ARGUMENT_CHARACTERS,
    ) -> None:
        check_whole("arguments", arguments, KEPT_CHARACTERS, unit="characters")
        self.arguments = arguments
        super().__init__(keep, trim, trigger)
        self.set_traits(self.traits, VIOLATIONS, DUE_AGAIN if trigger != TRIGGER else {})

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Cut arguments; if the view is then still too large, summarise what is before the cut."""
        if not self.is_needed(state, context):
            return unchanged(state)
        before = load(state["messages"])
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
        """As many as ``keep`` says, at most half of the budget."""
        return min(super().kept_tokens(context), context.budget // 2)

    def shortened(self, messages: tuple[Message, ...], context: Context) -> tuple[Message, ...]:
        """The messages with long arguments cut in the calls before those that are to stay."""
        first = leading_system(messages)
        end = min(first + self.cut(messages[first:], context), pending_start(messages))
        cut = [self._cut(m) if n < end else m for n, m in enumerate(messages)]
        return where_smaller(messages, cut, context.tokens)

    def _cut(self, message: Message) -> Message:
        parts: list[Part] = []
        for part in message.parts:
            writes = isinstance(part, ToolCall) and shell_script(part) is None
            if isinstance(part, ToolCall) and writes and _writes(part):
                values = part.parsed()
                short = {key: self._value(value) for key, value in values.items()}
                part = part if short == values else replace(part, arguments=canonical_json(short))
            parts.append(part)
        return message if tuple(parts) == message.parts else replace(message, parts=tuple(parts))

    def _value(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > self.arguments:
            return value[:KEPT_CHARACTERS] + CUT
        return value


def _writes(call: ToolCall) -> bool:
    return any(touch.verb in _WRITING for touch in call_touches(call))


STRATEGY: Final = DeepAgents
