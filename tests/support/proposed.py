"""Cases with questions that wait for a person."""

import json

from support.builders import case_data, session


def candidate(turn, **changes):
    fact = {
        "text": f"the limit of src/module_{turn}.py is {100 + turn}",
        "type": "value",
        "keys": [[f"src/module_{turn}.py"], [str(100 + turn)]],
        "evidence": [f"m{4 * turn + 1}"],
        "needed": {"how": "used", "message": "m900", "distance": 3, "act": "edit of a.py"},
    }
    id, asked = f"limit-{turn}", f"Which limit did the user want in module {turn}?"
    return {"id": id, "kind": "recall", "question": asked, "facts": [fact | changes]}


def case(**changes):
    messages = [{"id": f"m{n}", **each} for n, each in enumerate(session(8, words=80))]
    points = [{"id": "p1", "after": messages[-1]["id"]}]
    lists = {"probes": [candidate(0)], "proposed": [candidate(1), candidate(2)]}
    return case_data(messages=messages, compaction_points=points, **{**lists, **changes})


STYLES = {
    "import": {"indent": 1, "ensure_ascii": False},
    "hand": {"indent": 2},
    "tabs": {"indent": "\t"},
    "line": {},
    "compact": {"separators": (",", ":")},
}


def write(path, data, style="import"):
    path.write_text(json.dumps(data, **STYLES[style]) + "\n", "utf-8")
    return path
