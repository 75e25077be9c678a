"""Errors as data: an exception with arguments of its own does not survive pickling."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from pytest_compaction.models.protocol import (
    ChargedError,
    ModelError,
    NotAskedError,
    NotRecordedError,
    UnsupportedError,
)
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.feeder import CompactionError
from pytest_compaction.secrets.keys import scrubbed

_KINDS: Final[tuple[type[ChargedError], ...]] = (
    CompactionError,
    NotRecordedError,
    NotAskedError,
    UnsupportedError,
    ModelError,
)
"""What an item tells apart, the special before the general."""


class TaskError(Exception):
    """A case could not be measured where it was sent; the text is a sentence for the user."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that a task ended with. ``kind`` is the name of its type, ``spent`` is by role."""

    kind: str
    text: str
    spent: Mapping[str, Usage] = field(default_factory=dict)

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The error as data, without the keys of this process."""
        for known in _KINDS:
            if isinstance(error, known):
                return cls(known.__name__, scrubbed(str(error)), dict(error.spent))
        said = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        return cls(TaskError.__name__, scrubbed(said))

    def error(self) -> Exception:
        """The error to raise, a new one each time."""
        for known in _KINDS:
            if self.kind == known.__name__:
                return known(self.text, spent=self.spent)
        return TaskError(self.text)
