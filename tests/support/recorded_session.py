"""An imported session with a view on record, as a case in a folder of its own."""

import json

from support.paths import public_data

from pytest_compaction import cli

SUMMARY = (
    "The user asked to analyze this codebase and create a CLAUDE.md file. Open steps: "
    "Examine source code structure. Create comprehensive CLAUDE.md file. "
    + "The agent went through the folders one after the other. "
    * 60
)
"""States the request and two of the three open steps that the probes after ``p1`` ask for."""


def _fact(text, type, keys, evidence):
    return {"text": text, "type": type, "keys": [[key] for key in keys], "evidence": evidence}


PROBES = [
    {
        "id": "request",
        "kind": "continuation",
        "question": "What did the user ask for last?",
        "facts": [
            _fact(
                "analyze this codebase and create a CLAUDE.md file",
                "state",
                ["analyze", "CLAUDE.md", "codebase"],
                ["m0001", "m0002"],
            )
        ],
        "point": "p1",
    },
    {
        "id": "open-steps",
        "kind": "continuation",
        "question": "Which steps of the plan were not finished yet?",
        "facts": [
            _fact(text, "next_step", keys, ["m0002", "m0009"])
            for text, keys in (
                ("Examine source code structure", ["examine", "source", "structure"]),
                (
                    "Look for configuration files and development setup",
                    ["look", "configuration", "development", "setup"],
                ),
                ("Create comprehensive CLAUDE.md file", ["create", "CLAUDE.md", "comprehensive"]),
            )
        ],
        "point": "p1",
    },
]
"""Written by hand, as the rules that derive probes may change."""


def write_recorded_session(folder):
    """The case file of a Claude Code session; returns its path.

    The session compacted nothing itself: the view that it might have had is written here.
    """
    source = public_data("claude-code/session.jsonl")
    assert cli.main(["import", str(source), "-o", str(folder), "--task", "coding"]) == 0
    (path,) = folder.glob("*.json")
    data = json.loads(path.read_text("utf-8"))
    data["compaction_points"][0]["recorded"] = {"summary": SUMMARY}
    data["probes"] = PROBES
    path.write_text(json.dumps(data), "utf-8")
    return path
