"""A local endpoint for tests: serves chat completions, responses and compaction, with faults.

The server runs in threads of the test process on a free port. A function of the request
decides on each answer. :class:`Faults` is such a function with seeded faults: the same
request meets the same fault, however often and in whatever order it comes.
"""

import contextlib
import hashlib
import json
import random
import re
import socket
import struct
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON_TYPE = "application/json"


@dataclass
class Asked:
    """One request as it was received."""

    path: str
    body: dict
    headers: dict


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


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        data = self.rfile.read(length)
        if len(data) < length or not data:
            self.close_connection = True
            return
        body = json.loads(data)
        asked = Asked(self.path, body, {k.lower(): v for k, v in self.headers.items()})
        server = self.server.owner
        with server.lock:
            server.asked.append(asked)
        answer = server.decide(asked)
        with contextlib.suppress(OSError):
            self._send(answer)

    def _send(self, answer):
        if answer.wait:
            self.server.owner.stopped.wait(answer.wait)
        data = answer.data
        self.send_response(answer.status)
        headers = {"Content-Type": JSON_TYPE, "Content-Length": str(len(data)), **answer.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if answer.reset_after is not None:
            self.wfile.write(data[: answer.reset_after])
            self.wfile.flush()
            self._reset()
        elif answer.drip:
            for byte in data:
                if self.server.owner.stopped.wait(answer.drip):
                    break
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
        else:
            self.wfile.write(data)

    def _reset(self):
        """Reset the connection instead of closing it in order."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def finish(self):
        with contextlib.suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *arguments):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def handle_error(self, request, client_address):
        pass  # tests give up connections on purpose


class EndpointServer:
    """The server as a context manager; ``url`` is the value for OPENAI_BASE_URL."""

    def __init__(self, decide):
        self.decide = decide
        self.asked = []
        self.lock = threading.Lock()
        self.stopped = threading.Event()

    def __enter__(self):
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *error):
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def bodies(self):
        """The bodies of all requests in the order in which they came."""
        return [asked.body for asked in self.asked]


@contextlib.contextmanager
def refusing_port():
    """A local port on which nothing listens; it stays bound, so no other process can take it."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def unused_url():
    """A local address on which nothing listens."""
    with refusing_port() as port:
        return f"http://127.0.0.1:{port}/v1"


# --- replies -------------------------------------------------------------------------


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
        return Answer(response("The limit is 45."))
    if "response_format" in asked.body:
        return Answer(completion(json.dumps(judgement(asked))))
    prompt = asked.body["messages"][-1]["content"]
    headings = re.findall(r"^## (.+)$", prompt.partition("Messages:")[0], re.MULTILINE)
    if headings:
        return Answer(completion("\n".join(f"## {title}\n- the limit is 45" for title in headings)))
    return Answer(completion("The limit is 45."))


# --- faults --------------------------------------------------------------------------


def _retried(status, headers):
    def fault(asked, seen):
        if seen == 1:
            return Answer({"error": {"message": f"busy {status}"}}, status, headers)
        return sensible(asked)

    return fault


def _lasting(status):
    return lambda asked, seen: Answer({"error": {"message": f"down {status}"}}, status)


def _judged(change):
    """A fault in the judgement itself; other requests get sensible answers."""

    def fault(asked, seen):
        if "response_format" not in asked.body:
            return sensible(asked)
        data = judgement(asked)
        text = change(data)
        return Answer(completion(text if isinstance(text, str) else json.dumps(data)))

    return fault


def _score(value):
    def change(data):
        data["criteria"]["accuracy_factual"]["score"] = value

    return change


def _missing(data):
    del data["criteria"]["completeness_depth"]


def _duplicate(data):
    one = '"accuracy_factual": {"reasoning": "r", "score": 5}'
    return json.dumps(data).replace('"criteria": {', f'"criteria": {{{one}, ', 1)


def _raw(body, **how):
    return lambda asked, seen: Answer(body, **how)


def _truncated(asked, seen):
    data = sensible(asked).data
    return Answer(data[: len(data) // 2])


def _reset(asked, seen):
    answer = sensible(asked)
    return Answer(answer.body, reset_after=len(answer.data) // 2) if seen == 1 else answer


def _large(asked, seen):
    return Answer(completion("x" * 10 * 1024 * 1024))


FAULTS = {
    "429 with Retry-After": _retried(429, {"Retry-After": "0.02"}),
    "429 without Retry-After": _retried(429, {}),
    "429 for good": _lasting(429),
    "500 once": _retried(500, {}),
    "500 for good": _lasting(500),
    "503 once": _retried(503, {}),
    "reset mid-body": _reset,
    "reset before the body": _raw(b"x" * 100, reset_after=0),
    "time-out": lambda asked, seen: Answer(sensible(asked).body, wait=30.0),
    "slow drip": lambda asked, seen: Answer(sensible(asked).body, drip=0.05),
    "empty body": _raw(b""),
    "truncated JSON": _truncated,
    "JSON null": _raw(b"null"),
    "valid JSON off schema": _raw({"ok": True}),
    "no choices": _raw({"choices": []}),
    "judgement off schema": _judged(lambda data: data.update(criteria={"charm": 5})),
    "score 7": _judged(_score(7)),
    "score five": _judged(_score("five")),
    "score below 0": _judged(_score(-1)),
    "score NaN": _judged(_score(float("nan"))),
    "score true": _judged(_score(True)),
    "missing criteria": _judged(_missing),
    "duplicate criteria": _judged(_duplicate),
    "refusal": _raw(completion(None, refusal="I cannot help with that.")),
    "content filter": _raw(completion("", finish="content_filter")),
    "empty text": _raw(completion("")),
    "tool call": _raw(completion(None, finish="tool_calls", tool_calls=[{"id": "c"}])),
    "wrong content type": _raw(b"<html>Bad gateway</html>", headers={"Content-Type": "text/html"}),
    "10 MB": _large,
}  # fmt: skip
"""Everything that goes wrong, by name. A fault gets the request and how often it came."""

REFUSED = "connect refused"
"""The one fault that no server can make: see :meth:`Faults.refuses`."""

SLOW = {"time-out", "slow drip", "10 MB"}
"""Faults that cost time; they come more rarely than the others."""


class Faults:
    """A share of the requests goes wrong, seeded by the prompt; a repair meets the same fault.

    ``order`` holds the fault of each request in order of arrival (empty if none), and
    ``bodies`` their bodies. If :meth:`refuses` is true for a request, the test sends it to
    a port on which nothing listens; both lists hold it as well.
    """

    def __init__(self, share=0.5, seed=0, slow=0.1):
        self._share = share
        self._seed = seed
        self._names = sorted([*FAULTS, REFUSED])
        self._weights = [slow if name in SLOW else 1.0 for name in self._names]
        self._lock = threading.Lock()
        self._seen = {}
        self._chosen = {}
        self.order = []
        self.bodies = []

    def __call__(self, asked):
        name, seen = self._met(asked.body)
        return FAULTS[name](asked, seen) if name else sensible(asked)

    def refuses(self, body):
        """Whether the connection of a request must be refused."""
        with self._lock:
            refused = self._drawn(body) == REFUSED
        if refused:
            self._met(body)
        return refused

    def _met(self, body):
        with self._lock:
            text = json.dumps(body)
            seen = self._seen[text] = self._seen.get(text, 0) + 1
            name = self._drawn(body)
            self.order.append(name)
            self.bodies.append(body)
        return name, seen

    def _drawn(self, body):
        # A repair repeats the first two messages and adds others.
        first = slice(2) if "response_format" in body else slice(None)
        prompt = json.dumps(body["messages"][first])
        key = hashlib.sha256(prompt.encode()).hexdigest()
        if key not in self._chosen:
            rng = random.Random(f"{self._seed} {key}")
            faulty = rng.random() < self._share
            self._chosen[key] = rng.choices(self._names, self._weights)[0] if faulty else ""
        return self._chosen[key]


@contextlib.contextmanager
def serving(decide=sensible):
    """A server whose answers are decided by ``decide``."""
    with EndpointServer(decide) as server:
        yield server
