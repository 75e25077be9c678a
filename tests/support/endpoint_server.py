"""A local endpoint for tests: serves chat completions, responses and compaction.

The server runs in threads of the test process on a free port. A function of the request
decides on each answer.
"""

import contextlib
import json
import socket
import struct
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.endpoint_replies import sensible

JSON_TYPE = "application/json"


@dataclass
class Asked:
    """One request as it was received."""

    path: str
    body: dict
    headers: dict


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

    def do_GET(self):
        asked = Asked(self.path, {}, {k.lower(): v for k, v in self.headers.items()})
        with self.server.owner.lock:
            self.server.owner.asked.append(asked)
        with contextlib.suppress(OSError):
            self._send(self.server.owner.decide(asked))

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


@contextlib.contextmanager
def serving(decide=sensible):
    """A server whose answers are decided by ``decide``."""
    with EndpointServer(decide) as server:
        yield server
