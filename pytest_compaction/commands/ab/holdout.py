"""Cases that are held out: only ``--final`` reads them, and each reading is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pytest_compaction.case import holds_cases
from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.settings import DEFAULT_CASES
from pytest_compaction.text import printable


class HoldoutError(CommandError):
    """The held-out cases cannot be kept apart; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Holdout:
    """A folder of held-out cases. A file beside it has one line for each time they were read."""

    folder: Path

    @classmethod
    def of(cls, folder: Path, cases: Sequence[str]) -> Self:
        """The held-out cases of a folder; raises :class:`HoldoutError` if other runs read them."""
        if not folder.is_dir() or not holds_cases(folder):
            raise HoldoutError(f"--holdout={folder}: there is no folder with cases of this name")
        for path in map(Path, cases or [DEFAULT_CASES]):
            here, there = folder.resolve(), path.resolve()
            if here == there or there in here.parents or here in there.parents:
                raise HoldoutError(
                    f"--holdout={folder} and the cases in {path} lie in one another, so that every "
                    "run reads the held-out cases; move them into a folder of their own"
                )
        return cls(folder)

    @property
    def ledger(self) -> Path:
        """The file that counts the readings; commit it, so that it counts everybody's."""
        return self.folder.with_name(f"{self.folder.name}.readings.txt")

    @property
    def readings(self) -> int:
        try:
            return len(self.ledger.read_text("utf-8").splitlines())
        except FileNotFoundError:
            return 0

    def read_again(self, what: str) -> int:
        """Note that ``what`` is measured with these cases; the number of readings with this one."""
        try:
            with self.ledger.open("a", encoding="utf-8") as file:
                file.write(f"{printable(what)}\n")
        except OSError as error:
            raise HoldoutError(
                f"{self.ledger}: cannot be written ({error.strerror}), and a reading of held-out "
                "cases that is not counted is worth nothing"
            ) from None
        return self.readings

    def told(self, readings: int) -> str:
        """That a comparison is one over held-out cases, and which reading it is."""
        less = "" if readings == 1 else ": each reading makes them less of a test"
        return f"Held-out cases of {self.folder}, reading {readings}{less}."

    @property
    def kept_back(self) -> str:
        return (
            f"the held-out cases of {self.folder} are not read; --final reads them (so far: "
            f"{self.readings})"
        )
