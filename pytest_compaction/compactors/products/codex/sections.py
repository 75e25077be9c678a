"""The sections of the summary that Codex CLI asks for."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "progress",
        "Progress and key decisions",
        "What has been done so far, to which files, and what was decided and why.",
        ("files", "state", "decisions"),
        1.5,
    ),
    Section(
        "context",
        "Context, constraints and preferences",
        "What the user wants, the limits that hold, and how the user likes things done.",
        ("intent",),
        1.0,
    ),
    Section(
        "remaining",
        "What remains",
        "Clear next steps for whoever takes over.",
        ("next",),
        0.6,
    ),
    Section(
        "references",
        "Critical data and references",
        "Values, names, examples and error texts that are needed to go on.",
        ("values", "errors"),
        1.2,
    ),
)
