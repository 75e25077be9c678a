"""Faithful and hardened: two profiles of a strategy that follows a real system.

The faithful profile does what the original does, its known violations of the
invariants included, and names them in its traits. The hardened profile repairs
them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal, cast, get_args

from pytest_compaction.compactors.protocol import Context, Traits

Profile = Literal["faithful", "hardened"]
FAITHFUL: Final[Profile] = "faithful"
HARDENED: Final[Profile] = "hardened"


def checked_profile(value: str) -> Profile:
    """The profile of that name; raises ``ValueError`` with the names that there are."""
    if value not in get_args(Profile):
        raise ValueError(f"profile={value} must be one of {', '.join(get_args(Profile))}")
    return cast(Profile, value)


def traits_of(profile: Profile, traits: Traits, violations: Mapping[str, str]) -> Traits:
    """The traits of a profile: only the faithful one has the violations of the original.

    ``violations`` maps the name of an invariant to what the original does instead.
    """
    return replace(traits, violations=dict(violations)) if profile == FAITHFUL else traits


def scaled(constant: int, product_window: int, context: Context) -> int:
    """A product's constant in tokens, in proportion to the window of the case.

    Constants of products are made for their models' windows (such as 20,000 of
    272,000 tokens); a case with a window of 32,000 tokens stands for a session as
    long as that window allows, so the constant shrinks with it. Never above
    ``constant``, never below 1.
    """
    return max(1, min(constant, constant * context.window // product_window))
