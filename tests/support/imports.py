"""Importing transcripts that a test writes as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import Transcript


def at_length(text: str, words: int = 150) -> str:
    """A text and about ``words`` tokens that state nothing: a case's log exceeds its budget."""
    return " ".join((text, *["looked"] * words))


def write(tmp_path: Path, *records: Any) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def import_with(read: Callable[[Path], Transcript], tmp_path: Path, *records: Any) -> Transcript:
    """The transcript that an importer reads from these records; its structure is sound."""
    transcript = read(write(tmp_path, *records))
    assert structure_faults(transcript.messages) == []
    return transcript
