"""A model endpoint that answers after a fixed time, and says how busy it was.

``python -m tests.benchmarks.mock_endpoint LATENCY [QUIRK]`` prints its address; a quirk is a mode
of ``support.endpoint_quirks``, as ``stream-only``. One event loop does all;
a reply is as ready as its request when the latency is over, so that the server costs its caller
little. ``GET /figures`` gives and clears what was counted.
"""

import asyncio
import json
import sys
import time

from support.endpoint_quirks import QUIRKS
from support.stub_endpoint import reply_to

HEAD = "HTTP/1.1 {} OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n"
JSON = "application/json"


class Figures:
    """Calls, the seconds from the first request to the last reply, and requests in flight.

    ``busy`` adds up the seconds of all requests, ``cpu`` is the CPU time of this process.
    """

    def __init__(self):
        self.calls = self.flying = self.most = 0
        self.first = self.last = self.busy = 0.0
        self._since = 0.0
        self._cpu = time.process_time()

    def change(self, step):
        """Note that a request came (1) or was answered (-1)."""
        now = time.perf_counter()
        if not self.calls:
            self.first = self._since = now
        self.busy += self.flying * (now - self._since)
        self._since = self.last = now
        self.flying += step
        self.calls += step > 0
        self.most = max(self.most, self.flying)

    def as_json(self):
        return {
            "calls": self.calls,
            "seconds": self.last - self.first,
            "most": self.most,
            "busy": self.busy,
            "cpu": time.process_time() - self._cpu,
        }


class Connection(asyncio.Protocol):
    """One client's connection: requests one after the other."""

    def __init__(self, server):
        self._server = server
        self._data = b""
        self._transport = None

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        self._data += data
        while True:
            head, found, rest = self._data.partition(b"\r\n\r\n")
            if not found:
                return
            headers = (line.lower().partition(b":") for line in head.split(b"\r\n")[1:])
            length = next((int(n) for name, _, n in headers if name == b"content-length"), 0)
            if len(rest) < length:
                return
            body, self._data = rest[:length], rest[length:]
            if head.startswith(b"GET"):
                self._send(self._server.taken())
            else:
                self._server.asked()
                loop = asyncio.get_running_loop()
                at = loop.time() + self._server.latency
                loop.call_at(at, self._answer, *self._server.reply_to(json.loads(body)))

    def _answer(self, reply, status, kind):
        self._server.figures.change(-1)
        self._send(reply, status, kind)

    def _send(self, body, status=200, kind=JSON):
        if not self._transport.is_closing():
            self._transport.write(HEAD.format(status, kind, len(body)).encode() + body)


class MockEndpoint:
    """The server, with what it counted since it was last asked."""

    def __init__(self, latency, quirk=None):
        self.latency = latency
        self._quirk = QUIRKS[quirk] if quirk else None
        self.figures = Figures()

    def asked(self):
        self.figures.change(1)

    def reply_to(self, body):
        """Data, status and type of the reply to a request."""
        status, reply = 200, reply_to(body)
        if self._quirk is not None:
            status, reply = self._quirk(body, reply)
        if isinstance(reply, bytes):
            return reply, status, "text/event-stream"
        return json.dumps(reply).encode(), status, JSON

    def taken(self):
        """The figures so far, which are cleared."""
        said, self.figures = self.figures, Figures()
        return json.dumps(said.as_json()).encode()


async def serve(latency, quirk=None):
    """Serve until the process is ended; the address goes to standard output."""
    endpoint = MockEndpoint(latency, quirk)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", 0, backlog=256)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1]), *sys.argv[2:]))
