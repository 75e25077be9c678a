"""JSON documents are read whole, lines one by one; what is wrong with a file is a sentence."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import transcript_samples

from pytest_compaction import cli
from pytest_compaction.importers import (
    ImportFormatError,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.importers.json_files import read_document

IMPORTERS = load_importers().importers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'["a\ud800b", "\ud83d\ude00", {"\ud800": 1}]', ["a\ufffdb", "😀", {"\ufffd": 1}]),
        ("[NaN, Infinity, -Infinity, -0, 1E5]", [None, None, None, 0, 100_000.0]),
        ('\ufeff[{"a": ["é", "漢字"]}]', [{"a": ["é", "漢字"]}]),
    ],
)
def test_numbers_escapes_and_marks_are_those_of_json(
    tmp_path: Path, text: str, value: object
) -> None:
    path = tmp_path / "value.json"
    path.write_text(text, "utf-8")
    assert read_document(path) == value


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[1, 2] x", "Extra data at column 8"),
        (b"[1,\n 2", "Expecting ',' delimiter at line 2, column 3; a writer that was stopped"),
        (b'["a", "\xff"]', "byte 7 is not UTF-8; fix the file"),
        (b"[1, " + b"[" * 200_000, "nested too deeply"),
        (b"[1, " + b"9" * 5000 + b"]", "4300 digits"),
    ],
)
def test_what_is_wrong_is_a_sentence(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(content)
    with pytest.raises(ImportFormatError) as caught:
        read_document(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_a_list_of_conversations_becomes_cases_and_a_broken_one_a_complaint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = transcript_samples.chat_messages()
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"id": f"c{n}", "messages": messages} for n in range(3)]), "utf-8")
    assert cli.main(["import", str(path), "-o", str(tmp_path / "out")]) == 0
    assert f"3 of 3 conversations of {path} became cases" in capsys.readouterr().out
    path.write_bytes(path.read_bytes()[:-30])
    assert cli.main(["import", str(path), "-o", str(tmp_path / "other")]) == 1
    assert "not valid JSON" in capsys.readouterr().err
    assert not (tmp_path / "other").exists()


WORDS = "word " * 12_000
LINES_OF_60_KB: dict[str, Callable[[int], Any]] = {
    "openai-chat": lambda n: {
        "traj": [{"role": "user", "content": f"{n} {WORDS}"}, {"role": "assistant", "content": "a"}]
    },
    "claude-code": lambda n: {"type": "progress", "uuid": f"p{n}", "sessionId": "s", "data": WORDS},
    "codex": lambda n: {"type": "event_msg", "payload": {"type": "log", "message": WORDS}},
    "pi": lambda n: {"type": "custom", "id": f"c{n}", "parentId": None, "data": WORDS},
}
SPOKEN: dict[str, Any] = {
    "claude-code": {
        "type": "user",
        "uuid": "u1",
        "sessionId": "s",
        "message": {"role": "user", "content": "hello"},
    },
    "codex": {
        "type": "response_item",
        "payload": {"type": "message", "role": "user", "content": [{"type": "text", "text": "hi"}]},
    },
    "pi": {"type": "message", "id": "m", "message": {"role": "user", "content": "hello"}},
}


@pytest.mark.parametrize("name", LINES_OF_60_KB)
def test_a_file_of_lines_takes_the_memory_of_one_conversation(tmp_path: Path, name: str) -> None:
    path = tmp_path / "session.jsonl"
    with path.open("w", encoding="utf-8") as file:
        if name in SPOKEN:
            file.write(json.dumps(SPOKEN[name]) + "\n")
        for number in range(100):
            file.write(json.dumps(LINES_OF_60_KB[name](number)) + "\n")
    assert path.stat().st_size > 6_000_000
    importer = importer_for(path, IMPORTERS)
    assert importer.name == name
    tracemalloc.start()
    try:
        found = sum(len(transcript.messages) for transcript in conversations(importer, path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == (1 if name in SPOKEN else 200)
    assert peak < 2_000_000
