"""Faithful and hardened: the two profiles of a strategy that follows a real product.

The faithful profile does what the original does, including its known violations of the
invariants, which its traits name. The hardened profile repairs them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, cast, get_args

from pytest_compaction.compactors.base.cuts import without_orphans
from pytest_compaction.compactors.base.history import HistoryCompactor, load
from pytest_compaction.compactors.protocol import Context, State, Traits
from pytest_compaction.conversation.messages import Message

Profile = Literal["faithful", "hardened"]
FAITHFUL: Final[Profile] = "faithful"
HARDENED: Final[Profile] = "hardened"


class ProductCompactor(HistoryCompactor):
    """Base of strategies that follow a real product; their ``__init__`` takes a ``profile``."""

    profile: Profile
    traits: Traits
    drops_calls = False
    """Whether a call may go before its result comes; that result is then left out."""

    def set_profile(self, profile: str) -> None:
        """Take the profile of that name; raise ``ValueError`` with all names if there is none."""
        if profile not in get_args(Profile):
            raise ValueError(f"profile={profile} must be one of {', '.join(get_args(Profile))}")
        self.profile = cast(Profile, profile)

    def set_traits(self, traits: Traits, violations: Mapping[str, str]) -> None:
        """Set the traits of the profile: only the faithful one violates invariants.

        ``violations`` maps the name of an invariant to what the original does instead.
        """
        self.traits = replace(traits, violations=dict(violations)) if self.faithful else traits

    def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The view with the new messages at its end; see :attr:`drops_calls`."""
        if self.drops_calls:
            new = without_orphans(load(state["messages"]), new)
        return super().observe(state, new, context)

    @property
    def faithful(self) -> bool:
        """Whether to do as the original does, faults included."""
        return self.profile == FAITHFUL

    @property
    def hardened(self) -> bool:
        """Whether to repair the faults of the original."""
        return self.profile == HARDENED


def scaled(constant: int, product_window: int, context: Context) -> int:
    """A product's constant in tokens, in proportion to the window of the case.

    Products choose constants for the windows of their models (such as 20,000 of
    272,000 tokens). A case with a window of 32,000 tokens stands for a session that
    fills that window, so the constant shrinks with it: at most ``constant``, at least 1.
    """
    return max(1, min(constant, constant * context.window // product_window))
