"""A session as the file that each agent would have kept of it."""

import json

_SYSTEM = ("system", "developer")


def _lines(records):
    return "".join(json.dumps(record) + "\n" for record in records)


def _text(text, type="text"):
    return [{"type": type, "text": text}] if text else []


def _said(messages):
    return [message for message in messages if message.role not in _SYSTEM]


def pi(messages):
    names = {call.id: call.name for message in messages for call in message.calls}
    records = [{"type": "session", "id": "s", "timestamp": "t", "cwd": "/w"}]
    for message in _said(messages):
        calls = [
            {"type": "toolCall", "id": c.id, "name": c.name, "arguments": c.parsed()}
            for c in message.calls
        ]
        bodies = [{"role": message.role, "content": [*_text(message.text), *calls]}]
        if message.results:
            bodies = [
                {
                    "role": "toolResult",
                    "toolCallId": result.call_id,
                    "toolName": names[result.call_id],
                    "content": _text(result.text),
                }
                for result in message.results
            ]
        records += [{"type": "message", "message": body} for body in bodies]
    return _lines(records)


def _anthropic(message):
    uses = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": call.parsed()}
        for call in message.calls
    ]
    results = [
        {"type": "tool_result", "tool_use_id": result.call_id, "content": result.text}
        for result in message.results
    ]
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": [*_text(message.text), *uses, *results]}


def claude_code(messages):
    records, parent = [], None
    for message in _said(messages):
        body = _anthropic(message)
        if body["role"] == "assistant":
            body |= {"id": f"msg_{message.id}", "type": "message"}
        record = {"type": body["role"], "uuid": message.id, "parentUuid": parent, "message": body}
        more = {"isSidechain": False, "timestamp": "2026-01-01T00:00:00Z", "version": "2.0.1"}
        records.append({**record, **more, "sessionId": "s", "cwd": "/w"})
        parent = message.id
    return _lines(records)


def codex(messages):
    meta = {"id": "s", "timestamp": "t", "cwd": "/w", "originator": "codex_cli_rs"}
    records = [{"timestamp": "t", "type": "session_meta", "payload": meta}]

    def add(**payload):
        records.append({"timestamp": "t", "type": "response_item", "payload": payload})

    for message in _said(messages):
        if message.text:
            kind = "output_text" if message.role == "assistant" else "input_text"
            add(type="message", role=message.role, content=_text(message.text, kind))
        for call in message.calls:
            add(type="function_call", name=call.name, arguments=call.arguments, call_id=call.id)
        for result in message.results:
            add(type="function_call_output", call_id=result.call_id, output=result.text)
    return _lines(records)


def _chat_call(call):
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def openhands(messages):
    events, calls = [], {}

    def event(**more):
        events.append({"id": len(events), "timestamp": "2026-01-01T00:00:00", **more})

    for message in _said(messages):
        if message.role == "user":
            event(source="user", action="message", message="", args={"content": message.text})
        elif message.role == "assistant" and not message.calls:
            args = {"content": message.text}
            event(source="agent", action="message", message="", args=args)
        for place, call in enumerate(message.calls):
            meta = {"tool_call_id": call.id, "function_name": "execute_bash"}
            meta["total_calls_in_response"] = len(message.calls)
            args = {"command": _command(call), "thought": "" if place else message.text}
            calls[call.id] = meta, args["command"], len(events)
            event(source="agent", action="run", message="", args=args, tool_call_metadata=meta)
        for result in message.results:
            meta, command, cause = calls[result.call_id]
            extras = {"command": command, "metadata": {"exit_code": 0}}
            more = {"content": result.text, "cause": cause, "extras": extras}
            more |= {"observation": "run", "tool_call_metadata": meta}
            event(source="agent", message="", **more)
    return json.dumps(events)


def _command(call):
    """What the call does as a line for the shell."""
    given = call.parsed()
    path = given.get("path") or given.get("file_path") or "."
    written = given.get("content") or given.get("newText") or given.get("new_string")
    if written:
        return f"cat > {path} <<'END'\n{written}\nEND"
    return given.get("command") or f"cat {path}"


def swe_agent(messages):
    history = [{"role": "system", "content": "You are careful.", "agent": "main"}]
    history[0]["message_type"] = "system_prompt"
    for message in _said(messages):
        body = {"role": message.role, "content": message.text, "agent": "main"}
        if message.calls:
            action = "\n".join(map(_command, message.calls))
            body |= {"tool_calls": [*map(_chat_call, message.calls)], "thought": message.text}
            body |= {"message_type": "action", "action": action}
        elif message.role == "user":
            body["message_type"] = "observation"
        for result in message.results:
            seen = {"message_type": "observation", "tool_call_ids": [result.call_id]}
            history.append({**body, **seen, "content": result.text})
        if not message.results:
            history.append(body)
    info = {"exit_status": "submitted", "model_stats": {}}
    return json.dumps({"environment": "e", "trajectory": [], "history": history, "info": info})


def cline(messages):
    head = {"version": 1, "sessionId": "1", "agent": "lead", "updated_at": "t"}
    bodies = [
        {"id": message.id, "ts": place, **_anthropic(message)}
        for place, message in enumerate(_said(messages))
    ]
    return json.dumps({**head, "messages": bodies, "system_prompt": "You are careful."})


def gemini_cli(messages):
    results = {result.call_id: result.text for one in messages for result in one.results}
    bodies = []
    for message in _said(messages):
        head = {"id": message.id, "timestamp": "t", "content": message.text}
        if message.role == "user":
            bodies.append({**head, "type": "user"})
        elif message.role == "assistant":
            calls = [_gemini_call(call, results.get(call.id, "")) for call in message.calls]
            more = {"thoughts": [], "toolCalls": calls, "model": "gemini-2.5-pro"}
            bodies.append({**head, "type": "gemini", **more})
    head = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"}
    return json.dumps({**head, "messages": bodies})


def _gemini_call(call, output):
    answer = {"id": call.id, "name": call.name, "response": {"output": output}}
    head = {"id": call.id, "name": call.name, "args": call.parsed(), "status": "success"}
    return {**head, "result": [{"functionResponse": answer}]}


def openai_chat(messages):
    bodies = [{"role": "system", "content": "You are careful."}]
    for message in _said(messages):
        for result in message.results:
            answer = {"role": "tool", "tool_call_id": result.call_id, "content": result.text}
            bodies.append(answer)
        if not message.results:
            calls = {"tool_calls": [*map(_chat_call, message.calls)]} if message.calls else {}
            bodies.append({"role": message.role, "content": message.text, **calls})
    return json.dumps({"model": "m", "messages": bodies})


def plain(messages):
    turns = []
    for message in _said(messages):
        shown = [message.text, *map(_command, message.calls)]
        shown += [result.text for result in message.results]
        role = "user" if message.role == "user" else "assistant"
        text = "\n".join(filter(None, shown))
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += f"\n{text}"
        else:
            turns.append({"role": role, "content": text})
    return json.dumps(turns)


WRITERS = {
    "pi": pi,
    "claude-code": claude_code,
    "codex": codex,
    "openhands": openhands,
    "cline": cline,
    "gemini-cli": gemini_cli,
    "swe-agent": swe_agent,
    "openai-chat": openai_chat,
    "plain": plain,
}
"""By the name of the importer that reads what it writes."""
