"""The protocol of a benchmark item, whatever its kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol, Self

import pytest

from pytest_compaction.case import CaseFileError, conversation_named_by
from pytest_compaction.records import Record, RecordType, Status
from pytest_compaction.run import Arm, Trigger
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.settings import Settings

RECORD: Final = pytest.StashKey[Record]()
"""The record of an item as far as it is known: set by its fixtures, then by its reports."""


@dataclass(frozen=True)
class BrokenFile:
    """Stands in for a case or dialogue that cannot be used; its item fails with the error."""

    error: CaseFileError

    @property
    def id(self) -> str:
        """The file name with every character replaced that an item id cannot carry.

        The files of long conversations share their names, so the conversation stands before it.
        """
        file = Path(self.error.source.replace(":", "_"))
        name = "".join(ch if ch.isalnum() or ch in "._" else "_" for ch in file.name)
        conversation = conversation_named_by(file)
        return f"{conversation}-{name}" if conversation else name


class BenchmarkItem(Protocol):
    """One thing to measure with one strategy, in one pytest item."""

    type: ClassVar[RecordType]
    """What items of this kind measure."""

    @property
    def arm(self) -> Arm | None:
        """Strategy and trial; ``None`` where the file is broken or the test compacts nothing."""
        ...

    @property
    def error(self) -> CaseFileError | None:
        """Why the file of this item cannot be used; ``None`` for a usable one."""
        ...

    @property
    def parameters(self) -> tuple[Any, ...]:
        """The values of the kind's fixtures, in their order."""
        ...

    @property
    def mark(self) -> Mapping[str, Any]:
        """The arguments of the item's ``compaction`` mark, for selection with ``-m``."""
        ...

    @property
    def group(self) -> str:
        """Items with the same group share work and stay on one xdist worker."""
        ...

    @classmethod
    def planned(cls, session: BenchmarkSession, with_arms: bool) -> Iterable[tuple[str, Self]]:
        """All items of a session with their ids, in the order in which they run.

        ``with_arms`` is false for a test that asks for no strategy.
        """
        ...

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self | None:
        """The item that a pytest item was made from; ``None`` if it is of another kind."""
        ...

    @classmethod
    def work_ahead(
        cls, session: BenchmarkSession, items: Sequence[tuple[Self, pytest.Item]], is_dealt: bool
    ) -> None:
        """Start on what the selected items will ask for, where waiting can be shared.

        If they are not ``is_dealt``, these are the items of all workers.
        """
        ...

    def finish(self, session: BenchmarkSession) -> None:
        """Let go what was kept for this item: it is done and reported."""
        ...

    def trigger(self, session: BenchmarkSession) -> Trigger:
        """When the log of this item is compacted."""
        ...

    def measure(self, session: BenchmarkSession, judged: bool) -> None:
        """Do what the packaged test does, without its check; an estimate counts the calls.

        Raises what the strategy and the models raise.
        """
        ...

    def record_without_result(
        self, nodeid: str, status: Status, reason: str, settings: Settings
    ) -> Record | None:
        """The record of an item that ended early; ``None`` for one that has no strategy."""
        ...

    @staticmethod
    def figures(record: Record) -> Mapping[str, Any]:
        """The figures of a record that JUnit shows; those without a value are left out."""
        ...

    @staticmethod
    def score(record: Record) -> str | None:
        """The score for verbose progress; ``None`` without one."""
        ...
