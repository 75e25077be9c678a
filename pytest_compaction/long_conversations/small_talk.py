"""Sentences about nothing that is asked for, which stay with the matter of their turn."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

from pytest_compaction.long_conversations import phrases
from pytest_compaction.long_conversations.events.event import Undertaking

_SINGULAR: Final = frozenset({"trellis"})
_STAYS: Final = 0.75
"""The share of sentences that speak of the part that the turn is about."""
_OF_THE_PHASE: Final = 0.25
"""The share of what the user says that tells how far the undertaking is."""
_LIST_FROM: Final = 5
_LISTED: Final = 0.3
_THIRDS: Final = (phrases.EARLY, phrases.MIDWAY, phrases.LATE)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a turn is about; ``share`` (0 to 1) is how much of the conversation is over."""

    about: Undertaking
    part: str
    share: float | None = None


class SmallTalk:
    """Seeded sentences with slots; about an undertaking, about the day, or about the user."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._asides: list[str] = []

    def topic(self, about: Undertaking, share: float | None = None) -> Topic:
        """A part of an undertaking to talk about."""
        return Topic(about, self._rng.choice(about.parts), share)

    def of_user(self, topic: Topic, sentences: int) -> str:
        """What the user says or asks about an undertaking."""
        chosen = self._rng.sample(phrases.USER, sentences)
        if topic.share is not None and self._rng.random() < _OF_THE_PHASE:
            third = min(int(topic.share * len(_THIRDS)), len(_THIRDS) - 1)
            chosen[0] = self._rng.choice(_THIRDS[third])
        return self._said(chosen, topic)

    def begun(self, about: Undertaking) -> str:
        """How the user first tells of an undertaking, with all of its names."""
        a, b, c = self._rng.sample(about.names, 3)
        friend = self._rng.choice(about.people)
        text = self._rng.choice(phrases.BEGUN)
        return capitalised(text.format(a=a, b=b, c=c, friend=friend, Friend=friend))

    def aside(self, sentences: int = 1) -> str:
        """What the user says of the day."""
        return " ".join(self._of_the_day() for _ in range(sentences))

    def advice(self, topic: Topic, sentences: int) -> str:
        """What the assistant says; a longer text may be a list."""
        chosen = self._rng.sample(phrases.ADVICE, sentences)
        if sentences >= _LIST_FROM and self._rng.random() < _LISTED:
            first, *rest = (self._filled(text, topic) for text in chosen)
            return "\n".join([first, *(f"- {text}" for text in rest)])
        return self._said(chosen, topic)

    def heard(self) -> str:
        """How the assistant takes note of something."""
        return self._rng.choice(phrases.HEARD)

    def of_oneself(self, sentences: int) -> str:
        """What the assistant says to something that the user tells of themselves."""
        return " ".join(self._rng.sample(phrases.OF_ONESELF, sentences))

    def no_answer(self) -> str:
        """What the assistant says where it is asked what it cannot know."""
        return self._rng.choice(phrases.NO_ANSWER)

    def _said(self, chosen: list[str], topic: Topic) -> str:
        return " ".join(self._filled(text, topic) for text in chosen)

    def _of_the_day(self) -> str:
        """A sentence that comes again when all others have come."""
        if not self._asides:
            self._asides = self._rng.sample(phrases.ASIDE, len(phrases.ASIDE))
        template = self._asides.pop()
        who = self._rng.choice(phrases.WHO)
        when = self._rng.choice(phrases.TIMES)
        return capitalised(template.format(who=who, Who=capitalised(who), when=when))

    def _filled(self, template: str, topic: Topic) -> str:
        choose = self._rng.choice
        about = topic.about
        stays = self._rng.random() < _STAYS
        part = topic.part if stays else choose(about.parts)
        other = choose([each for each in about.parts if each != part])
        many = is_plural(part)
        who, when, friend = choose(phrases.WHO), choose(phrases.TIMES), choose(about.people)
        text = template.format(
            it=choose(about.names),
            part=part,
            other=other,
            **(_PLURAL if many else _SINGLE),
            who=who,
            Who=capitalised(who),
            when=when,
            When=capitalised(when),
            soon=choose(phrases.SOON),
            friend=friend,
            Friend=friend,
            did=choose(phrases.DID),
            result=choose(phrases.RESULTS),
        )
        return capitalised(text)


def is_plural(part: str) -> bool:
    """Whether the name of a part is plural, as in "oars" and "score sheets"."""
    return part.endswith("s") and part not in _SINGULAR


def capitalised(text: str) -> str:
    """The text with a capital at its start; the rest stays as it is."""
    return text[:1].upper() + text[1:]


_FORMS: Final = ("is", "was", "has", "does", "s", "ies", "them", "they")
_SINGLE: Final = dict(
    zip(_FORMS, ("is", "was", "has", "does", "s", "ies", "it", "it"), strict=True)
)
_PLURAL: Final = dict(
    zip(_FORMS, ("are", "were", "have", "do", "", "y", "them", "they"), strict=True)
)
