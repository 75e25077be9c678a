"""What an importer cannot read is refused with a sentence that names the file and what is wrong."""

import json

import pytest
from support.claude_code_lines import START, said

from pytest_compaction.importers import ImportFormatError, conversations, load_importers

HEADERS = {
    "claude-code": START,
    "codex": {"timestamp": "t", "type": "session_meta", "payload": {"id": "s", "cwd": "/w"}},
    "gemini-cli": {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"},
    "inspect": {"version": 2, "status": "success", "eval": {"task": "t", "model": "some/model"}},
    "pi": {"type": "session", "id": "s", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/work"},
}
CUT, DEEP, LONG = '{"messages": [', "[" * 200_000, '{"n": ' + "9" * 5000 + "}"


def below_header(name, line=""):
    """The header of a session, and a line below it."""
    return f"{json.dumps(HEADERS[name])}\n{line if isinstance(line, str) else json.dumps(line)}\n"


def codex(type, **fields):
    return below_header("codex", {"type": "response_item", "payload": {"type": type, **fields}})


def claude_code(type, content):
    return below_header("claude-code", said(type, "a", None, content))


def pi(line):
    return below_header("pi", line)


def pi_message(**message):
    return pi({"type": "message", "message": message})


def with_content(role, content, key="messages"):
    return {key: [{"role": role, "content": content}]}


REFUSED = {
    "aider": [
        (
            "\n# aider chat started at 2025-01-02 03:04:05\n\n#### go  \n",
            "no answer in an aider chat",
        ),
        (
            b"\n# aider chat started at 2025-01-02 03:04:05\n\n#### \xff  \n",
            "line 4: byte 5 is not UTF-8",
        ),
    ],
    "anthropic": [
        ({"messages": [7]}, "message 0", "is int"),
        (with_content("user", 7), "content is int"),
        (with_content("assistant", [{"type": "tool_use"}]), "without id"),
        (with_content("critic", "x"), "no message"),
        ({"other": 1}, "no conversation of anthropic was recognised"),
    ],
    "claude-code": [
        (
            below_header("claude-code", {"type": "user", "uuid": "u", "parentUuid": None}),
            "line 2",
            "without a message",
        ),
        (claude_code("user", 7), "line 2", "content is int"),
        (claude_code("assistant", [{"type": "tool_use"}]), "line 2", "without id"),
        (claude_code("user", [{"type": "tool_result"}]), "line 2", "tool_use_id"),
        ('{"type": "summary", "leafUuid": "x"}\n', "no Claude Code message among 1 lines"),
    ],
    "cline": [
        ({"session_id": "s", "messages_path": "/x"}, "the header of a Cline session"),
        (
            {"source_message_count": 2, "messages": [{"id": "a", "role": "user", "content": []}]},
            "result of a Cline compaction",
        ),
        ({"sessionId": "s", "agent": "a", "messages": []}, "session without a message"),
        ({"sessionId": "s", "agent": "a", "messages": [{"role": "x"}]}, "message 0: expected"),
        ([{"role": "user", "content": "<task>x</task>"}, 7], "message 1: expected"),
    ],
    "codex": [
        (below_header("codex", {"type": "response_item"}), "line 2", "without a payload"),
        (codex("function_call", name="x"), "line 2", "function_call without call_id"),
        (codex("function_call_output", output="x"), "line 2", "without call_id"),
        (codex("message", role="user", content=7), "line 2", "content is int"),
        (below_header("codex"), "no Codex item among 1 lines"),
    ],
    "gemini-cli": [
        (below_header("gemini-cli"), "a Gemini CLI chat without a message"),
        ({"a": 1}, "no message of Gemini CLI"),
        ([{"role": "model", "parts": []}, 7], "content 1: int"),
        (below_header("gemini-cli", '{"id": "u1", "type"'), "without a message; left out: 1 × "),
    ],
    "inspect": [
        (HEADERS["inspect"], "an Inspect log without a sample"),
        (
            {**HEADERS["inspect"], "samples": [{"id": 1, "messages": []}]},
            "sample 0: a sample without",
        ),
        (
            {**HEADERS["inspect"], "samples": [{"id": 1, "messages": [7]}]},
            "int instead of a message",
        ),
    ],
    "mini-swe-agent": [
        ({"messages": []}, "no conversation of mini-swe-agent"),
        ({"messages": [7]}, "int instead of a message"),
        (with_content("user", ""), "no message in the conversation"),
        (CUT, "not valid JSON"),
    ],
    "openai-chat": [
        ({"messages": [7]}, "int instead of a message"),
        (with_content("user", 7), "unknown message part"),
        ({"messages": [{"role": "assistant", "tool_calls": 7}]}, "unknown tool call"),
        ({"messages": []}, "no conversation of openai-chat"),
        (CUT, "not valid JSON", "column 15"),
        ('{"messages":\n[1,\n', "not valid JSON", "at line 3"),
        ('{"messages": [{"role": "user"}]}\n{"messages": [\n', "part of a line that was"),
        ('{"a": ' + DEEP, "nested too deeply"),
    ],
    "openai-responses": [
        ({"model": "m", "input": [7]}, "item 0", "is int"),
        ({"input": [{"type": "function_call"}]}, "item 0", "without call_id"),
        (with_content("user", 7, "input"), "content is int"),
        ({"input": [{"type": "levitation"}]}, "no message in the conversation"),
        ({"other": 1}, "no conversation of openai-responses"),
    ],
    "openhands": [
        ({"a": 1}, "no OpenHands event was recognised"),
        ([{"kind": "PauseEvent", "id": "1", "source": "user"}], "no message among 1 events"),
        (
            {"instance_id": "i", "metadata": {"agent_class": "A"}, "history": []},
            "an OpenHands instance without events",
        ),
        ('{"history": [', "not valid JSON"),
    ],
    "pi": [
        (pi({"type": "message"}), "line 2: a record of type 'message' without a message object"),
        (pi_message(role="user", content=5), "line 2: content is int"),
        (pi_message(role="toolResult"), "toolResult without toolCallId"),
        (pi('{"type": "message", "mess'), "left out: 1 × session header, 1 × part of a line"),
        (pi([1, 2]), "left out: 1 × "),
        (pi(DEEP), "left out: 1 × "),
        (pi(LONG), "left out: 1 × "),
        (below_header("pi"), "without a message"),
        ('{"a": 1}\n{"b": 2}\n', "no pi record among 2 lines"),
    ],
    "plain": [({"history": [{"speaker": "a"}]}, "no conversation of plain was recognised")],
    "swe-agent": [
        ({"trajectory": []}, "no conversation of swe-agent"),
        ({"history": [7]}, "int instead of a message"),
        (with_content("user", "", "history"), "no message in the conversation"),
        ('{"history": [', "not valid JSON"),
    ],
}


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [(name, content, words) for name, rows in REFUSED.items() for content, *words in rows],
)
def test_a_file_that_cannot_be_read_is_named_with_what_is_wrong(tmp_path, name, content, words):
    path = tmp_path / "log.json"
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ImportFormatError) as caught:
        list(conversations(load_importers().importers[name], path))
    for word in (str(path), *words):
        assert word in str(caught.value)
