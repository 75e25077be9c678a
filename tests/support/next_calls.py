"""A session whose next call its first message announces, strategies, and a model that knows it."""

import json
import re

from support.builders import assistant, tool, user
from support.endpoint_replies import Answer, checked, completion, is_check
from support.endpoint_server import EndpointServer
from support.stub_endpoint import reply_to

from pytest_compaction.case import case_from_json

PLAN = "docs/plan.md"
FORGETFUL = '''
"""Strategies that keep the announcement, and that lose it."""


def remembers(messages, budget):
    """Keeps the first message and the last one."""
    return [messages[0], messages[-1]]


def loses(messages, budget):
    """Keeps the last message."""
    return messages[-1:]
'''


def read(id, path, **more):
    """A call that reads a file, and its result."""
    arguments = {"path": path, "limit": 20, **more}
    words = " ".join(f"{id}x{number}" for number in range(60))
    return [
        {"id": f"{id}-call", **assistant(f"I read {path}.", (id, "read_file", arguments))},
        {"id": f"{id}-result", **tool(id, f"{path}: {words}")},
    ]


def next_data(id="session", after="thanks", **changes):
    """The case as plain JSON: ``docs/plan.md`` is read after ``p1``; no call follows ``p2``."""
    data = {
        "id": id,
        "task": "feature",
        "window": 4000,
        "budget": 1000,
        "messages": [
            {"id": "ask", **user(f"Working directory: /work/shop. In the end read {PLAN}. ({id})")},
            {"id": "yes", **assistant("I will.")},
            {"id": "first", **user("First read src/a.py.")},
            *read("a", "src/a.py"),
            {"id": "second", **user("The retry limit is 45. Now read src/b.py.")},
            *read("b", "src/b.py"),
            {"id": "on", **user("Good.")},
            {"id": "go", **user("Go on as agreed.")},
            {"id": "announced", **assistant("I turn to the plan.")},
            *read("plan", PLAN),
            {"id": "thanks", **user("Thanks.")},
        ],
        "compaction_points": [{"id": "p1", "after": "on"}, {"id": "p2", "after": after}],
        "probes": [probe("limit", "p1"), probe("again", "p1"), probe("later", "p2")],
    }
    return {**data, **changes}


def probe(id, point):
    return {
        "id": id,
        "kind": "recall",
        "question": f"What is the retry limit? ({id})",
        "point": point,
        "facts": [{"text": "45", "evidence": ["second"]}],
    }


def next_case(**changes):
    return case_from_json(next_data(**changes))


def knows(body):
    """Whether a request has the announcement in front of its question."""
    return f"In the end read {PLAN}" in json.dumps(body["messages"][:-1])


def way_of(body):
    """How a request asks for the next call; ``None`` if it asks for something else."""
    said = body["messages"][-1]["content"]
    if "A, B or C" in said:
        return "choice"
    return "call" if "The work goes on with a call of a tool" in said else None


def next_reply(body):
    """What a model says that takes the announced call where it sees the announcement."""
    if way_of(body) == "choice":
        options = dict(re.findall(r"^([ABC])\) (.*)$", body["messages"][-1]["content"], re.M))
        return next(letter for letter, text in options.items() if (PLAN in text) == knows(body))
    path = f"/work/shop/./{PLAN}" if knows(body) else "src/c.py"
    return json.dumps({"tool": "read_file", "arguments": {"limit": 20.0, "path": path}})


class NextEndpoint(EndpointServer):
    """Answers as :func:`next_reply` does, or as ``says`` does; others as the stub does."""

    def __init__(self, says=next_reply):
        super().__init__(self._decide)
        self._says = says

    def _decide(self, asked):
        if is_check(asked.body):
            return Answer(checked())
        if way_of(asked.body):
            return Answer(completion(self._says(asked.body)))
        return Answer(reply_to(asked.body))

    @property
    def asked_next(self):
        return [body for body in self.bodies if not is_check(body) and way_of(body)]
