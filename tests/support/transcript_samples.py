"""One small session in every transcript format that can be imported, and as a case."""

import json

from support.builders import case_data
from support.imports import at_length

from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import conversations, importer_for, load_importers

TURNS = [
    "The upload handler must answer within 2.5 seconds on every machine we have.",
    "thread limit 4\nqueue limit 64\nretry delay 1.5",
    "Please move the retry loop into its own module and keep the old name.",
    "Now run the checks again and tell me what still fails.",
    "go on with the next part",
    "go on with the part after that",
]
STEPS = [
    ("write_file", {"path": "src/upload.py", "content": "limit = 4\nqueue_size = 64\n"}, "written"),
    (
        "bash",
        {"command": "pytest -q"},
        "FAILED tests/test_up.py::test_limit\n1 failed, 3 passed in 1s",
    ),
    ("bash", {"command": "git mv src/retry.py src/again.py"}, ""),
    ("bash", {"command": "pytest -q tests"}, "ValueError: port 6390 is taken\n4 passed in 0.2s"),
    ("read_file", {"path": "docs/limits.md"}, "The limit of 64 stands."),
    ("read_file", {"path": "docs/other.md"}, "Nothing new."),
]
SAID = [
    "I use a bounded queue instead of a thread for each upload.",
    "The root cause was that the pool never released its workers.",
    "The old name stays because two services import it.",
    "One test failed before and all of them pass now.",
    at_length("Read it.", 400),
    at_length("Read that too.", 400),
]
ROUNDS = list(zip(TURNS, STEPS, SAID, strict=True))


def _lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def pi():
    records = [{"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}]
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        call = {"type": "toolCall", "id": f"c{n}", "name": name, "arguments": arguments}
        result = {"role": "toolResult", "toolCallId": f"c{n}", "content": _text(output)}
        messages = (
            {"role": "user", "content": turn},
            {"role": "assistant", "content": [*_text(said), call]},
            result,
        )
        records += [{"type": "message", "message": message} for message in messages]
    return _lines(records)


def _text(text):
    return [{"type": "text", "text": text}]


def anthropic_messages():
    messages = []
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        use = {"type": "tool_use", "id": f"t{n}", "name": name, "input": arguments}
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": output}
        messages += [
            {"role": "user", "content": turn},
            {"role": "assistant", "content": [*_text(said), use]},
            {"role": "user", "content": [result]},
        ]
    return messages


def anthropic():
    body = {"model": "m", "system": "You are careful.", "messages": anthropic_messages()}
    return json.dumps({"anthropic_version": "2023-06-01", "max_tokens": 9, **body})


def claude_code():
    records, parent = [], None
    for n, message in enumerate(anthropic_messages()):
        role = message["role"]
        inner = {"id": f"msg_{n}", "type": "message", **message} if role == "assistant" else message
        records.append(
            {
                "type": role,
                "uuid": f"u{n}",
                "parentUuid": parent,
                "sessionId": "s",
                "isSidechain": False,
                "timestamp": f"2026-01-01T00:00:{n:02d}Z",
                "version": "2.0.1",
                "cwd": "/w",
                "message": inner,
            }
        )
        parent = f"u{n}"
        if n == 8:
            boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b"}
            boundary |= {"logicalParentUuid": parent, "parentUuid": None, "sessionId": "s"}
            boundary |= {"compactMetadata": {"trigger": "auto", "preTokens": 90000}}
            summary = {"role": "user", "content": "The limit is 4, the queue holds 64."}
            said = {"type": "user", "uuid": "k", "parentUuid": "b", "isCompactSummary": True}
            records += [boundary, {**said, "sessionId": "s", "message": summary}]
            parent = "k"
    return _lines(records)


def codex():
    payload = {"id": "s", "timestamp": "t", "cwd": "/w", "originator": "codex_cli_rs"}
    records = [{"timestamp": "t", "type": "session_meta", "payload": payload}]

    def item(**payload):
        records.append({"timestamp": "t", "type": "response_item", "payload": payload})

    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        item(type="message", role="user", content=[{"type": "input_text", "text": turn}])
        item(type="message", role="assistant", content=[{"type": "output_text", "text": said}])
        call = {"name": name, "arguments": json.dumps(arguments), "call_id": f"c{n}"}
        item(type="function_call", **call)
        item(type="function_call_output", call_id=f"c{n}", output=output)
        if n == 3:
            compacted = {"message": "The limit is 4.", "replacement_history": []}
            records.append({"timestamp": "t", "type": "compacted", "payload": compacted})
    return _lines(records)


def chat_messages():
    messages = [{"role": "system", "content": "You are careful."}]
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        function = {"name": name, "arguments": json.dumps(arguments)}
        call = {"id": f"c{n}", "type": "function", "function": function}
        messages += [
            {"role": "user", "content": turn},
            {"role": "assistant", "content": said, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": output},
        ]
    return messages


def openai_chat():
    return json.dumps({"model": "m", "messages": chat_messages()})


def openai_responses():
    items = []
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        text = [{"type": "output_text", "text": said}]
        call = {"type": "function_call", "name": name, "call_id": f"c{n}", "id": f"f{n}"}
        items += [
            {"role": "user", "content": [{"type": "input_text", "text": turn}]},
            {"type": "message", "role": "assistant", "content": text},
            {**call, "arguments": json.dumps(arguments)},
            {"type": "function_call_output", "call_id": f"c{n}", "output": output},
        ]
    return json.dumps({"model": "m", "input": items})


def plain():
    messages = []
    for turn, (name, arguments, output), said in ROUNDS:
        messages.append({"role": "user", "content": turn})
        shown = f"{said}\n{name}: {json.dumps(arguments)}\n{output}"
        messages.append({"role": "assistant", "content": shown})
    return json.dumps(messages)


def openhands():
    events = []

    def event(**more):
        events.append({"id": len(events), "timestamp": "2026-01-01T00:00:00", **more})

    for n, (turn, (_, arguments, output), said) in enumerate(ROUNDS):
        event(source="user", action="message", message=turn, args={"content": turn})
        meta = {
            "tool_call_id": f"c{n}",
            "function_name": "execute_bash",
            "total_calls_in_response": 1,
        }
        command = arguments.get("command") or f"cat {arguments['path']}"
        args = {"command": command, "thought": said}
        event(source="agent", action="run", message="", args=args, tool_call_metadata=meta)
        more = {"observation": "run", "content": output, "cause": len(events) - 1}
        extras = {"command": command, "metadata": {"exit_code": 0}}
        event(source="agent", message="", extras=extras, tool_call_metadata=meta, **more)
    return json.dumps(events)


def swe_agent():
    history = [{"role": "system", "content": "You are careful.", "agent": "main"}]
    history[0]["message_type"] = "system_prompt"
    trajectory = []
    for n, (turn, (_, arguments, output), said) in enumerate(ROUNDS):
        command = arguments.get("command") or f"cat {arguments['path']}"
        function = {"name": "bash", "arguments": json.dumps({"command": command})}
        call = {"id": f"c{n}", "type": "function", "function": function}
        acted = {"message_type": "action", "thought": said, "action": command, "agent": "main"}
        seen = {"message_type": "observation", "agent": "main", "tool_call_ids": [f"c{n}"]}
        history += [
            {"role": "user", "content": turn, "message_type": "observation", "agent": "main"},
            {"role": "assistant", "content": said, "tool_calls": [call], **acted},
            {"role": "tool", "content": output, **seen},
        ]
        trajectory.append({"action": command, "observation": output, "thought": said})
    info = {"exit_status": "submitted", "model_stats": {}}
    return json.dumps(
        {"environment": "e", "trajectory": trajectory, "history": history, "info": info}
    )


def cline():
    messages = []
    for n, message in enumerate(anthropic_messages()):
        content = message["content"]
        blocks = _text(content) if isinstance(content, str) else content
        messages.append({"id": f"x{n}", "ts": n, "role": message["role"], "content": blocks})
    head = {"version": 1, "sessionId": "1", "agent": "lead", "updated_at": "t"}
    return json.dumps({**head, "messages": messages, "system_prompt": "You are careful."})


def aider():
    parts = ["\n# aider chat started at 2026-01-01 00:00:00\n\n> Aider v0.86.1  \n\n"]
    for turn, (_, arguments, output), said in ROUNDS:
        path = arguments.get("path", "src/upload.py")
        parts.append("".join(f"#### {line}  \n" for line in turn.split("\n")))
        parts.append(f"\n{said}\n\n{path}\n```\n<<<<<<< SEARCH\nlimit = 2\n=======\nlimit = 4\n")
        parts.append(">>>>>>> REPLACE\n```\n\n")
        parts.append(f"> Tokens: 2.1k sent, 100 received.  \n> Applied edit to {path}  \n")
        parts.append("".join(f"> {line}  \n" for line in output.split("\n")) + "\n")
    return "".join(parts)


def gemini_cli():
    messages = []
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        answered = {
            "functionResponse": {"id": f"c{n}", "name": name, "response": {"output": output}}
        }
        call = {"id": f"c{n}", "name": name, "args": arguments, "status": "success"}
        messages += [
            {"id": f"u{n}", "timestamp": "t", "type": "user", "content": turn},
            {
                "id": f"g{n}",
                "timestamp": "t",
                "type": "gemini",
                "content": said,
                "thoughts": [],
                "toolCalls": [{**call, "result": [answered]}],
                "model": "gemini-2.5-pro",
            },
        ]
    head = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"}
    return json.dumps({**head, "messages": messages})


def inspect_ai():
    messages = []
    for n, (turn, (name, arguments, output), said) in enumerate(ROUNDS):
        call = {"id": f"c{n}", "function": name, "arguments": arguments, "type": "function"}
        messages += [
            {"id": f"i{n}", "role": "user", "content": turn, "source": "input"},
            {"id": f"a{n}", "role": "assistant", "content": said, "tool_calls": [call]},
            {"id": f"t{n}", "role": "tool", "content": output, "tool_call_id": f"c{n}"},
        ]
    sample = {"id": 1, "epoch": 1, "input": TURNS[0], "target": "", "messages": messages}
    spec = {"task": "t", "task_id": "t", "run_id": "r", "model": "m", "created": "t", "dataset": {}}
    plan = {"name": "plan", "steps": []}
    return json.dumps(
        {"version": 2, "status": "success", "eval": spec, "plan": plan, "samples": [sample]}
    )


def mini_swe_agent():
    messages = [{"role": "system", "content": "Write one command in a fence."}]
    for turn, (_, arguments, output), said in ROUNDS:
        command = f"cat {arguments.get('path', 'src/upload.py')}"
        messages += [
            {"role": "user", "content": turn},
            {"role": "assistant", "content": f"{said}\n\n```bash\n{command}\n```"},
            {
                "role": "user",
                "content": f"<returncode>0</returncode>\n<output>\n{output}\n</output>",
            },
        ]
    return json.dumps({"info": {}, "messages": messages, "trajectory_format": "mini-swe-agent-1"})


def case():
    return json.dumps(case_data())


SAMPLES = {
    "pi": pi,
    "claude-code": claude_code,
    "codex": codex,
    "openai-chat": openai_chat,
    "openai-responses": openai_responses,
    "anthropic": anthropic,
    "plain": plain,
    "openhands": openhands,
    "swe-agent": swe_agent,
    "mini-swe-agent": mini_swe_agent,
    "cline": cline,
    "aider": aider,
    "gemini-cli": gemini_cli,
    "inspect": inspect_ai,
}
"""By the name of the importer that is to read it."""


def write_log(folder, *values, lines=False):
    """Write a file with one JSON document, or with a value per line."""
    path = folder / "log.json"
    if lines:
        path.write_text("".join(json.dumps(value) + "\n" for value in values), "utf-8")
    else:
        path.write_text(json.dumps(values[0], indent=1), "utf-8")
    return path


def imported_as(name, path):
    """The conversations of a file; the importer of this name must recognise it."""
    importer = importer_for(path, load_importers().importers)
    assert importer.name == name
    found = list(conversations(importer, path))
    for transcript in found:
        assert structure_faults(transcript.messages) == []
    return found
