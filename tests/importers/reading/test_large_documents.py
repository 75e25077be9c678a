"""A large JSON document is read piece by piece, with the same result as if read at once.

The tests lower the limits, so that small files are read like gigabytes.
"""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import builders, transcript_samples
from support.transcript_samples import ROUNDS, SAMPLES

from pytest_compaction import cli
from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    conversations,
    importer_for,
    load_importers,
)
from pytest_compaction.importers import json_files as streamed
from pytest_compaction.importers.json_files import (
    StreamedArray,
    cleaned,
    is_list,
    read_document,
    streamed_document,
)

IMPORTERS = load_importers().importers
LINES = ("pi", "claude-code", "codex", "aider")
DOCUMENTS = sorted(set(SAMPLES) - set(LINES))

Limits = Callable[..., None]


@pytest.fixture
def limits(monkeypatch: pytest.MonkeyPatch) -> Limits:
    def lower(large: int, window: int, held: int = streamed.MAX_HELD_BYTES) -> None:
        monkeypatch.setattr(streamed, "LARGE_BYTES", large)
        monkeypatch.setattr(streamed, "WINDOW_BYTES", window)
        monkeypatch.setattr(streamed, "MAX_HELD_BYTES", held)

    return lower


def imported(path: Path) -> tuple[str, list[Transcript]]:
    importer = importer_for(path, IMPORTERS)
    return importer.name, list(conversations(importer, path))


def arrays_left_in_file(value: Any) -> Iterator[StreamedArray]:
    if isinstance(value, StreamedArray):
        yield value
    for item in value.values() if isinstance(value, dict) else value if is_list(value) else ():
        yield from arrays_left_in_file(item)


def whole(value: Any) -> Any:
    """The value with every array in memory."""
    if is_list(value):
        return [whole(item) for item in value]
    return {key: whole(item) for key, item in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_long_session_is_the_same_read_piece_by_piece(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: Limits, name: str
) -> None:
    monkeypatch.setattr(transcript_samples, "ROUNDS", ROUNDS * 150)
    path = tmp_path / "session.json"
    path.write_text(SAMPLES[name](), "utf-8")
    assert path.stat().st_size > 200_000
    at_once = imported(path)
    limits(large=30_000, window=4096)
    assert any(arrays_left_in_file(read_document(path)))
    assert imported(path) == at_once
    assert at_once[0] == name
    assert len(at_once[1][0].messages) > 1750


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


def sample(number: int) -> dict[str, Any]:
    """A sample of an Inspect log, with a compaction among its events and an attachment."""
    attached = f"{number:032x}"
    log = [{"id": f"m{n}", **message} for n, message in enumerate(talk(number))]
    log[1]["content"] = f"attachment://{attached}"
    model = {"event": "model", "input_refs": [[0, 2], [4, 6]]}
    return {
        "id": f"s{number}",
        "epoch": 1,
        "messages": log,
        "events": [
            {"event": "info", "data": "x" * 300},
            {"event": "compaction", "tokens_before": 9},
            {**model, "input": log[2:4], "output": {"choices": [{"message": log[7]}]}},
        ],
        "events_data": {"messages": log},
        "attachments": {attached: "what the file holds"},
    }


EVALUATION = {"version": 2, "eval": {"task": "t", "model": "m"}}
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
    "contents of the Gemini API": {
        "history": [
            {"role": role, "parts": [{"text": f"part {n}"}]}
            for n, role in enumerate(["user", "model"] * 12)
        ]
    },
    "samples of Inspect": {**EVALUATION, "samples": [sample(n) for n in range(7)]},
}


@pytest.mark.parametrize("large", [2500, 600])
@pytest.mark.parametrize("form", SEVERAL)
def test_conversations_of_a_document_are_the_same_read_one_by_one(
    tmp_path: Path, limits: Limits, form: str, large: int
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(SEVERAL[form], indent=1), "utf-8")
    at_once = imported(path)
    limits(large=large, window=50)
    assert any(arrays_left_in_file(read_document(path))) == (path.stat().st_size > large)
    assert imported(path) == at_once


def test_a_cline_session_keeps_the_compaction_beside_it(tmp_path: Path, limits: Limits) -> None:
    log = [{"id": f"x{n}", **message} for n, message in enumerate(talk(1, rounds=20))]
    summary = {"id": "c", "role": "user", "content": "So far: nine parts are done."}
    made = {"sessionId": "1", "source_message_count": 18, "messages": [summary, *log[12:18]]}
    (tmp_path / "1.compaction.json").write_text(json.dumps(made), "utf-8")
    path = tmp_path / "1.messages.json"
    path.write_text(json.dumps({"sessionId": "1", "agent": "lead", "messages": log}), "utf-8")
    at_once = imported(path)
    limits(large=400, window=50)
    assert imported(path) == at_once
    ((boundary,),) = [transcript.boundaries for transcript in at_once[1]]
    assert len(boundary.messages) == 7


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    value=st.lists(builders.json_values, max_size=6) | builders.json_values,
    large=st.integers(0, 60),
    window=st.integers(1, 40),
    indent=st.sampled_from([None, 1]),
    escaped=st.booleans(),
)
def test_any_value_is_the_same_read_piece_by_piece(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    value: Any,
    large: int,
    window: int,
    indent: int | None,
    escaped: bool,
) -> None:
    monkeypatch.setattr(streamed, "LARGE_BYTES", large)
    monkeypatch.setattr(streamed, "WINDOW_BYTES", window)
    path = tmp_path / "value.json"
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=escaped), "utf-8")
    assert whole(streamed_document(path)) == value


@pytest.mark.parametrize(
    "text",
    [
        r'["a\ud800b", "\udc00", "\ud83d\ude00", {"\ud800": 1}]',
        "[NaN, Infinity, -Infinity, 1e400, -0, -0.0, 1E5, 0.1, 12345678901234567890123]",
        '[{"a": 1, "b": 2, "a": [3]}]',
        '\ufeff{"a": ["é", "漢字", "😀"]}',
        " \n[ true ,\tfalse , null,[ ],{ } ,[[[[[[[[[[[1]]]]]]]]]]] ] \n ",
        "[" + "9" * 4000 + "]",
    ],
)
@pytest.mark.parametrize("window", range(1, 12))
def test_numbers_escapes_and_marks_are_those_of_json(
    tmp_path: Path, limits: Limits, text: str, window: int
) -> None:
    path = tmp_path / "value.json"
    path.write_text(text, "utf-8")
    expected = cleaned(
        json.loads(text.removeprefix("\ufeff"), parse_constant=lambda constant: None)
    )
    limits(large=0, window=window)
    assert repr(whole(streamed_document(path))) == repr(expected)


BROKEN = '{"id": "é", "messages": [{"role": "u", "n": [1.5e3, true]}, {"x": "y\\u00e9"}], "z": 1}'


@pytest.mark.parametrize("end", range(1, len(BROKEN)))
def test_a_document_that_was_cut_off_is_named_wherever_it_ends(
    tmp_path: Path, limits: Limits, end: int
) -> None:
    path = tmp_path / "cut.json"
    path.write_text(BROKEN[:end], "utf-8")
    limits(large=10, window=7)
    with pytest.raises(ImportFormatError, match=r"cut\.json: not valid JSON \(.+ at byte \d+\)"):
        streamed_document(path)


@pytest.mark.parametrize("number", range(len(BROKEN)))
def test_a_stray_character_is_named_by_its_byte_as_json_names_it(
    tmp_path: Path, limits: Limits, number: int
) -> None:
    text = BROKEN[:number] + "\x00" + BROKEN[number:]
    with pytest.raises(json.JSONDecodeError) as expected:
        json.loads(text)
    path = tmp_path / "stray.json"
    path.write_text(text, "utf-8")
    limits(large=10, window=7)
    with pytest.raises(ImportFormatError) as caught:
        streamed_document(path)
    byte = len(text[: expected.value.pos].encode())
    assert f"({expected.value.msg} at byte {byte})" in str(caught.value)
    assert "fix the file" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"messages": [1, 2]} x', ["not valid JSON (Extra data at byte 21)", "fix the file"]),
        (b'{"messages": [1, 2,]}', ["at byte 1"]),
        (b'{"messages" [1, 2]}', ["(Expecting ':' delimiter at byte 12)"]),
        (b"[1, 2", ["(Expecting ',' delimiter at byte 6)", "a writer that was stopped"]),
        (b'["a", "\xc3\xa9", "\xff"]', ["byte 13 is not UTF-8", "fix the file"]),
        (b'["abc \xe6\xbc', ["byte 6 is not UTF-8"]),
        (b"\xff\xfe[\x00]\x00", ["byte 0 is not UTF-8"]),
        (b'{"a": ' + b"[" * 200_000, ["nested too deeply in the value at byte 7", "fix"]),
        (b"[1, " + b"9" * 5000 + b"]", ["4300 digits", "in the value at byte 4", "fix"]),
        (b'["' + b"a" * 30_000 + b'"]', ["more than 0 MB", "at byte 1", "shorten it"]),
        (
            json.dumps({f"key{n}": "a" * 90 for n in range(300)}).encode(),
            ["more than 0 MB", "everything outside the long arrays", "shorten it"],
        ),
    ],
)
def test_what_is_wrong_is_a_sentence(
    tmp_path: Path, limits: Limits, content: bytes, words: list[str]
) -> None:
    path = tmp_path / "log.json"
    path.write_bytes(content + b"\n" * (b"stopped" in " ".join(words).encode()))
    limits(large=3, window=64, held=20_000)
    with pytest.raises(ImportFormatError) as caught:
        whole(streamed_document(path))
    for word in [str(path), *words]:
        assert word in str(caught.value)


def test_what_is_held_is_counted_for_each_element_not_for_the_file(
    tmp_path: Path, limits: Limits
) -> None:
    path = tmp_path / "log.json"
    values = [{"id": n, "messages": ["a" * 90] * 40} for n in range(50)]
    path.write_text(json.dumps({"samples": values}), "utf-8")
    limits(large=1000, window=100, held=5000)
    assert whole(streamed_document(path)) == {"samples": values}


def test_an_array_left_in_its_file_is_indexed_like_a_list(tmp_path: Path, limits: Limits) -> None:
    path = tmp_path / "list.json"
    values = [{"n": n} for n in range(20)]
    path.write_text(json.dumps(values), "utf-8")
    limits(large=50, window=30)
    found = streamed_document(path)
    assert isinstance(found, StreamedArray)
    assert (len(found), found[0], found[19], found[-1]) == (20, *(values[i] for i in (0, 19, -1)))
    for part in (slice(5), slice(-3, None), slice(2, 15, 4), slice(None, None, -3), slice(9, 2)):
        assert found[part] == values[part]
    assert all(a["n"] + 1 == b["n"] for a, b in pairwise(found))
    for outside in (20, -21):
        with pytest.raises(IndexError):
            found[outside]


def test_a_large_document_becomes_cases_and_a_broken_one_a_complaint(
    tmp_path: Path, limits: Limits, capsys: pytest.CaptureFixture[str]
) -> None:
    messages = transcript_samples.chat_messages()
    path = tmp_path / "talks.json"
    path.write_text(json.dumps([{"id": f"c{n}", "messages": messages} for n in range(3)]), "utf-8")
    limits(large=3000, window=100)
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
