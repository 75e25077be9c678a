"""``last-n-observations``: the last n observations stay, older ones become a line count.

After the history processor of that name of SWE-agent (read in its public source),
the one used in its paper with n = 5. Observations are counted from the start: the
first is the task itself and is never elided. With ``polling`` the count is rounded
down to a multiple, so that the view changes only after that many observations and
between ``n`` and ``n + polling`` of them stay.

Adapted: the task is the first message of the user, every tool result is an observation.
The original tags observations to keep or to remove them whatever their age, and sets
these tags by the names of tools; ``keep`` and ``remove`` name the tools directly
(several with ``|``). The original works on every request and leaves the stored history
as it is; here it works when compaction is asked for, and the text that it inserts
stays. A text that would be longer than the result is not inserted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_compaction.compactors.base.cuts import pending_start
from pytest_compaction.compactors.base.history import by_rule, load
from pytest_compaction.compactors.base.masking import mask_results, tool_names, where_smaller
from pytest_compaction.compactors.base.product import ProductCompactor
from pytest_compaction.compactors.parameters import check_whole, names_in
from pytest_compaction.compactors.protocol import Context, Outcome, State, Traits
from pytest_compaction.conversation.messages import Image, Message

VIOLATIONS: Final = {
    "within-budget": "only old tool results give way: the last n, and every other message, "
    "stay whatever they take",
}


class LastNObservations(ProductCompactor):
    """Elides all but the last ``n`` observations; ``polling`` delays that for the cache's sake."""

    name = "last-n-observations"
    description = "all but the last 5 tool results become '(k lines omitted)' (SWE-agent)"

    def __init__(self, n: int = 5, polling: int = 1, keep: str = "", remove: str = "") -> None:
        check_whole("n", n, 1)
        check_whole("polling", polling, 1)
        self.n = n
        self.polling = polling
        self.keep = names_in(keep)
        self.remove = names_in(remove)
        self.set_traits(Traits(keeps_tail=True), VIOLATIONS)

    def due(self, state: State, context: Context) -> str | None:
        """Due as soon as an observation is to be elided, as the original works on every request."""
        before = load(state["messages"])
        after = self._elided(before, state, context)
        count = sum(old != new for old, new in zip(before, after, strict=True))
        return f"{count} observations are older than the last {self.n}" if count else None

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """Elide all observations before the last ``n``."""
        before = load(state["messages"])
        return by_rule(state, before, self._elided(before, state, context), "elided")

    def _elided(
        self, messages: Sequence[Message], state: State, context: Context
    ) -> tuple[Message, ...]:
        """The messages with the line count for each observation that is to go."""
        waiting = {message.id for message in messages[pending_start(messages) :]}
        tools = tool_names(messages)
        old = set(outside(messages, self.n, self.polling))
        old = {id for id in old if tools.get(id) not in self.keep}
        old |= {id for id, tool in tools.items() if tool in self.remove}
        old -= waiting | set(state.get("elided", ()))
        new = [mask_results([message], old, omitted(message))[0] for message in messages]
        return where_smaller(messages, new, context.tokens)


def outside(messages: Sequence[Message], n: int, polling: int) -> list[str]:
    """Ids of the observations that are older than the last ``n``, never the first one."""
    task = next((m.id for m in messages if m.role == "user" and m.origin == "log"), None)
    seen = [message.id for message in messages if message.results or message.id == task]
    cut = max(0, len(seen) // polling * polling - n)
    return seen[1:cut]


def omitted(message: Message) -> str:
    """The text that replaces an observation: how many lines and images it had."""
    lines = sum(len(result.text.splitlines()) for result in message.results)
    images = sum(isinstance(part, Image) for part in message.parts)
    text = f"[earlier output: {lines} lines omitted]"
    return text if not images else f"{text} [{images} images omitted]"


STRATEGY: Final = LastNObservations
