"""What transcripts say of a compaction beside its result, and how many they may have."""

import json

import pytest
from support.imports import write
from support.paths import public_data

from pytest_compaction.importers import conversations, load_importers
from pytest_compaction.importers.protocol import MOST_COMPACTIONS, TOO_MANY


def imported(name, path):
    (transcript,) = conversations(load_importers().importers[name], path)
    return transcript


def codex(type, /, **payload):
    return {"timestamp": "t", "type": type, "payload": payload}


def codex_user(text):
    content = [{"type": "input_text", "text": text}]
    return codex("response_item", type="message", role="user", content=content)


def codex_tokens(total, window):
    info = {"last_token_usage": {"total_tokens": total}, "model_context_window": window}
    return codex("event_msg", type="token_count", info=info)


def test_codex_states_the_window_and_the_tokens_after(tmp_path):
    path = write(
        tmp_path,
        codex("session_meta", id="s", cwd="/w"),
        codex_user("begin"),
        codex_tokens(244_000, 272_000),
        codex("compacted", message="We began."),
        codex_tokens(4_777, 272_000),
        codex_tokens(9_000, 272_000),
        codex_user("go on"),
        codex("compacted", message="We went on."),
    )
    first, second = imported("codex", path).boundaries
    assert (first.tokens_before, first.tokens_after, first.window) == (244_000, 4_777, 272_000)
    assert (second.tokens_before, second.tokens_after) == (9_000, None)


def test_pi_states_the_tokens_of_the_next_request(tmp_path):
    usage = {"input": 10, "output": 500, "cacheRead": 4_000, "cacheWrite": 90}

    def message(role, text, **more):
        content = [{"type": "text", "text": text}]
        return {"type": "message", "message": {"role": role, "content": content, **more}}

    path = write(
        tmp_path,
        {"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"},
        message("user", "begin"),
        {"type": "compaction", "summary": "we began", "firstKeptEntryIndex": 1},
        message("assistant", "Nothing yet.", usage={"input": 0}),
        message("assistant", "Done.", usage=usage),
        message("assistant", "More.", usage={"input": 9_000}),
    )
    (boundary,) = imported("pi", path).boundaries
    assert boundary.tokens_after == 4_100


def test_cline_states_who_compacted(tmp_path):
    for name in ("session.messages.json", "basic.compaction.json"):
        (tmp_path / name).write_bytes(public_data(f"cline/{name}").read_bytes())
    (boundary,) = imported("cline", tmp_path / "session.messages.json").boundaries
    assert boundary.trigger == "manual"


def codex_lines(number):
    yield codex("session_meta", id="s", cwd="/w")
    yield codex_user("begin")
    for _ in range(number):
        yield codex("compacted", message="We began.")


def pi_lines(number):
    yield {"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}
    yield {"type": "message", "message": {"role": "user", "content": "begin"}}
    for _ in range(number):
        yield {"type": "compaction", "summary": "we began", "firstKeptEntryIndex": 1}


def claude_code_lines(number):
    user = {"type": "user", "sessionId": "s", "parentUuid": None}
    yield {**user, "uuid": "u", "message": {"role": "user", "content": "begin"}}
    for each in range(number):
        message = {"role": "user", "content": "we began"}
        yield {**user, "uuid": f"z{each}", "isCompactSummary": True, "message": message}
        yield {
            "type": "system",
            "subtype": "compact_boundary",
            "uuid": f"b{each}",
            "logicalParentUuid": "u",
        }


def gemini_lines(number):
    yield {"sessionId": "s", "projectHash": "h", "startTime": "t"}
    yield {"id": "u", "type": "user", "content": "begin"}
    for _ in range(number):
        yield {"$set": {"messages": [{"id": "z", "type": "user", "content": "we began"}]}}


def openhands_lines(number):
    event = {"timestamp": "t", "source": "user"}
    yield {**event, "id": 0, "action": "message", "args": {"content": "begin"}}
    for each in range(1, number + 1):
        yield {**event, "id": each, "action": "condensation", "args": {"summary": "we began"}}


def anthropic_lines(number):
    begun = {"role": "user", "content": "begin"}
    made = {"role": "assistant", "content": [{"type": "compaction", "content": "we began"}]}
    yield {"model": "m", "messages": [begun, *[made] * number]}


def responses_lines(number):
    made = {"type": "compaction", "summary": "we began"}
    yield {"model": "m", "input": [{"role": "user", "content": "begin"}, *[made] * number]}


MANY = {
    "anthropic": anthropic_lines,
    "openai-responses": responses_lines,
    "codex": codex_lines,
    "pi": pi_lines,
    "claude-code": claude_code_lines,
    "gemini-cli": gemini_lines,
    "openhands": openhands_lines,
}


@pytest.mark.parametrize("name", MANY)
def test_the_compactions_of_a_session_are_bounded(tmp_path, name):
    path = tmp_path / "session.jsonl"
    lines = map(json.dumps, MANY[name](MOST_COMPACTIONS + 7))
    path.write_text("\n".join(lines), "utf-8")
    transcript = imported(name, path)
    assert len(transcript.boundaries) == MOST_COMPACTIONS
    assert transcript.tally.left_out[TOO_MANY] >= 7
