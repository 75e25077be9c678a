"""A real model behind a real server: ``python served_model.py WEIGHTS LOG``.

llama.cpp's OpenAI-compatible server serves the weights on a free port of this machine,
with one thread. A gate in front of it counts the calls, so that their number does not
come from the plugin, and bounds the length of a reply, because a model this small may
never come to an end. The first line of output is the address of the gate, the second,
when the input is closed, what it let through.
"""

import json
import os
import sys
import threading
import urllib.error
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import xllamacpp

CONTEXT = 6144
"""Tokens of a request and its reply together."""
MAX_REPLY = 560
"""Tokens of a reply: room for a judgement in short sentences."""
REPEAT_PENALTY = 1.1
"""Without it this model copies the form that it is shown, or goes round in circles."""


def server_of(weights):
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.sampling.penalty_repeat = REPEAT_PENALTY
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    return xllamacpp.Server(params)


def gate_to(address, counts):
    """A server that passes calls on to the one at that address."""

    class Gate(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body["max_tokens"] = min(body["max_tokens"], MAX_REPLY)
            counts["calls"] += 1
            status, reply = passed_on(address + self.path, json.dumps(body).encode())
            counts["answered" if status == 200 else "refused"] += 1
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, *arguments):
            """Print nothing: the test reads the output."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Gate)


def passed_on(url, body):
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def serve(weights, log):
    output = os.fdopen(os.dup(1), "w", buffering=1)
    with Path(log).open("ab") as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    server, counts = server_of(weights), Counter()
    gate = gate_to(server.listening_address, counts)
    threading.Thread(target=gate.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{gate.server_address[1]}/v1", file=output)
    sys.stdin.read()
    gate.shutdown()
    print(json.dumps(counts), file=output)


if __name__ == "__main__":
    serve(*sys.argv[1:])
