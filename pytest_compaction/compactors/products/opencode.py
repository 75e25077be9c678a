"""``opencode``: nothing stays; a summary in the assistant's name, and a request to go on.

After the compaction of opencode (public source, MIT, commit fd78ec63). It is due when the window
has fewer than 20,000 tokens left. The whole conversation becomes one summary in five sections. The
new history is a question in the user's name, the summary as the assistant's answer, and a message
that asks to go on with the next steps or to stop and ask. With ``overflow=true`` it does what the
original does after the endpoint has refused a request as too long: only what came before the last
user message is summarised, and that message takes the place of the request to go on; the
work done for it since is gone.

Clearing old tool output is a strategy of its own here: ``opencode-prune+opencode`` does both.
Later versions of the product keep the newest turns.

Kept from the original: the last user message goes (unless ``overflow`` repeats it, without
its images), an open call is lost (its result is left out when it comes), an empty reply is taken
for the summary, and a conversation longer than the window cannot be compacted at all.

Adapted: the 20,000 tokens are in proportion to the case's window (200,000 are assumed), and
whether a conversation is too long is counted. A line says that the answer is a summary.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.compactors.base.cuts import images_as_text, user_turns
from pytest_compaction.compactors.base.history import unchanged
from pytest_compaction.compactors.base.product import (
    LOW_TRIGGER,
    ProductCompactor,
    scaled,
)
from pytest_compaction.compactors.base.summaries import sections_of, summary_room, without_preamble
from pytest_compaction.compactors.parameters import choice, whole
from pytest_compaction.compactors.protocol import Context, Outcome, State
from pytest_compaction.conversation import Message, text_message

PRODUCT_WINDOW: Final = 200_000
QUESTION: Final = "Where do we stand?"
PREAMBLE: Final = "In summary, this is what we did and where we stand:"
GO_ON: Final = (
    "Go on with the next steps if there are any; stop and ask if it is not clear what to do."
)


@dataclass(eq=False)
class Opencode(ProductCompactor):
    """Summarises everything and asks to go on.

    ``reserve`` is how many tokens of a 200,000-token window are to stay free. ``overflow`` does
    what follows a refused request.
    """

    name = "opencode"
    description = "a summary as the assistant's answer and a request to go on (opencode)"
    sections = sections_of("opencode")
    preamble = PREAMBLE
    drops_calls = True
    takes_empty = True

    reserve: int = whole(20_000, 1)
    overflow: bool = choice(False, True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.reserve > PRODUCT_WINDOW * (1 - LOW_TRIGGER):
            self.also_violates("set-off-again")

    def due_at(self, context: Context) -> int:
        return context.window - scaled(self.reserve, PRODUCT_WINDOW, context)

    async def compacted(
        self, state: State, before: tuple[Message, ...], first: int, context: Context
    ) -> Outcome[State]:
        cycle = self.cycle(state)
        read, request = self._parted(before, first)
        question = text_message(f"opencode-question-{cycle}", "user", QUESTION, "synthetic")
        goes_on = text_message(f"opencode-go-on-{cycle}", "user", GO_ON, "synthetic")
        last = request or goes_on
        room = summary_room((*before[:first], question, last), context, least=0)
        read = without_preamble(read, PREAMBLE)
        if context.tokens.messages(read) > context.window:
            return unchanged(state, "the conversation is longer than the window")
        written = await self.written(read, room, context)
        head = (*before[:first], question)
        return self.replaced(state, before, head, written, (last,), "assistant")

    def _parted(
        self, before: tuple[Message, ...], first: int
    ) -> tuple[tuple[Message, ...], Message | None]:
        """Messages for the summariser, and the user's message that is repeated, if any."""
        own = ("opencode-question-", "opencode-go-on-")
        read = tuple(message for message in before[first:] if not message.id.startswith(own))
        turns = user_turns(before)
        if not self.overflow or len(turns) < 2:
            return read, None
        earlier = set(before[: turns[-1]])
        (repeated,) = images_as_text([before[turns[-1]]])
        return tuple(message for message in read if message in earlier), repeated
