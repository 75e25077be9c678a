"""Strategies with clients of their own, and an endpoint for both forms of requests."""

import json

from support.endpoint_replies import Answer, completion, response

STREAM = {"Content-Type": "text/event-stream"}
SUMMARY = "The retry limit in src/queue.py is 45; next update docs/retries.md."
TOOL = {
    "type": "function",
    "function": {"name": "note", "parameters": {"type": "object", "properties": {}}},
}

STRATEGIES = '''
"""Strategies that ask a model with clients of their own."""

import json
import os
import urllib.request
from pathlib import Path

from openai import AsyncOpenAI, OpenAI

TOOL = json.loads("""TOOL_JSON""")
SEEN = Path(__file__).with_name("seen.jsonl")


def _asked(messages):
    text = "\\\\n".join(str(message.get("content")) for message in messages)
    return [{"role": "user", "content": f"Summarise: {text}"}]


def _kept(messages, summary):
    system = [message for message in messages[:1] if message["role"] == "system"]
    return [*system, {"role": "user", "content": summary}]


def _note(**what):
    what["key"] = os.environ.get("OPENAI_API_KEY", "") + os.environ.get("ANTHROPIC_API_KEY", "")
    what["url"] = os.environ.get("OPENAI_BASE_URL", "")
    with SEEN.open("a") as file:
        file.write(json.dumps(what) + "\\\\n")


def plain(messages, budget):
    """Asks OpenAI's client."""
    reply = OpenAI().chat.completions.create(model="gpt-4o-mini", messages=_asked(messages))
    _note(said=reply.choices[0].message.content, usage=reply.usage.total_tokens)
    return _kept(messages, reply.choices[0].message.content)


async def streamed(messages, budget):
    """Asks OpenAI's async client for a stream with a call of a tool in it."""
    stream = await AsyncOpenAI().chat.completions.create(
        model="gpt-4o-mini", messages=_asked(messages), tools=[TOOL], stream=True
    )
    text, arguments, usages = "", "", 0
    async for chunk in stream:
        usages += chunk.usage is not None
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for call in choice.delta.tool_calls or ():
                arguments += call.function.arguments or ""
    _note(said=text, arguments=arguments, usages=usages)
    return _kept(messages, text)


def responses(messages, budget):
    """Asks the responses API, whole and as a stream."""
    asked = _asked(messages)[0]["content"]
    whole = OpenAI().responses.create(model="gpt-4o-mini", input=asked)
    text = ""
    for event in OpenAI().responses.create(model="gpt-4o-mini", input=asked, stream=True):
        if event.type == "response.output_text.delta":
            text += event.delta
    _note(said=whole.output_text, streamed=text)
    return _kept(messages, text)


def anthropic(messages, budget, stream=False):
    """Asks in the form of Anthropic."""
    data = {"model": "claude-haiku-4-5", "max_tokens": 300, "messages": _asked(messages)}
    reply = _anthropic("/v1/messages", {**data, "stream": True} if stream else data)
    if stream:
        lines = [line[6:] for line in reply.splitlines() if line.startswith("data: ")]
        events = [json.loads(line) for line in lines]
        text = "".join(event.get("delta", {}).get("text", "") for event in events)
    else:
        text = json.loads(reply)["content"][0]["text"]
        counted = json.loads(_anthropic("/v1/messages/count_tokens", data))
        _note(said=text, counted=counted["input_tokens"])
    return _kept(messages, text)


def _anthropic(path, data):
    request = urllib.request.Request(
        os.environ["ANTHROPIC_BASE_URL"] + path,
        json.dumps(data).encode(),
        {
            "x-api-key": os.environ["ANTHROPIC_API_KEY"],
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
        },
    )
    with urllib.request.urlopen(request) as reply:
        return reply.read().decode()


def others(messages, budget):
    """Asks for embeddings, for the models there are, and for what is not served."""
    client = OpenAI(max_retries=0)
    embedded = client.embeddings.create(
        model="text-embedding-3-small", input=["a text"], encoding_format="float"
    )
    models = [model.id for model in client.models.list()]
    refused = []
    for path, key in (("/images/generations", None), ("/embeddings", "wrong")):
        try:
            asking = client if key is None else OpenAI(max_retries=0, api_key=key)
            asking.post(path, body={"model": "x", "input": "a"}, cast_to=object)
        except Exception as error:
            refused.append(f"{error.status_code} {error.message}")
    _note(length=len(embedded.data[0].embedding), models=models, refused=refused)
    return _kept(messages, "SUMMARY_TEXT")


def falls_back(messages, budget):
    """Keeps the end of the messages if its model does not answer."""
    try:
        return plain(messages, budget)
    except Exception as error:
        _note(error=f"{type(error).__name__}: {error}")
        return _kept(messages, "nothing is known")


def shortens(messages, budget):
    """Asks for less when the endpoint says that the request is too long."""
    try:
        return plain(messages, budget)
    except Exception as error:
        _note(code=error.code, status=error.status_code)
        return plain(messages[-1:], budget)


def with_model(messages, budget, model):
    """Takes a model."""
    return messages
'''
STRATEGIES = STRATEGIES.replace("TOOL_JSON", json.dumps(TOOL)).replace("SUMMARY_TEXT", SUMMARY)
STRATEGIES = STRATEGIES.replace("\\\\n", "\\n")


def both_forms(asked):
    """What an endpoint answers that takes requests in the form of OpenAI and of Anthropic."""
    path, body = asked.path, asked.body
    streams = bool(body.get("stream"))
    if path.endswith("/chat/completions"):
        return _stream(_chunks(body)) if streams else Answer(completion(SUMMARY, usage=(400, 20)))
    if path.endswith("/responses"):
        return _stream(_response_events()) if streams else Answer(response(SUMMARY))
    if path.endswith("/count_tokens"):
        return Answer({"input_tokens": 77})
    if path.endswith("/messages"):
        return _stream(_message_events(), named=True) if streams else Answer(_message())
    if path.endswith("/embeddings"):
        item = {"object": "embedding", "index": 0, "embedding": [0.25, 0.5]}
        used = {"prompt_tokens": 3, "total_tokens": 3}
        return Answer({"object": "list", "data": [item], "model": "e", "usage": used})
    listed = [{"id": "gpt-4o-mini", "object": "model", "created": 0, "owned_by": "us"}]
    return Answer({"object": "list", "data": listed})


def too_long_at_first(asked):
    """The same, but a request of more than a few characters is too long."""
    if len(json.dumps(asked.body)) > 600:
        error = {"message": "too many tokens", "code": "context_length_exceeded"}
        return Answer({"error": error}, 400)
    return both_forms(asked)


def _stream(events, named=False):
    lines = []
    for event in events:
        if named:
            lines.append(f"event: {event['type']}")
        lines += [f"data: {event if isinstance(event, str) else json.dumps(event)}", ""]
    return Answer("\n".join([*lines, ""]).encode(), headers=STREAM)


def _chunks(body):
    def chunk(choices, **more):
        shape = {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "m"}
        return {**shape, "choices": choices, **more}

    half = len(SUMMARY) // 2
    for delta in (
        {"role": "assistant", "content": SUMMARY[:half]},
        {"content": SUMMARY[half:]},
        {"tool_calls": [_called(id="t1", name="note", arguments='{"a"')]},
        {"tool_calls": [_called(arguments=": 1}")]},
    ):
        yield chunk([{"index": 0, "delta": delta, "finish_reason": None}])
    yield chunk([{"index": 0, "delta": {}, "finish_reason": "stop"}])
    if body.get("stream_options", {}).get("include_usage"):
        used = {"prompt_tokens": 400, "completion_tokens": 20, "total_tokens": 420}
        yield chunk([], usage=used)
    yield "[DONE]"


def _called(id=None, **function):
    return {"index": 0, "id": id, "type": "function" if id else None, "function": function}


def _response_events():
    yield {"type": "response.output_text.delta", "delta": SUMMARY, "item_id": "i",
           "output_index": 0, "content_index": 0, "sequence_number": 1, "logprobs": []}  # fmt: skip
    yield {"type": "response.completed", "sequence_number": 2, "response": response(SUMMARY)}


def _message(**changes):
    used = {"input_tokens": 100, "cache_read_input_tokens": 300, "output_tokens": 20}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-4-5",
        "content": [{"type": "text", "text": SUMMARY}],
        "stop_reason": "end_turn",
        "usage": used,
        **changes,
    }


def _message_events():
    used = {"input_tokens": 100, "cache_read_input_tokens": 300, "output_tokens": 1}
    yield {"type": "message_start", "message": _message(content=[], usage=used)}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0,
           "delta": {"type": "text_delta", "text": SUMMARY}}  # fmt: skip
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"},
           "usage": {"output_tokens": 20}}  # fmt: skip
    yield {"type": "message_stop"}
