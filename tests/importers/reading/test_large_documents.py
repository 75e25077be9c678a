"""A large list in JSON is read element by element, with the same result as if read at once.

The tests lower the limits, so that small files are read like gigabytes.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import builders, transcript_samples

from pytest_compaction import cli
from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.importers import json_files as streamed
from pytest_compaction.importers.json_files import StreamedArray, read_document

IMPORTERS = load_importers().importers

Limits = Callable[[int, int], None]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Limits:
    def lower(large: int, block: int) -> None:
        monkeypatch.setattr(streamed, "LARGE_BYTES", large)
        monkeypatch.setattr(streamed, "_BLOCK", block)

    return lower


def imported(path: Path) -> tuple[str, list[Transcript]]:
    importer = importer_for(path, IMPORTERS)
    return importer.name, list(conversations(importer, path))


def talk(number: int, rounds: int = 6) -> list[dict[str, Any]]:
    return [
        {"role": role, "content": f"{said} {number} of {turn}"}
        for turn in range(rounds)
        for role, said in (("user", "Please do part"), ("assistant", "Done is part"))
    ]


def grown(number: int) -> list[dict[str, Any]]:
    """The requests of one conversation, each with everything before it."""
    messages = talk(number)
    return [{"model": "m", "messages": messages[:end]} for end in range(2, len(messages) + 1, 2)]


def events(number: int) -> list[dict[str, Any]]:
    return [
        {"id": n, "source": source, "action": "message", "args": {"content": f"{n} of {number}"}}
        for n, source in enumerate(["user", "agent"] * 10)
    ]


FIELDS = {"custom_id": "b", "method": "POST"}
SEVERAL: dict[str, Any] = {
    "chats, each with a name": [{"id": f"c{n}", "messages": talk(n)} for n in range(9)],
    "requests of a log": [request for n in range(3) for request in grown(n)],
    "a request in its envelope": {
        **FIELDS,
        "body": {"model": "m", "messages": talk(1)},
        "response": {"body": {"choices": [{"message": talk(2)[1]}]}},
    },
    "plain talks as lists": [talk(n) for n in range(9)],
    "plain talk under a key": {"title": "t", "conversation": talk(1)},
    "requests with what is none between them": [*grown(1), {"x": 1}, {"y": [talk(3)]}],
    "anthropic requests": [{"system": "s", **request} for request in grown(4)],
    "responses that name each other": [
        {
            "request": {
                "model": "m",
                "input": talk(n)[:4],
                **({"previous_response_id": f"r{n - 1}"} if n else {}),
            },
            "response": {
                "object": "response",
                "id": f"r{n}",
                "output": [{"type": "message", **talk(n)[5]}],
            },
        }
        for n in range(5)
    ],
    "openhands instances": [
        {"instance_id": f"i{n}", "history": events(n), "metadata": {}} for n in range(6)
    ],
    "openhands events in pairs": [list(pair) for pair in zip(events(1), events(2), strict=True)],
}


@pytest.mark.parametrize("form", SEVERAL)
def test_conversations_of_a_list_are_the_same_read_one_by_one(
    tmp_path: Path, limits: Limits, form: str
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(SEVERAL[form], indent=1), "utf-8")
    at_once = imported(path)
    limits(600, 50)
    assert isinstance(read_document(path), StreamedArray) == isinstance(SEVERAL[form], list)
    assert imported(path) == at_once


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.lists(builders.json_values, min_size=1, max_size=6),
    block=st.integers(4, 40),
    indent=st.sampled_from([None, 1]),
    escaped=st.booleans(),
)
def test_any_list_is_the_same_read_piece_by_piece(
    tmp_path: Path, values: list[Any], block: int, indent: int | None, escaped: bool
) -> None:
    path = tmp_path / "value.json"
    path.write_text(json.dumps(values, indent=indent, ensure_ascii=escaped), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamed, "LARGE_BYTES", 0)
        patch.setattr(streamed, "_BLOCK", block)
        assert list(read_document(path)) == values


@pytest.mark.parametrize(
    "text",
    [
        r'["a\ud800b", "\udc00", "\ud83d\ude00", {"\ud800": 1}]',
        "[NaN, Infinity, -Infinity, 1e400, -0, -0.0, 1E5, 0.1, 12345678901234567890123]",
        '\ufeff[{"a": ["é", "漢字", "😀"]}]',
        " \n[ true ,\tfalse , null,[ ],{ } ,[[[[[[[[[[[1]]]]]]]]]]] ] \n ",
    ],
)
@pytest.mark.parametrize("block", range(5, 14))
def test_numbers_escapes_and_marks_are_those_of_json(
    tmp_path: Path, limits: Limits, text: str, block: int
) -> None:
    path = tmp_path / "value.json"
    path.write_text(text, "utf-8")
    expected = read_document(path)
    limits(0, block)
    found = read_document(path)
    assert isinstance(found, StreamedArray)
    assert repr(list(found)) == repr(expected)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[1, 2] x", "behind element 2 of its list (Extra data); fix the file"),
        (b"[1, 2,]", "behind element 2 of its list (Expecting value); fix the file"),
        (b"[1 2]", "behind element 0 of its list (Expecting ',' delimiter); fix the file"),
        (b"[1, 2", "(Expecting ',' delimiter); fix the file (a writer that was stopped"),
        (b'["a", "b', "(Unterminated string starting at); fix the file (a writer that was"),
        (b'["a", "\xc3\xa9", "\xff"]', "'utf-8' codec can't decode byte 0xff"),
        (b"[1, " + b"[" * 200_000, "behind element 1 of its list (nested too deeply); fix"),
        (b"[1, " + b"9" * 5000 + b"]", "4300 digits"),
    ],
)
def test_what_is_wrong_is_a_sentence(
    tmp_path: Path, limits: Limits, content: bytes, words: str
) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(content)
    limits(3, 8)
    with pytest.raises(ImportFormatError) as caught:
        read_document(path)
    assert str(caught.value).startswith(f"{path}: not valid JSON ")
    assert words in str(caught.value)


def test_a_list_left_in_its_file_is_indexed_like_a_list(tmp_path: Path, limits: Limits) -> None:
    path = tmp_path / "list.json"
    values = [{"n": n} for n in range(20)]
    path.write_text(json.dumps(values), "utf-8")
    limits(50, 30)
    found = read_document(path)
    assert (len(found), found[0], found[19], found[-1]) == (20, *(values[i] for i in (0, 19, -1)))
    for part in (slice(5), slice(-3, None), slice(2, 15, 4), slice(9, 2)):
        assert found[part] == values[part]
    for outside in (20, -21):
        with pytest.raises(IndexError):
            found[outside]


def test_a_large_list_becomes_cases_and_a_broken_one_a_complaint(
    tmp_path: Path, limits: Limits, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = transcript_samples.chat_messages()
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"id": f"c{n}", "messages": messages} for n in range(3)]), "utf-8")
    limits(3000, 100)
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
