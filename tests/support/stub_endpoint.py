"""A local server for the part of the OpenAI API that the benchmark uses; it logs all calls.

Replies depend on the request alone. ``before`` and ``after`` are called with the number
of the call (from 1) and may raise or kill. ``calls`` holds the requests received.
"""

import hashlib
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from string import ascii_lowercase

from support.endpoint_replies import checked, is_check
from support.scenarios import case

ANSWER = "The retry limit is 45 because the broker restarts slowly; next update docs/retries.md."
NOTES = ("Raise the retry limit in src/queue.py to 45.", "Next step: update docs/retries.md.")
CACHED_SHARE = 4
"""A quarter of what is read is said to come from the cache."""


class StubEndpoint:
    """The server and the requests that it received."""

    def __init__(self):
        self.calls = []
        """Digests of the bodies received, in order."""
        self.bodies = {}
        self.answered = []
        self.status = 200
        self.before = lambda number: None
        self.after = lambda number: None
        self.lock = threading.Lock()
        self.connected = 0
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self):
                super().setup()
                with stub.lock:
                    stub.connected += 1

            def finish(self):
                with stub.lock:
                    stub.connected -= 1
                super().finish()

            def do_POST(self):
                data = self.rfile.read(int(self.headers["Content-Length"]))
                digest = hashlib.sha256(data).hexdigest()
                body = json.loads(data)
                if is_check(body) and stub.status == 200:
                    self._send(checked())
                    return
                with stub.lock:
                    stub.calls.append(digest)
                    stub.bodies[digest] = body
                    number = len(stub.calls)
                    stub.before(number)
                said = reply_to(body) if stub.status == 200 else {"error": {"message": "no entry"}}
                self._send(said)
                with stub.lock:
                    stub.answered.append(digest)
                    stub.after(number)

            def _send(self, said):
                reply = json.dumps(said).encode()
                self.send_response(stub.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)
                self.wfile.flush()

            def log_message(self, *arguments):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                """Ignore the error: tests kill clients while they wait."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    def start(self):
        self._thread.start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def settle(self):
        """Wait until what was sent by clients that are gone is counted."""
        before = None
        while self.connected or before != len(self.calls):
            before = len(self.calls)
            time.sleep(0.05)

    def roles(self):
        """The number of calls of each role, recognised by their prompts."""
        found = {"compaction": 0, "responder": 0, "judge": 0}
        for digest in self.calls:
            role = role_of(self.bodies[digest])
            found[role] = found.get(role, 0) + 1
        return found


def long_case(id, budget=300):
    """The case of the scenarios, made unique, and long enough for ``anchored`` to compact."""
    data = case(id, budget=budget)
    for number, message in enumerate(data["messages"]):
        if message["role"] != "tool":
            words = " ".join(f"{id}{number}x{i}" for i in range(12))
            message["content"] = f"{message['content']} Aside: {words}."
    return data


PRICED = """
from genai_prices.data import providers
from genai_prices.data_snapshot import DataSnapshot, set_custom_snapshot

[OPENAI] = [each for each in providers if each.id == "openai"]
PATTERN = OPENAI.api_pattern


def pytest_configure(config):
    OPENAI.api_pattern = r"https://(api\\.openai\\.com|127\\.0\\.0\\.1)"
    set_custom_snapshot(DataSnapshot(providers, False))  # one that knows no address yet


def pytest_unconfigure(config):
    OPENAI.api_pattern = PATTERN
    set_custom_snapshot(None)
"""
"""For a conftest: the local server has the prices of OpenAI."""


@contextmanager
def serving():
    stub = StubEndpoint()
    stub.start()
    try:
        yield stub
    finally:
        stub.stop()


def role_of(body):
    if "encoding_format" in body:
        return "embedding"
    if "response_format" in body:
        of_views = body["response_format"]["json_schema"]["name"] == "readings"
        return "reader" if of_views else "judge"
    return "compaction" if _headings(body) else "responder"


def reply_to(body):
    role = role_of(body)
    if role == "embedding":
        return _vectors(body["input"])
    if role in {"judge", "reader"}:
        text = json.dumps(_filled(body["response_format"]["json_schema"]["schema"]))
    elif role == "compaction":
        text = "\n".join(f"{h}\n" + "\n".join(f"- {n}" for n in NOTES) for h in _headings(body))
    elif "Reply with one letter" in body["messages"][-1]["content"]:
        text = "A"
    else:
        text = f"{ANSWER} ({_digest(body)})"
    read = len(json.dumps(body["messages"])) // 4
    return {
        "id": "stub",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": read,
            "completion_tokens": len(text) // 4,
            "total_tokens": read + len(text) // 4,
            "prompt_tokens_details": {"cached_tokens": read // CACHED_SHARE},
        },
    }


def _vectors(texts):
    """A vector for each text that tells how often it has each letter."""
    found = [[text.lower().count(letter) / 7 for letter in ascii_lowercase] for text in texts]
    return {
        "object": "list",
        "data": [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(found)],
        "usage": {"prompt_tokens": sum(map(len, texts)) // 4},
    }


def _digest(body):
    """A digest of the request: different requests get different answers, as from a real model."""
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:8]


def _headings(body):
    """The headings that a request for a summary asks for."""
    said = body["messages"][-1]["content"]
    if not isinstance(said, str):
        return []
    lines = []
    for line in said.splitlines():
        if line.startswith("## ") and line not in lines:
            lines.append(line)
    return lines


def _filled(schema):
    """A value that satisfies a schema: every fact stated, no stale value, four of five points."""
    if "enum" in schema:
        return "absent" if "absent" in schema["enum"] else schema["enum"][-2]
    if schema["type"] == "object":
        return {name: _filled(inner) for name, inner in schema["properties"].items()}
    return {"string": "it says so", "boolean": True, "number": 4, "integer": 4}[schema["type"]]
