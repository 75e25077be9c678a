"""The sections of OpenHands' summary."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "user_context",
        "User context",
        "What the user needs, aims at and has made clear, in few words.",
        ("intent",),
        1.0,
    ),
    Section(
        "task_tracking",
        "Task tracking",
        "Tasks that are being tracked, with their exact ids and where each stands.",
        (),
        0.2,
    ),
    Section("completed", "Completed", "What is done, and what came of it.", ("decisions",), 1.2),
    Section("pending", "Pending", "What is still to be done.", ("next",), 0.6),
    Section(
        "current_state",
        "Current state",
        "Values, structures and conditions that hold now.",
        ("values",),
        1.0,
    ),
    Section(
        "code_state",
        "Code state",
        "Paths of files, signatures of functions, structures of data.",
        ("files",),
        1.0,
    ),
    Section(
        "tests", "Tests", "What fails, with the exact errors and output.", ("errors", "state"), 1.0
    ),
    Section("changes", "Changes", "What was edited in the code, and how.", (), 0.2),
    Section("deps", "Dependencies", "Packages, imports and calls to other systems.", (), 0.2),
    Section(
        "version_control",
        "Version control status",
        "Branch, commits, pull requests and what is not committed.",
        (),
        0.2,
    ),
)
