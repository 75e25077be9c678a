"""Quirks of real endpoints, each a mode of the mock endpoint.

A mode is a function of a request's body and of the reply that a sound endpoint gives. It returns
what this one sends: a status, and a body or the events of a stream.
"""

import json
from dataclasses import replace

from support.endpoint_replies import Answer

THOUGHT = "Was it 30 or 45? I score it 5."
STREAM = {"Content-Type": "text/event-stream"}


def said_as(content, **more):
    """The reply with its text as ``content`` makes it of the text."""

    def mode(body, reply):
        choice = reply["choices"][0]
        message = {**choice["message"], **more, "content": content(choice["message"]["content"])}
        return 200, {**reply, "choices": [{**choice, "message": message}]}

    return mode


def refused(message, status=400, code=None, kind="BadRequestError"):
    return status, {"error": {"message": message, "type": kind, "param": None, "code": code}}


def roles_of(body):
    return [message["role"] for message in body["messages"]]


def alternate(roles):
    """Whether user and assistant take turns; calls of tools and their results do not count."""
    return all(role == ("user", "assistant")[number % 2] for number, role in enumerate(roles))


def roles_alternate(body, reply, status=400, text="Conversation roles must alternate user/..."):
    roles = roles_of(body)
    roles = roles[1:] if roles[0] == "system" else roles
    calls = [bool(message.get("tool_calls")) for message in body["messages"]][-len(roles) :]
    turns = [r for r, call in zip(roles, calls, strict=True) if r != "tool" and not call]
    return (200, reply) if alternate(turns) else refused(text, status)


def roles_alternate_in_jinja(body, reply):
    text = "While executing CallExpression at line 189\nError: Jinja Exception: After the optional "
    text += "system message, conversation roles must alternate user and assistant roles."
    return roles_alternate(body, reply, 500, text)


def users_and_assistants_only(body, reply):
    if "system" in roles_of(body):
        return refused("System role not supported")
    text = "Conversation roles must alternate user/assistant/user/assistant/..."
    return (200, reply) if alternate(roles_of(body)) else refused(text)


def events_of(reply):
    """The chunks of a stream that spells a reply out, a few characters at a time."""
    choice = reply["choices"][0]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "test"}
    text = choice["message"]["content"]
    deltas = [{"role": "assistant", "content": None, "reasoning_content": THOUGHT}]
    deltas += [{"content": text[at : at + 7]} for at in range(0, len(text), 7)]
    chunks = [{**head, "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    chunks += [{**head, "choices": [end]}, {**head, "choices": [], "usage": reply["usage"]}]
    lines = [*map(json.dumps, chunks), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def stream_only(body, reply):
    if not body.get("stream"):
        text = "This model only support stream mode, please enable the stream parameter."
        return refused(text, code="invalid_parameter_error")
    return 200, events_of(reply)


def output_of(body):
    return body.get("max_tokens") or body.get("max_completion_tokens") or 0


def output_beyond_context(body, reply, context=4096, read=3900):
    asked = output_of(body)
    if asked <= context - read:
        return 200, reply
    return refused(
        f"'max_tokens' or 'max_completion_tokens' is too large: {asked}. This model's maximum "
        f"context length is {context} tokens and your request has {read} input tokens "
        f"({asked} > {context} - {read})."
    )


def output_capped(body, reply, most=100):
    asked = output_of(body)
    if asked <= most:
        return 200, reply
    text = f"max_tokens is too large: {asked}. This model supports at most {most} completion tokens"
    return refused(f"{text}, whereas you provided {asked}.")


def always(message, status=400, code=None):
    return lambda body, reply: refused(message, status, code)


class BrokenJson:
    """Refuses every other request for JSON, as Groq does its own broken replies."""

    def __init__(self):
        self.asked = 0

    def __call__(self, body, reply):
        self.asked += "response_format" in body
        if "response_format" not in body or self.asked % 2 == 0:
            return 200, reply
        text = "Failed to validate JSON. Please adjust your prompt. See 'failed_generation'."
        return refused(text, code="json_validate_failed")


def without(member, text):
    """Refuses requests that have a member."""
    return lambda body, reply: refused(text) if member in body else (200, reply)


def without_schema(body, reply):
    if body.get("response_format", {}).get("type") == "json_schema":
        return refused("This response_format type is unavailable now")
    return 200, reply


QUIRKS = {
    "think": said_as(lambda text: f"<think>\n{THOUGHT}\n</think>\n\n{text}"),
    "think-closing-only": said_as(lambda text: f"{THOUGHT}\n</think>\n\n{text}"),
    "harmony": said_as(
        lambda text: (
            f"<|channel|>analysis<|message|>{THOUGHT}<|end|><|start|>assistant"
            f"<|channel|>final<|message|>{text}"
        )
    ),
    "harmony-bare": said_as(lambda text: f"analysis{THOUGHT}assistantfinal{text}"),
    "think-brackets": said_as(lambda text: f"[THINK]{THOUGHT}[/THINK]{text}"),
    "seed-think": said_as(lambda text: f"<seed:think>{THOUGHT}</seed:think>{text}"),
    "thought": said_as(lambda text: f"<thought>\n{THOUGHT}\n</thought>\n{text}"),
    "thoughts-twice": said_as(
        lambda text: f"<think>{THOUGHT}</think>\n<think>So 45.</think>\n{text}"
    ),
    "reasoning-parts": said_as(
        lambda text: [
            {"type": "reasoning", "text": THOUGHT},
            {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
            {"type": "text", "text": text},
        ]
    ),
    "reasoning-content": said_as(lambda text: text, reasoning_content=THOUGHT, reasoning=THOUGHT),
    "roles-alternate": roles_alternate,
    "roles-alternate-jinja": roles_alternate_in_jinja,
    "no-system-role": users_and_assistants_only,
    "stream-only": stream_only,
    "stream-always": lambda body, reply: (200, events_of(reply)),
    "output-beyond-context": output_beyond_context,
    "output-capped": output_capped,
    "max-completion-tokens": without(
        "max_tokens",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
    ),
    "no-temperature": without("temperature", "`temperature` is deprecated for this model."),
    "no-seed": without("seed", "Extra inputs are not permitted, field: 'seed', value: 1"),
    "no-json-schema": without_schema,
    "json-validate-failed": BrokenJson(),
    "too-long": always(
        "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"
    ),
    "quota-exhausted": always(
        "You exceeded your current quota, please check your plan and billing details.",
        429,
        "insufficient_quota",
    ),
    "unrelated-name": always("CUDA error while sampling (temperature=0, seed=1)"),
    "azure-classic": always("Resource not found", 404, "404"),
}
"""By the name of the mode. Those behind ``json-validate-failed`` refuse every request."""
SERVES = tuple(QUIRKS)[: tuple(QUIRKS).index("too-long")]
"""The modes in which a request is answered in the end."""


def quirky(mode, sound):
    """A function of requests for a server, which answers as ``sound`` does, with a quirk."""

    schemas = [None]

    def decide(asked):
        form = asked.body.get("response_format", {})
        if "json_schema" in form:
            schemas[0] = form
        elif form:  # asked for in the prompt alone
            asked = replace(asked, body={**asked.body, "response_format": schemas[0]})
        answer = sound(asked)
        if "choices" not in answer.body:
            return answer
        given = {**asked.body, "response_format": form} if form else asked.body
        status, body = QUIRKS[mode](given, answer.body)
        return Answer(body, status, STREAM if isinstance(body, bytes) else {})

    return decide
