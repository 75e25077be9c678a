"""Stands for a file of cases or dialogues that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pytest_compaction.case import CaseFileError, conversation_named_by


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
