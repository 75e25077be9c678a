"""Importing transcripts that a test writes as JSON lines."""

from __future__ import annotations

import json

from pytest_compaction.conversation import structure_faults


def at_length(text, words=150):
    """A text and about ``words`` tokens that state nothing: a case's log exceeds its budget."""
    return " ".join((text, *["looked"] * words))


def write(tmp_path, *records):
    path = tmp_path / "session.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def import_with(read, tmp_path, *records):
    """The transcript that an importer reads from these records; its structure is sound."""
    transcript = read(write(tmp_path, *records))
    assert structure_faults(transcript.messages) == []
    return transcript


def roles(transcript):
    """The roles of the messages, in one line."""
    return " ".join(message.role for message in transcript.messages)
