"""Preferences: what the user likes and avoids, told in passing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations.dice import Dice
from pytest_compaction.long_conversations.events.event import Said, Undertaking

_ROWS: Final = (
    ("How should I get to {town} for {it}?", "night trains", "flights"),
    ("What should I cook for the team of {it}?", "lentil stews", "fried dumplings"),
    ("How shall I let the others know of changes at {it}?", "handwritten notes", "group chats"),
    ("What can I give the helpers of {it} as a present?", "potted herbs", "vouchers"),
    ("Where should I get tools for {it}?", "second-hand shops", "rental chains"),
    ("When in the day should I plan my work on {it}?", "early mornings", "late evenings"),
    ("What music would suit the evening of {it}?", "brass bands", "playlists"),
    ("How should I keep my papers on {it}?", "ring binders", "cloud folders"),
)
_LIKED: Final = (
    "{liked} have always agreed with me",
    "{liked} make me happy, my sister laughs at me for it",
    "I go for {liked} whenever there is a choice",
)
_AVOIDED: Final = (
    "{avoided} wear me out, I keep away from them",
    "I have had my fill of {avoided} for this life",
    "I have been done with {avoided} since last year",
)


@dataclass(frozen=True, slots=True)
class Preference:
    """What an answer should suggest and what it should not, each told at a place of its own."""

    question: str
    liked: str
    avoided: str
    said: tuple[Said, Said]


def plan_preferences(
    dice: Dice, about: tuple[Undertaking, ...], nowhere: Undertaking | None = None
) -> list[Preference]:
    """A preference for each of some undertakings; no question says that ``nowhere`` has a town."""
    found: list[Preference] = []
    rows = dice.rng.sample(_ROWS, len(about))
    if any(each is nowhere and "{town}" in row[0] for each, row in zip(about, rows, strict=True)):
        rows.reverse()
    for number, (undertaking, row) in enumerate(zip(about, rows, strict=True), start=1):
        question, liked, avoided = row
        shares = dice.rng.sample(dice.spread(2), 2)
        key = f"preference/{number}"
        said = (
            Said(f"{key}/1", shares[0], dice.pick(_LIKED).format(liked=liked)),
            Said(f"{key}/2", shares[1], dice.pick(_AVOIDED).format(avoided=avoided)),
        )
        asked = question.format(it=undertaking.asked, town=dice.town())
        found.append(Preference(asked, liked, avoided, said))
    return found
