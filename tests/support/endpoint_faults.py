"""Everything that goes wrong at an endpoint, to be served by a local one.

:class:`Faults` decides on answers with seeded faults: the same request meets the same
fault, however often and in whatever order it comes.
"""

import hashlib
import json
import random
import threading

from support.endpoint_replies import Answer, completion, judgement, sensible


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
        data["criteria"]["completeness_coverage"]["score"] = value

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
