"""The sections of the snapshot that Gemini CLI asks for."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section("overall_goal", "overall_goal", "What the user wants, in one sentence.", ("intent",)),
    Section(
        "active_constraints",
        "active_constraints",
        "Rules and limits that hold, set by the user or found on the way.",
        (),
        0.3,
    ),
    Section(
        "key_knowledge",
        "key_knowledge",
        "Facts, commands and technical findings that the work depends on.",
        ("values", "decisions"),
        2.0,
    ),
    Section(
        "artifact_trail",
        "artifact_trail",
        "How important files and symbols changed, and why.",
        ("files",),
        1.0,
    ),
    Section("file_system_state", "file_system_state", "Files as they are now.", (), 0.3),
    Section(
        "recent_actions", "recent_actions", "The last tool calls and what they gave.", ("errors",)
    ),
    Section(
        "task_state",
        "task_state",
        "The plan, what of it is done, and the very next step.",
        ("state", "next"),
        1.0,
    ),
)
