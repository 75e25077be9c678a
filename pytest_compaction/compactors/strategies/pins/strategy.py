"""``pins``: what the user forbade, limited or required, kept by rule beside any summary.

After the constraint extractor of COMPINT (arXiv 2608.11242; public source of
compaction-integrity). There a small model reads each message of the user and adds the
constraints to a registry outside the conversation, which no compaction can touch, and the
registry is written into the view after each compaction. Here rules do what the model does there
(see :mod:`.constraints`), so that the list costs no call and is the same in every run.

Alone it keeps system prompt, pins and the newest part that fits. Composed, as in
``anchored+pins`` or ``anchored+ledger+pins``, the other strategy works with the rest of
the budget.

Only what the user says is pinned. Rules in a file that was read are not: a tool result must
not become a standing instruction. What is in the system prompt stays anyhow. Of a rule that
is said again with another number the later one stands. A rule that the user lifts stays
with the permission after it, and the text says that later ones win.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pytest_compaction.compactors.base.insertion import InsertionCompactor
from pytest_compaction.compactors.base.summaries import summary_message
from pytest_compaction.compactors.parameters import check_share, check_whole
from pytest_compaction.compactors.protocol import Context, State, Traits
from pytest_compaction.compactors.strategies.pins.constraints import (
    Constraint,
    ConstraintType,
    constraints_of,
    followed_by,
)
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.structured_summary import Source

PINS_ID: Final = "pins"
PREAMBLE: Final = (
    "What the user set as conditions earlier in this session, word for word. They still hold; "
    "where two disagree, the later one does."
)
TITLES: Final[dict[ConstraintType, str]] = {
    "prohibition": "Not to be done",
    "limit": "Limits",
    "requirement": "Required",
    "permission": "Lifted or allowed since",
    "preference": "Preferred",
}
"""The headings, by the order in which constraints get room."""
_LEAST: Final = 40
"""A list of fewer tokens is not worth its heading."""

Count = Callable[[str], int]


class Pins(InsertionCompactor):
    """Keeps system prompt, pins and newest part; or stands in another strategy's view.

    ``share`` is the part of the budget that the pins may take, ``limit`` the most
    constraints that are listed.
    """

    name = "pins"
    description = "the user's constraints by rule, word for word, beside any summary (composable)"
    traits = Traits(keeps_tail=True)
    covers: frozenset[Source] = frozenset()
    insertion_id = PINS_ID

    def __init__(self, share: float = 0.15, limit: int = 40) -> None:
        check_share("share", share)
        check_whole("limit", limit, 1)
        self.share = share
        self.limit = limit

    def begin(self) -> State:
        """No constraints."""
        return {"constraints": []}

    def note(self, notes: State, new: Sequence[Message]) -> State:
        """The constraints that stand after the next messages of the log."""
        standing = followed_by(_known(notes), list(constraints_of(new)))
        return {"constraints": [[each.id, each.type, each.text] for each in standing]}

    def insertion(self, notes: State, context: Context) -> Message | None:
        """The constraints as a message within their share of the budget; ``None`` without any."""
        room = int(context.budget * self.share)
        if room < _LEAST:
            return None
        text = listed(_known(notes), room, self.limit, context.tokens.text)
        return summary_message(PINS_ID, text, PREAMBLE) if text else None


def listed(standing: Sequence[Constraint], room: int, limit: int, count: Count) -> str:
    """The constraints under their headings within ``room`` tokens; empty if none fits.

    Types get room in the order of the headings, and in each type the oldest first, because the
    newest messages are the last that any strategy gives up. What has no room is counted.
    """
    left = room - count(PREAMBLE) - _LEAST // 2
    shown: dict[ConstraintType, list[str]] = {}
    for type, title in TITLES.items():
        for constraint in standing:
            if constraint.type != type or sum(map(len, shown.values())) >= limit:
                continue
            cost = count(f"- {constraint.text}\n")
            cost += 0 if type in shown else count(f"## {title}\n\n")
            if cost <= left:
                left -= cost
                shown.setdefault(type, []).append(constraint.text)
    if not shown:
        return ""
    parts = [
        "\n".join([f"## {TITLES[type]}", *(f"- {text}" for text in texts)])
        for type, texts in shown.items()
    ]
    missing = len(standing) - sum(map(len, shown.values()))
    if missing:
        parts.append(f"({missing} more left out)")
    return "\n\n".join(parts)


def _known(notes: State) -> list[Constraint]:
    return [Constraint(*each) for each in notes["constraints"]]


STRATEGY: Final = Pins
