"""``pytest-compaction production`` over formats that record compactions: one read is repeated.

The sessions hold all that their programs record of a compaction.
"""

import json
from pathlib import Path

import pytest
from support.claude_code_lines import answer, compacted, said, use
from support.pages import DOCS

from pytest_compaction import cli
from pytest_compaction.importers import conversations, load_importers

BEFORE, AFTER = ("a", "b", "c"), ("a", "d")
"""Files that are read before the compaction and after it."""


def time(seconds):
    return f"2026-11-30T12:00:{seconds:02}Z"


def text(words):
    return [{"type": "text", "text": words}]


def claude_code_session():
    yield said("user", "u", None, "fix it", sessionId="s")
    parent = "u"
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            told = {"trigger": "manual", "preTokens": 900, "durationMs": 2_000}
            yield from compacted(1, parent, "We read.", **told)
            yield said("user", "y", "z1", "/compact keep the names")
        id = f"c{number}"
        call = said("assistant", f"a{number}", parent, [use(id, file_path=file)])
        call["message"]["usage"] = {"input_tokens": 400 - number}
        yield call
        parent = f"r{number}"
        yield said("user", parent, f"a{number}", [answer(id, f"text of {file}")])


def codex_session():
    def line(type, /, at=0, **payload):
        return {"timestamp": time(at), "type": type, "payload": payload}

    def tokens(total):
        info = {"last_token_usage": {"total_tokens": total}}
        return line("event_msg", type="token_count", info=info)

    asked = [{"type": "input_text", "text": "fix it"}]
    yield line("session_meta", id="s", cwd="/w")
    yield line("event_msg", type="task_started")
    yield line("response_item", type="message", role="user", content=asked)
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            yield line("event_msg", type="task_complete")
            yield line("event_msg", 10, type="task_started")
            yield tokens(900)
            yield line("compacted", 12, message="We read.")
            yield tokens(300)
            yield line("event_msg", 12, type="task_complete")
            yield line("event_msg", 13, type="task_started")
        call = {"name": "exec_command", "arguments": json.dumps({"cmd": f"sed -n 1,80p {file}.py"})}
        output = f"Chunk ID: {number}\nWall time: 0.{number} seconds\nOutput:\ntext of {file}"
        yield line("response_item", type="function_call", call_id=f"c{number}", **call)
        yield line(
            "response_item", type="function_call_output", call_id=f"c{number}", output=output
        )


def pi_session():
    def message(role, content, **more):
        return {"type": "message", "message": {"role": role, "content": content, **more}}

    yield {"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}
    yield message("user", "fix it")
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            made = {"summary": "We read.", "firstKeptEntryIndex": 6, "tokensBefore": 900}
            yield {"type": "compaction", **made}
        call = {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": file}}
        yield message("assistant", [call], usage={"input": 300})
        yield message("toolResult", text(f"text of {file}"), toolCallId=f"c{number}")


def openhands_session():
    events = []

    def event(**more):
        events.append({"id": len(events), "timestamp": time(len(events)), **more})

    event(source="user", action="message", args={"content": "fix it"})
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            event(source="agent", action="condensation_request", args={})
            event(source="agent", action="condensation", args={"summary": "We read."})
        meta = {"tool_call_id": f"c{number}", "function_name": "execute_bash"}
        meta["model_response"] = {"usage": {"prompt_tokens": 400 - number}}
        command = {"command": f"cat {file}.py"}
        event(source="agent", action="run", args=command, tool_call_metadata=meta)
        seen = {"observation": "run", "content": f"text of {file}", "cause": len(events) - 1}
        event(source="agent", extras=command, tool_call_metadata=meta, **seen)
    return events


def gemini_session():
    yield {"sessionId": "s", "projectHash": "p", "startTime": "t"}
    yield {"id": "u", "type": "user", "content": "fix it"}
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            snapshot = "<state_snapshot>We read.</state_snapshot>"
            yield {"$set": {"messages": [{"id": "z", "type": "user", "content": snapshot}]}}
        answer = {
            "id": f"c{number}",
            "name": "read_file",
            "response": {"output": f"text of {file}"},
        }
        call = {"id": f"c{number}", "name": "read_file", "args": {"absolute_path": f"/r/{file}"}}
        called = {**call, "status": "success", "result": [{"functionResponse": answer}]}
        yield {"id": f"g{number}", "type": "gemini", "content": "", "toolCalls": [called]} | {
            "tokens": {"input": 400 - number}
        }


def cline_session():
    def message(number, role, block):
        return {"id": f"m{number}", "role": role, "content": [block]}

    messages = [message("u", "user", *text("fix it"))]
    for number, file in enumerate((*BEFORE, *AFTER)):
        id, given = f"c{number}", {"files": [{"path": f"/r/{file}"}]}
        call = {"type": "tool_use", "id": id, "name": "read_files", "input": given}
        result = {"type": "tool_result", "tool_use_id": id, "content": f"text of {file}"}
        messages.append(
            message(2 * number, "assistant", call) | {"metrics": {"inputTokens": 400 - number}}
        )
        messages.append(message(2 * number + 1, "user", result))
    return {"version": 1, "sessionId": "1", "agent": "lead", "messages": messages}


def copilot_session():
    def event(type, /, at=0, **data):
        return {"type": type, "timestamp": time(at), "data": data}

    yield event("session.start", sessionId="s", copilotVersion="1.0.0")
    yield event("session.model_change", newModel="gpt-5")
    yield event("user.message", content="fix it")
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            yield event("session.compaction_start", 10)
            made = {"preCompactionTokens": 900, "postCompactionTokens": 300, "success": True}
            used = {"input": 1000, "cachedInput": 200, "output": 100}
            made |= {"summaryContent": "We read.", "compactionTokensUsed": used}
            yield event("session.compaction_complete", 12, **made)
        call = {"toolCallId": f"c{number}", "name": "view", "arguments": {"path": f"/r/{file}"}}
        yield event("assistant.message", content="", toolRequests=[{**call, "type": "function"}])
        result = {"content": f"text of {file}"}
        yield event("tool.execution_complete", toolCallId=f"c{number}", success=True, result=result)


def opencode_session():
    def message(role, *parts, **info):
        return {"info": {"id": f"m{len(messages)}", "role": role, **info}, "parts": parts}

    messages = []
    messages.append(message("user", *text("fix it")))
    for number, file in enumerate((*BEFORE, *AFTER)):
        if number == len(BEFORE):
            messages.append(message("user", {"type": "compaction", "auto": True}))
            times = {"created": 1_790_000_000_000, "completed": 1_790_000_002_000}
            made = {"summary": True, "cost": 0.25, "time": times}
            messages.append(message("assistant", *text("We read."), **made))
        state = {"input": {"filePath": f"/r/{file}"}, "status": "completed"}
        state["output"] = f"text of {file}"
        call = {"type": "tool", "callID": f"c{number}", "tool": "read", "state": state}
        messages.append(message("assistant", call))
    return {"info": {"id": "s"}, "messages": messages}


SESSIONS = {
    "claude-code": claude_code_session,
    "codex": codex_session,
    "pi": pi_session,
    "openhands": openhands_session,
    "gemini-cli": gemini_session,
    "cline": cline_session,
    "copilot-cli": copilot_session,
    "opencode": opencode_session,
}


def write(path, data):
    """Write a session as JSON, or as lines if it is made line by line."""
    records = [data] if isinstance(data, dict | list) else data
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    if isinstance(data, dict) and "agent" in data:  # what Cline made of it stands beside it
        made = {"role": "user", "content": text("We read.")}
        made["metadata"] = {"reason": "auto_compaction"}
        record = {"sessionId": "1", "source_message_count": 1 + 2 * len(BEFORE), "messages": [made]}
        write(path.with_name("1.compaction.json"), record)


TOLD = {"copilot-cli": ("unknown", 2.0, 0.002025), "opencode": ("auto", 2.0, 0.25)}
"""Trigger, seconds and US dollars, which are stated or those of the tokens."""


def measured(name):
    """The period and the only session that the command finds in a file of this folder."""
    assert cli.main(["production", name, "--json=out.json"]) == 0
    (period,) = json.loads(Path("out.json").read_text("utf-8"))["periods"]
    (session,) = period["sessions"]
    return period, session


COLUMNS = {
    "trigger": lambda made: made["trigger"] != "unknown",
    "tokens before": lambda made: not made["tokens_before"]["counted_here"],
    "tokens after": lambda made: not made["tokens_after"]["counted_here"],
    "seconds": lambda made: made["seconds"] is not None,
    "dollars": lambda made: made["usd"] is not None,
    "instruction": lambda made: made["instruction_followed"] is not None,
}


@pytest.mark.parametrize("name", SESSIONS)
def test_the_repeated_read_is_found_and_the_page_says_what_a_format_records(
    tmp_path, monkeypatch, capsys, name
):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "1.messages.json", SESSIONS[name]())
    period, session = measured("1.messages.json")
    assert session["format"] == name
    (compaction,) = session["compactions"]
    assert compaction["calls_before"] == len(BEFORE)
    after = compaction["fetched_again"]["10"]["after"]
    assert (after["calls"], after["again"]) == (len(AFTER), 1)
    assert compaction["tokens_after"]["tokens"] > 0
    assert ("US dollars" in capsys.readouterr().out) is (name in TOLD)
    if name in TOLD:
        found = tuple(compaction[key] for key in ("trigger", "seconds", "usd"))
        assert found[:2] == TOLD[name][:2]
        assert found[2] == pytest.approx(TOLD[name][2])
        assert period["figures"]["recorded_usd"]["after"] == pytest.approx(TOLD[name][2])
    page = (DOCS / "production-reference.md").read_text("utf-8")
    head, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.partition("## What each format records")[2].splitlines()
        if line.startswith("|") and "---" not in line
    ][: len(SESSIONS) + 1]
    assert head == ["format", *COLUMNS]
    (told,) = [cells for format, *cells in rows if format == name]
    known = {column: is_known(compaction) for column, is_known in COLUMNS.items()}
    assert known == {c: cell != "not recorded" for c, cell in zip(COLUMNS, told, strict=True)}


@pytest.mark.parametrize("cost", [0, -1, True, "1", None, 10**400, [1]])
def test_dollars_that_are_none_are_not_taken(tmp_path, monkeypatch, cost):
    monkeypatch.chdir(tmp_path)
    session = opencode_session()
    info = next(m["info"] for m in session["messages"] if m["info"].get("summary"))
    info |= {"cost": cost, "time": {"created": cost, "completed": 10**400}}
    write(tmp_path / "s.json", session)
    (compaction,) = measured("s.json")[1]["compactions"]
    assert (compaction["usd"], compaction["seconds"]) == (None, None)


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        (["start"], ["end"], ("manual", 2.0)),
        (["start"], ["user", "answer"], ("auto", None)),
        (["start", "user", "call"], ["end"], ("auto", None)),
        (["start"], [], ("", None)),
        ([], ["answer", "end"], ("", None)),
    ],
)
def test_a_codex_compaction_alone_in_its_turn_was_asked_for(tmp_path, before, after, told):
    said = {"type": "message", "content": text("go on")}
    lines_of = {
        "start": ("event_msg", {"type": "task_started"}),
        "end": ("event_msg", {"type": "task_complete"}),
        "user": ("response_item", {**said, "role": "user"}),
        "answer": ("response_item", {**said, "role": "assistant"}),
        "call": ("response_item", {"type": "function_call", "call_id": "c", "name": "ls"}),
        "compact": ("compacted", {"message": "We read."}),
    }
    path = tmp_path / "rollout.jsonl"
    names = enumerate(["user", "answer", *before, "compact", *after])
    keys = ("timestamp", "type", "payload")
    made = (dict(zip(keys, (time(2 * n), *lines_of[name]), strict=True)) for n, name in names)
    write(path, made)
    (transcript,) = conversations(load_importers().importers["codex"], path)
    (boundary,) = transcript.boundaries
    assert (boundary.trigger, boundary.seconds) == told
