"""The parameters of ``light``, each checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.compactors.parameters import check_choice, check_share, check_whole
from pytest_compaction.conversation.messages import Message

SCRATCHPAD: Final = 0.35
WORKING: Final = 0.3
LEAST_LIMIT: Final = 200
"""A scratchpad below this holds no notes to speak of."""
Unit = Literal["pair", "span"]


@dataclass(frozen=True, slots=True)
class Settings:
    """What the parts of the memory may take; a part with nothing is switched off.

    ``scratchpad`` and ``working`` are shares of the budget for the notes and, at least, for
    the newest messages; 0 is off. ``k`` episodes are found for a question if ``episodic``,
    and at most ``z`` of the newest pairs are shown. ``filter`` leaves out notes that do not
    bear on the question. ``limit`` is the number of tokens at which the scratchpad is
    compressed to half; 0 stands for twice the budget, and for twice the share of the scratchpad
    where notes are of a span. ``notes`` says what one request for notes reads: a ``pair``, the
    whole ``span`` that leaves the view, or ``auto``: a span if there are calls of tools.
    """

    scratchpad: float
    working: float
    k: int
    z: int
    episodic: bool
    filter: bool
    limit: int
    notes: str

    @classmethod
    def checked(
        cls,
        scratchpad: float | bool,
        working: float | bool,
        k: int,
        z: int,
        episodic: bool,
        filter: bool,
        limit: int,
        notes: str,
    ) -> Settings:
        """Settings of the given values. Raises ``ValueError`` with a sentence on a wrong one."""
        notes_share = _share("scratchpad", scratchpad)
        newest_share = _share("working", working)
        check_choice("episodic", episodic, (True, False))
        check_choice("filter", filter, (True, False))
        check_choice("notes", notes, ("auto", "pair", "span"))
        if notes_share + newest_share >= 1:
            raise ValueError(f"scratchpad={scratchpad} and working={working} leave no episodes")
        check_whole("k", k, 0)
        check_whole("z", z, 0)
        check_whole("limit", limit, 0)
        if 0 < limit < LEAST_LIMIT:
            raise ValueError(f"limit={limit} must be 0 or at least {LEAST_LIMIT} tokens")
        return cls(notes_share, newest_share, k, z, episodic, filter, limit, notes)

    @property
    def pairs(self) -> int:
        """How many of the newest pairs are shown, at most."""
        return self.z if self.working else 0

    def unit_of(self, log: Iterable[Message]) -> Unit:
        """What one request for notes on such a log reads."""
        if self.notes == "auto":
            return "span" if any(m.calls or m.role == "tool" for m in log) else "pair"
        return "pair" if self.notes == "pair" else "span"


def _share(name: str, value: float | bool) -> float:
    """The share of a part; ``False`` switches it off."""
    if value is False:
        return 0.0
    check_share(name, value)
    return value
