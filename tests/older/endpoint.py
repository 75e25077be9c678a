"""A local endpoint whose replies depend on the request alone; it counts what it is asked.

It needs the standard library alone, so that it answers runs of any version.
"""

import contextlib
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

NOTES = (
    "The retry limit in src/queue.py is 45 because the broker restarts slowly.",
    "docs/retries.md was created, src/retries.py was deleted.",
    "Next step: update docs/retries.md with the backoff.",
)
SUMMARY = f"<analysis>Short.</analysis>\n<summary>\n{' '.join(NOTES)}\n</summary>"
ROOMY = 8192
"""From this limit of tokens on, a reply of the model ``cut`` is whole."""
COMPARED = {"reasoning": "So.", "similarity": 0.8, "items": [{"text": "a room", "kept": True}]}


class Endpoint:
    """The server; ``asked`` is the number of requests so far, ``url`` is for OPENAI_BASE_URL."""

    def __init__(self):
        self.asked = 0
        lock, endpoint = threading.Lock(), self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                with lock:
                    endpoint.asked += 1
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                data = json.dumps(_reply(self.path, body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *arguments):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @contextlib.contextmanager
    def serving(self):
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()


def _reply(path, body):
    if path.endswith("/responses/compact"):
        users = [item for item in body["input"] if item.get("role") == "user"]
        item = {"type": "compaction", "encrypted_content": f"{len(users)}" * 40}
        return {"output": [*users, item], "usage": {"input_tokens": 100, "output_tokens": 20}}
    if path.endswith("/responses"):
        part = {"type": "output_text", "text": _text(body["input"], body)}
        said = {"type": "message", "role": "assistant", "content": [part]}
        usage = {"input_tokens": 100, "output_tokens": 20}
        return {"status": "completed", "output": [said], "usage": usage}
    if path.endswith("/messages"):
        usage = {"input_tokens": 100, "output_tokens": 20}
        part = {"type": "text", "text": NOTES[0]}
        return {"type": "message", "role": "assistant", "content": [part], "usage": usage}
    cut = body["model"] == "cut" and body["max_tokens"] < ROOMY
    text = "" if cut else _text(body["messages"], body)
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "length" if cut else "stop", "message": message}
    read = len(json.dumps(body["messages"])) // 4
    usage = {"prompt_tokens": read, "completion_tokens": 20, "total_tokens": read + 20}
    return {"object": "chat.completion", "choices": [choice], "usage": usage}


def _text(said, body):
    """A judgement, notes under the headings asked for, a letter, an answer, or a summary."""
    if body["model"] == "unsure" and said[-1]["role"] != "assistant" and len(said) < 4:
        return "I am not sure."
    if "response_format" in body:
        return json.dumps(_filled(body["response_format"]["json_schema"]["schema"]))
    last = said[-1].get("content")
    last = last if isinstance(last, str) else json.dumps(last)
    if "Write the notes" in last:
        headings = dict.fromkeys(line for line in last.splitlines() if line.startswith("## "))
        return "\n".join(f"{h}\n" + "\n".join(f"- {n}" for n in NOTES) for h in headings)
    if "Reply with one letter" in last:
        return "A"
    if "similarity" in last:
        return json.dumps(COMPARED)
    if "(Reply directly" in last:
        told = hashlib.sha256(json.dumps(said).encode()).hexdigest()[:8]
        return f"{NOTES[0]} ({told})" if body["model"] == "talker" else NOTES[0]
    return SUMMARY


def _filled(schema):
    """A value that satisfies a schema."""
    if "enum" in schema:
        return schema["enum"][-2]
    if schema["type"] == "object":
        return {name: _filled(inner) for name, inner in schema["properties"].items()}
    if schema["type"] == "array":
        return [_filled(schema["items"])]
    return {"string": "It says so.", "boolean": True, "number": 4, "integer": 4}[schema["type"]]
