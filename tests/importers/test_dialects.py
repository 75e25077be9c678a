"""One small file for each dialect of a format: each holds the same conversation."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import (
    Boundary,
    Importer,
    ImportFormatError,
    Transcript,
    conversations,
    importer_named,
    load_importers,
    read_by_best,
)

FOLDER = Path(__file__).parent / "files"
STREAM = FOLDER / "gemini-cli.0-61-stream.jsonl"
"""A session of its own: this program tells what a file holds to the model alone."""
FILES = sorted(set(FOLDER.iterdir()) - {FOLDER / "README.md", STREAM})
IMPORTERS = load_importers().importers
NAMED_ONLY = [name for name, one in IMPORTERS.items() if getattr(one, "named_only", False)]
REQUEST = "The limit of tenant 7 is 40. Check the config."
ANSWER = "The limit is 40, and the check fails."
READ, FAILED = "limit: 40\nretries: 3", "make: *** [check] Error 1"
NO_FLAG = ("gptme", "otel.console", "otel.openinference", "sharegpt", "specstory", "chatgpt")
"""Formats that do not say that a call failed."""
WITHOUT_TEXT = ("sharegpt.turns",)
"""Dialects whose calls have no text beside them."""
COMPACTED = ("acp.updates", "copilot-cli", "opencode", "qwen-code")


def read(path: Path) -> tuple[Importer, Transcript]:
    name = path.name.split(".")[0]
    if name in NAMED_ONLY:
        importer = importer_named(name, IMPORTERS)
        (transcript,) = conversations(importer, path)
    else:
        importer, transcripts = read_by_best(path, IMPORTERS)
        (transcript,) = transcripts
    return importer, transcript


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_conversation_of_each_dialect_is_read_whole(path: Path) -> None:
    importer, transcript = read(path)
    assert importer.name == path.name.split(".")[0]
    assert structure_faults(transcript.messages) == []
    said = [m for m in transcript.messages if m.role != "system"]
    assert [m.text for m in said if m.role == "user"] == [REQUEST]
    texts = [m.text for m in said if m.role == "assistant" and m.text]
    before = [] if path.name.startswith(WITHOUT_TEXT) else ["Reading it."]
    assert texts == [*before, ANSWER]
    calls = [call for m in said for call in m.calls]
    assert [call.name for call in calls] == [
        "shell" if importer.name == "gptme" else "read_file",
        "bash",
    ]
    assert "config/t7.yaml" in calls[0].arguments
    assert calls[1].parsed()["command"] == "make check"
    results = [result for m in said for result in m.results]
    assert [result.call_id for result in results] == [call.id for call in calls]
    assert results[0].text == READ
    assert FAILED in results[1].text
    assert [r.is_error for r in results] == [False, not path.name.startswith(NO_FLAG)]
    assert not transcript.tally.unread
    assert not [reason for reason in transcript.tally.left_out if "unknown" in reason]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_compaction_is_a_record_after_the_last_message(path: Path) -> None:
    importer, transcript = read(path)
    if not path.name.startswith(COMPACTED):
        assert transcript.boundaries == ()
        return
    (boundary,) = transcript.boundaries
    assert boundary.after == transcript.messages[-1].id
    assert "limit" in f"{boundary.summary}{[m.text for m in boundary.messages]}"
    assert boundary == Boundary(
        boundary.after,
        boundary.summary,
        900 if importer.name in ("copilot-cli", "qwen-code") else None,
        (boundary.after,) if importer.name == "opencode" else (),
        boundary.messages,
        trigger="auto" if importer.name == "opencode" else "",
    )


def test_a_stream_of_gemini_cli_is_read_as_the_program_writes_it() -> None:
    importer, (transcript,) = read_by_best(STREAM, IMPORTERS)
    assert importer.name == "gemini-cli"
    assert [m.text for m in transcript.messages if m.text] == [REQUEST, "Reading it.", ANSWER]
    calls = [call.name for m in transcript.messages for call in m.calls]
    assert calls == ["read_file", "run_shell_command"]
    results = [result.text for m in transcript.messages for result in m.results]
    assert results == ["", "make: *** [Makefile:2: check] Error 1"]
    assert not transcript.tally.unread


def test_a_request_before_the_first_line_of_a_stream_is_not_lost(tmp_path: Path) -> None:
    first = {"type": "message", "role": "user", "content": "Look at the Makefile first."}
    path = tmp_path / "stream.jsonl"
    path.write_text(f"{json.dumps(first)}\n{STREAM.read_text('utf-8')}", "utf-8")
    _, (transcript,) = read_by_best(path, IMPORTERS)
    assert transcript.messages[0].text.startswith("Look at the Makefile first.")
    assert not transcript.tally.unread


def test_spans_of_agents_and_tools_are_counted_apart_and_calls_without_messages_are_not_read(
    tmp_path: Path,
) -> None:
    _, (transcript,) = read_by_best(FOLDER / "otel.console.json", IMPORTERS)
    assert transcript.tally.left_out["span that is no call of a model"] == 3
    span = {"name": "chat m", "attributes": {"gen_ai.operation.name": "chat"}}
    (tmp_path / "spans.jsonl").write_text(f"{json.dumps(span)}\n" * 3, "utf-8")
    with pytest.raises(ImportFormatError, match="no conversation of otel"):
        list(read_by_best(tmp_path / "spans.jsonl", IMPORTERS)[1])


def test_only_formats_known_from_documentation_alone_have_to_be_named() -> None:
    """Another format needs a real file, or one that its package made: see files/README.md."""
    assert NAMED_ONLY == ["amp", "langfuse"]


@pytest.mark.parametrize("name", NAMED_ONLY)
def test_a_format_known_from_documentation_alone_is_read_only_when_named(
    tmp_path: Path, name: str
) -> None:
    (path,) = (path for path in FILES if path.name.startswith(name))
    with pytest.raises(
        ImportFormatError, match=f"only when it is named: --format={name}"
    ) as caught:
        read_by_best(path, IMPORTERS)
    assert "fix or remove" not in str(caught.value)


@pytest.mark.parametrize(
    ("member", "counted"),
    [
        ({"notes": "n" * 201}, True),
        ({"notes": "n" * 200}, False),
        ({"notes": [{"a": "n" * 201}]}, True),
    ],
)
@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("format", ["ai-sdk", "openai-chat", "anthropic", "plain"])
def test_a_long_member_that_is_not_read_is_counted_by_its_name(
    tmp_path: Path, format: str, role: str, member: dict[str, object], counted: bool
) -> None:
    messages = [{"role": one, "content": one} for one in ("user", "assistant")]
    messages = [m | member if m["role"] == role else m for m in messages]  # type: ignore[operator]
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"messages": messages}), "utf-8")
    (transcript,) = conversations(importer_named(format, IMPORTERS), path)
    reason = "member 'notes' of a message, not read"
    assert dict(transcript.tally.left_out) == ({reason: 1} if counted else {})


STEPS = 4_000


def chunks() -> list[object]:
    text = {"type": "text", "text": "piece "}
    update = {"sessionUpdate": "agent_message_chunk", "content": text}
    return [{"params": {"update": update}}] * (STEPS * 10)


def without_ids() -> list[object]:
    talk: list[object] = []
    for number in range(STEPS):
        call = json.dumps({"name": "read", "arguments": {"path": f"a{number}"}})
        talk.append({"from": "function_call", "value": call})
        talk.append({"from": "observation", "value": f"row {number}"})
    return [{"conversations": [{"from": "human", "value": "go"}, *talk]}]


def with_one_id() -> list[object]:
    talk: list[object] = [{"role": "user", "content": "go"}]
    for number in range(STEPS):
        part = {"toolCallId": "same", "toolName": "read"}
        talk.append({"role": "assistant", "content": [{"type": "tool-call", **part, "input": {}}]})
        output = {"type": "text", "value": f"row {number}"}
        talk.append(
            {"role": "tool", "content": [{"type": "tool-result", **part, "output": output}]}
        )
    return [talk]


@pytest.mark.parametrize(
    ("name", "records"), [("acp", chunks()), ("sharegpt", without_ids()), ("ai-sdk", with_one_id())]
)
def test_long_conversations_take_time_in_proportion(
    tmp_path: Path, name: str, records: list[object]
) -> None:
    """Work that grew with the square of the length would take minutes."""
    path = tmp_path / "long.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    begun = time.process_time()
    (transcript,) = conversations(importer_named(name, IMPORTERS), path)
    assert time.process_time() - begun < 12
    results = [result.text for m in transcript.messages for result in m.results]
    if name == "acp":
        assert transcript.messages[0].text == "piece " * (STEPS * 10)
    else:
        assert results == [f"row {number}" for number in range(STEPS)]


@pytest.mark.parametrize(("given", "role"), [("assistant", "assistant"), ("user", "user")])
def test_a_chat_message_of_langchain_has_the_role_that_it_names(
    tmp_path: Path, given: str, role: str
) -> None:
    chat = {"type": "chat", "data": {"type": "chat", "role": given, "content": "Noted."}}
    path = tmp_path / "state.json"
    path.write_text(json.dumps({"messages": [chat]}), "utf-8")
    importer, (transcript, *_) = read_by_best(path, IMPORTERS)
    assert importer.name == "langchain"
    assert [(m.role, m.text) for m in transcript.messages] == [(role, "Noted.")]


CALL = {"name": "shell", "arguments": {"command": "ls"}}
VALUE = {"content": [{"type": "text", "text": "a.py"}], "isError": False}
PARTS = {
    "goose": (
        {"type": "toolRequest", "id": "c1", "toolCall": {"status": "success", "value": CALL}},
        {"type": "toolResponse", "id": "c1", "toolResult": {"status": "success", "value": VALUE}},
    ),
    "bedrock": (
        {"toolUse": {"toolUseId": "c1", "name": "shell", "input": {"command": "ls"}}},
        {"toolResult": {"toolUseId": "c1", "content": [{"text": "a.py"}], "status": "success"}},
    ),
    "anthropic without an id": (
        {"type": "tool_use", "id": "c1", "name": "shell", "input": {"command": "ls"}},
        {"type": "tool_result", "content": "a.py"},
    ),
}
"""A call and a result as formats without an importer of their own write them."""


@pytest.mark.parametrize("name", sorted(PARTS))
def test_parts_of_a_format_without_an_importer_are_read_by_their_shape(
    tmp_path: Path, name: str
) -> None:
    call, result = PARTS[name]
    talk = [
        {"role": "user", "content": [{"text": "list it"}]},
        {"role": "assistant", "content": [{"text": "ok"}, call]},
        {"role": "user", "content": [result]},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(talk), "utf-8")
    _, (transcript, *_) = read_by_best(path, IMPORTERS)
    assert [m.role for m in transcript.messages] == ["user", "assistant", "tool"]
    assert transcript.messages[1].calls[0].parsed() == {"command": "ls"}
    assert [r.text for m in transcript.messages for r in m.results] == ["a.py"]


def test_runs_of_two_conversations_are_not_mixed(tmp_path: Path) -> None:
    (path,) = (path for path in FILES if path.name == "langchain.langsmith-runs.jsonl")
    runs = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    other = json.loads(json.dumps(runs).replace("tenant 7", "tenant 8"))
    mixed = tmp_path / "runs.jsonl"
    mixed.write_text(
        "".join(json.dumps(run) + "\n" for pair in zip(runs, other, strict=True) for run in pair),
        "utf-8",
    )
    _, transcripts = read_by_best(mixed, IMPORTERS)
    assert [[m.text for m in t.messages if m.role == "user"] for t in transcripts] == [
        [REQUEST],
        [REQUEST.replace("7", "8")],
    ]
