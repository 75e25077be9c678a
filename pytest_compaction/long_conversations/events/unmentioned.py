"""What is never said: an attribute of an undertaking that only others have."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_compaction.long_conversations.events.event import Undertaking
from pytest_compaction.long_conversations.events.stated import Attribute, Fact


@dataclass(frozen=True, slots=True)
class Absence:
    """An attribute that is never said of ``about``; ``elsewhere`` has it, and tempts."""

    about: Undertaking
    attribute: Attribute
    elsewhere: Fact
