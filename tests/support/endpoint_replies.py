"""Replies of an endpoint: completions, responses, compactions, errors and judgements."""

import json
import re
from dataclasses import dataclass, field


@dataclass
class Answer:
    """An answer to send; the connection is reset after ``after`` bytes, if given."""

    body: object = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    reset_after: int | None = None
    wait: float = 0.0
    drip: float = 0.0

    @property
    def data(self):
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()


def completion(text="", finish="stop", usage=(10, 5), **message):
    """A chat completion."""
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "test",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
    }
    if usage:
        read, written = usage
        data["usage"] = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
    return data


def response(text="", **changes):
    """A reply of the responses API."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "completed",
        "output": [item],
        "usage": {
            "input_tokens": 20,
            "output_tokens": 6,
            "input_tokens_details": {"cached_tokens": 8},
        },
        **changes,
    }


CHECK = "Answer as shortly as you can."
"""The system message with which an endpoint is checked before a run."""


def is_check(body):
    """Whether a request checks the endpoint and is not part of what is measured."""
    messages = body.get("messages") or [{}]
    return CHECK in str(messages[0].get("content"))


def checked():
    """A reply to a check, for two tokens."""
    return completion('{"seconds": 45}', usage=(1, 1))


OPAQUE = {
    "type": "compaction",
    "id": "cmp_1",
    "encrypted_content": "gAAAA sk-Ab12Cd34Ef56Gh78 é漢/+==",
    "z": {"nested": [1, 2.50, None], "a": True},
}


def compaction(asked, item=OPAQUE):
    """All user messages, and one item that only the endpoint can read."""
    users = [i for i in asked.body["input"] if i.get("role") == "user"]
    return {
        "id": "cmp_resp",
        "object": "response.compaction",
        "output": [
            *({"type": "message", "id": f"u{n}", "status": "completed", **i}
              for n, i in enumerate(users)),
            item,
        ],
        "usage": {"input_tokens": 100, "output_tokens": 30},
    }  # fmt: skip


def error(message, status=400, **more):
    """An error reply in OpenAI's shape."""
    return Answer({"error": {"message": message, "type": "invalid_request_error", **more}}, status)


def judgement(asked, score=4, **changes):
    """A judgement with everything that the schema of the request demands."""
    members = asked.body["response_format"]["json_schema"]["schema"]["properties"]
    found = {}
    for name, member in members.items():
        value = {
            "facts": {"reasoning": "It says so.", "stated": True},
            "stale_claims": {"reasoning": "It does not.", "hit": False},
            "criteria": {"reasoning": "Mostly there.", "score": score},
        }[name]
        found[name] = {key: dict(value) for key in member["properties"]}
    return {**found, **changes}


def sensible(asked):
    """The answer of a well-behaved endpoint: a judgement, a summary, or a sentence."""
    if asked.path.endswith("/responses/compact"):
        return Answer(compaction(asked))
    if asked.path.endswith("/responses"):
        if asked.body["input"][-1].get("type") == "compaction_trigger":
            said = response("Never mind me.")
            return Answer({**said, "output": [*said["output"], OPAQUE]})
        return Answer(response("The limit is 45."))
    if is_check(asked.body):
        return Answer(checked())
    if "response_format" in asked.body:
        return Answer(completion(json.dumps(judgement(asked))))
    prompt = asked.body["messages"][-1]["content"]
    headings = re.findall(r"^## (.+)$", prompt.partition("Messages:")[0], re.MULTILINE)
    if headings:
        return Answer(completion("\n".join(f"## {title}\n- the limit is 45" for title in headings)))
    return Answer(completion("The limit is 45."))
