"""How what is said becomes turns: openers, asides, remarks, and what the assistant replies."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from pytest_compaction.case.long_memory.beam.writer import Pair
from pytest_compaction.long_conversations.events.event import Said, Undertaking
from pytest_compaction.long_conversations.small_talk import SmallTalk, Topic, capitalised

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
    """Writes turns, seeded. Talk is of the undertakings that the user has told of so far.

    ``brief`` turns have few sentences beside what they are to say.
    """

    def __init__(self, rng: random.Random, brief: bool = False) -> None:
        self._rng = rng
        self._brief = brief
        self._begun: list[Undertaking] = []
        self._talk = SmallTalk(rng)

    def begun(self, about: Undertaking) -> Turn:
        """The turn in which the user first tells of an undertaking."""
        self._begun.append(about)
        topic = self._talk.topic(about)
        text = f"{self._talk.begun(about)} {self._talk.of_user(topic, 1)}"
        return Turn((Pair(text, self._reply(topic)),), about.key)

    def event(self, said: Said) -> Turn:
        """The turn in which something is said, in the first message or in a later one."""
        rng = self._rng
        if said.about is None:
            return self._of_oneself(said)
        topic = self._talk.topic(said.about, said.share)
        if rng.random() < _NAMED:
            text = rng.choice(_NAMING).format(it=rng.choice(said.about.names), text=said.text)
            return Turn((Pair(self._within(text, topic), self._reply(topic)),), said.key)
        text = rng.choice(_OPENERS).format(text=said.text)
        first = Pair(self._talk.of_user(topic, rng.randint(1, 2)), self._advice(topic))
        if rng.choice(said.about.names) not in first.user:
            naming = f"Let us go on with {rng.choice(said.about.names)}. {first.user}"
            first = Pair(naming, first.assistant)
        second = Pair(self._within(text, topic), self._reply(topic), FOLLOW_UP)
        return Turn((first, second), said.key, 1)

    def remark(self, text: str) -> Turn:
        """A turn in words of a question, without an answer."""
        named = (each for each in self._begun if any(name in text for name in each.names))
        about = next(named, None)
        reply = f"{self._talk.heard()} {self._talk.no_answer()}"
        if about is not None:
            reply = f"{reply} {self._talk.advice(self._talk.topic(about), self._between(2, 6))}"
        return Turn((Pair(text, reply),))

    def other(self, share: float | None = None) -> Turn:
        """A turn about something that is not asked for, at a share of the conversation."""
        rng = self._rng
        topic = self._talk.topic(rng.choice(self._begun), share)
        asked = self._talk.of_user(topic, self._between(1, 3))
        if rng.random() < 0.3:
            asked = f"{self._talk.aside()} {asked}"
        pairs = [Pair(asked, self._advice(topic))]
        if rng.random() < _TALKED_ON:
            pairs.append(Pair(self._talk.of_user(topic, 1), self._advice(topic), FOLLOW_UP))
        return Turn(tuple(pairs))

    def _of_oneself(self, said: Said) -> Turn:
        """The turn in which the user says something of themselves, or of what they want."""
        text = capitalised(said.text.rstrip(".")) + "."
        if self._rng.random() < _LONG and not self._brief:
            text = f"{self._talk.aside(2)} {text} {self._talk.aside()}"
        reply = self._talk.of_oneself(self._between(1, 2))
        return Turn((Pair(text, f"{self._talk.heard()} {reply}"),), said.key)

    def _within(self, text: str, topic: Topic) -> str:
        """The text with talk of the day around it, where it is to be a long message."""
        if self._rng.random() >= _LONG or self._brief:
            return text
        return f"{self._talk.aside(2)} {text} {self._talk.of_user(topic, 1)}"

    def _reply(self, topic: Topic) -> str:
        return f"{self._talk.heard()} {self._talk.advice(topic, self._between(1, 4))}"

    def _advice(self, topic: Topic) -> str:
        return self._talk.advice(topic, self._between(4, 12))

    def _between(self, least: int, most: int) -> int:
        """A number of sentences; one or two where turns are brief."""
        return (
            self._rng.randint(1, min(least, 2)) if self._brief else self._rng.randint(least, most)
        )
