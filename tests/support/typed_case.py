"""A case whose facts have types and key groups: every criterion has something to read."""

from support.builders import assistant, tool, user

from pytest_compaction.case import case_from_json

STANDING = "Never add a dependency, and never touch the files under legacy/."


def fact(text, type, evidence, *keys, **more):
    return {"text": text, "type": type, "evidence": evidence, "keys": list(keys), **more}


MESSAGES = [
    {"id": "rules", **user(f"The import of orders is slow. {STANDING}")},
    {"id": "look", **assistant("I read it.", ("c1", "read_file", {"path": "src/orders/parse.py"}))},
    {"id": "seen", **tool("c1", "def parse_order(line):\n    return line.split(';')")},
    {
        "id": "fail",
        **assistant("I run the tests.", ("c2", "bash", {"command": "pytest -q tests/orders"})),
    },
    {
        "id": "error",
        **tool("c2", "ValueError: too many values to unpack in parse_order\n3 failed, 41 passed"),
    },
    {"id": "old", **assistant("The batch size is 200 for now.")},
    {
        "id": "write",
        **assistant(
            "I create the reader.",
            (
                "c3",
                "write_file",
                {"path": "src/orders/reader.py", "content": "class RowReader: ..."},
            ),
        ),
    },
    {"id": "wrote", **tool("c3", "created src/orders/reader.py")},
    {
        "id": "edit",
        **assistant("I modified src/orders/batch.py: the batch size is now 750 instead of 200."),
    },
    {
        "id": "choice",
        **assistant(
            "We decided to use the csv module. The reason: quoted fields hold a semicolon."
        ),
    },
    {"id": "renamed", **assistant("I renamed src/orders/util.py to src/orders/text.py.")},
    {"id": "state", **assistant("All 44 tests pass now, and the import takes 12 seconds.")},
    {"id": "next", **assistant("The next step is to write the changelog entry.")},
    {"id": "go", **user("Good, go on.")},
]

PROBES = [
    {
        "id": "batch",
        "kind": "recall",
        "question": "What is the batch size, and how long does the import take?",
        "facts": [
            fact("the batch size is 750", "value", ["edit"], ["batch size"], ["750"]),
            fact("the import takes 12 seconds", "value", ["state"], ["import"], ["12 seconds"]),
            fact("all 44 tests pass", "state", ["state"], ["44"], ["pass"]),
        ],
        "traps": [
            {
                "text": "the batch size is 200",
                "type": "value",
                "keys": [["batch size"], ["200"]],
                "of": "the batch size is 750",
            }
        ],
    },
    {
        "id": "failure",
        "kind": "recall",
        "question": "Which command failed, with which error, and where?",
        "facts": [
            fact(
                "ValueError: too many values to unpack",
                "error",
                ["error"],
                ["ValueError"],
                ["too many values"],
            ),
            fact("it was raised in parse_order", "identifier", ["error"], ["parse_order"]),
            fact("pytest -q tests/orders was run", "command", ["fail"], ["pytest -q tests/orders"]),
        ],
        "answer": {"format": "list", "max_items": 4},
    },
    {
        "id": "files",
        "kind": "file",
        "question": "Which files were created, modified, renamed and read?",
        "facts": [
            fact(
                "src/orders/reader.py was created",
                "path",
                ["wrote"],
                ["src/orders/reader.py"],
                change="created",
            ),
            fact(
                "src/orders/batch.py was modified",
                "path",
                ["edit"],
                ["src/orders/batch.py"],
                change="modified",
            ),
            fact(
                "src/orders/util.py was renamed",
                "path",
                ["renamed"],
                ["src/orders/util.py"],
                change="renamed",
            ),
            fact(
                "src/orders/parse.py was read",
                "path",
                ["look"],
                ["src/orders/parse.py"],
                change="read",
            ),
        ],
        "traps": [{"text": "legacy/load.py was modified", "type": "path"}],
        "answer": {"format": "list"},
    },
    {
        "id": "choice",
        "kind": "decision",
        "question": "What was decided, and why?",
        "facts": [
            fact("the csv module is used", "decision", ["choice"], ["csv"], ["use", "decide"]),
            fact("quoted fields hold a semicolon", "reason", ["choice"], ["quoted"], ["semicolon"]),
        ],
    },
    {
        "id": "onward",
        "kind": "continuation",
        "question": "What is to be done next, and what must not be done?",
        "facts": [
            fact("write the changelog entry", "next_step", ["next"], ["changelog"]),
            fact(
                "never add a dependency",
                "constraint",
                ["rules"],
                ["never add a dependency", "no new dependency"],
            ),
            fact(
                "never touch the files under legacy/",
                "constraint",
                ["rules"],
                ["never touch", "not touch"],
                ["legacy/"],
            ),
        ],
        "answer": {"max_words": 60, "forbid": ["pandas"]},
    },
]


def typed_case(**changes):
    """The case, built; keyword arguments replace top-level keys."""
    data = {
        "id": "typed",
        "task": "debugging",
        "window": 4000,
        "budget": 1000,
        "messages": MESSAGES,
        "compaction_points": [{"id": "early", "after": "old"}, {"id": "end", "after": "go"}],
        "probes": PROBES,
    }
    return case_from_json({**data, **changes})
