"""What all families share: an undertaking of the user, and something that is said of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undertaking:
    """Something that the user does over months; ``names`` all mean it.

    ``people`` are the first names of those who do it with the user, and of nobody else.
    """

    names: tuple[str, str, str]
    parts: tuple[str, ...]
    people: tuple[str, ...]

    @property
    def key(self) -> str:
        """The key of the message in which the user first tells of it, with all of its names."""
        return f"begun/{self.names[0]}"

    @property
    def asked(self) -> str:
        """The name that questions use."""
        return self.names[2]


@dataclass(frozen=True, slots=True)
class Said:
    """What the user says at a share (0 to 1) of the conversation.

    ``key`` is the name by which questions mean it. The text names no undertaking: what comes
    before it in the conversation does, or the text is about the user alone.
    """

    key: str
    share: float
    text: str
    about: Undertaking | None = None
