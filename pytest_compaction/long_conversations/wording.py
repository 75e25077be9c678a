"""How what is said becomes turns: openers, asides, remarks, and what the assistant replies."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.long_memory.beam.writer import Pair
from pytest_compaction.long_conversations.events.event import Said, Undertaking
from pytest_compaction.long_conversations.small_talk import SmallTalk, capitalised

FOLLOW_UP: Final = "followup_question"
_NAMED: Final = 0.7
"""The share of events in whose message the undertaking is named; else it was named before."""
_TALKED_ON: Final = 0.3
"""The share of other turns in which the user asks back."""
_LONG: Final = 0.4
"""The share of messages with an event that has more than it in them."""
_OPENERS: Final = (
    "By the way, {text}.",
    "Before I forget: {text}.",
    "And another thing: {text}.",
    "Since we are talking of it, {text}.",
    "What I wanted to tell you: {text}.",
    "Good to have you, because {text}.",
    "This is what the day brought: {text}.",
    "So, {text}.",
    "Here is the news: {text}.",
)
_NAMING: Final = (
    "About {it}: {text}.",
    "Now to {it}, because {text}.",
    "As for {it}, {text}.",
    "I come from {it}, and {text}.",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """The pairs of a turn, and which of them says what has a key."""

    pairs: tuple[Pair, ...]
    key: str | None = None
    place: int = 0


class Wording:
    """Writes turns, seeded."""

    def __init__(self, rng: random.Random, undertakings: tuple[Undertaking, ...]) -> None:
        self._rng = rng
        self._all = undertakings
        self._talk = SmallTalk(rng)

    def event(self, said: Said) -> Turn:
        """The turn in which something is said, in the first message or in a later one."""
        rng = self._rng
        about = said.about or rng.choice(self._all)
        if said.about is None:
            text = capitalised(said.text.rstrip(".")) + "."
            return Turn((Pair(self._within(text, about), self._reply(about)),), said.key)
        if rng.random() < _NAMED:
            text = rng.choice(_NAMING).format(it=rng.choice(about.names), text=said.text)
            return Turn((Pair(self._within(text, about), self._reply(about)),), said.key)
        text = rng.choice(_OPENERS).format(text=said.text)
        first = Pair(self._talk.of_user(about, rng.randint(1, 2)), self._advice(about))
        if rng.choice(about.names) not in first.user:
            naming = f"Let us go on with {rng.choice(about.names)}. {first.user}"
            first = Pair(naming, first.assistant)
        second = Pair(self._within(text, about), self._reply(about), FOLLOW_UP)
        return Turn((first, second), said.key, 1)

    def remark(self, text: str) -> Turn:
        """A turn in words of a question, without an answer."""
        about = self._rng.choice(self._all)
        return Turn((Pair(text, f"{self._talk.heard()} {self._advice(about)}"),))

    def other(self) -> Turn:
        """A turn about something that is not asked for."""
        rng = self._rng
        about = rng.choice(self._all)
        asked = self._talk.of_user(about, rng.randint(1, 3))
        if rng.random() < 0.3:
            asked = f"{self._talk.aside(about)} {asked}"
        pairs = [Pair(asked, self._advice(about))]
        if rng.random() < _TALKED_ON:
            asked = self._talk.of_user(about, 1)
            pairs.append(Pair(asked, self._advice(about), FOLLOW_UP))
        return Turn(tuple(pairs))

    def _within(self, text: str, about: Undertaking) -> str:
        """The text with talk of the day around it, where it is to be a long message."""
        if self._rng.random() >= _LONG:
            return text
        before, after = self._talk.aside(about, 2), self._talk.of_user(about, 1)
        return f"{before} {text} {after}"

    def _reply(self, about: Undertaking) -> str:
        return f"{self._talk.heard()} {self._talk.advice(about, self._rng.randint(1, 4))}"

    def _advice(self, about: Undertaking) -> str:
        return self._talk.advice(about, self._rng.randint(4, 12))
