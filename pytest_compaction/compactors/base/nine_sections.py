"""Nine sections of a coding session that several products ask for, in our own words."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "request",
        "Primary request and intent",
        "Everything that the user explicitly asked for, in detail.",
        ("intent",),
        1.0,
    ),
    Section(
        "concepts",
        "Key technical concepts",
        "Technologies, frameworks and terms that matter here, with exact values.",
        ("values",),
        0.6,
    ),
    Section(
        "files",
        "Files and code sections",
        "Each file looked at, changed or created: why it matters and what was changed in it.",
        ("files",),
        1.2,
    ),
    Section(
        "errors",
        "Errors and fixes",
        "Every error met, how it was fixed, and what the user said about it.",
        ("errors",),
        1.0,
    ),
    Section(
        "solving",
        "Problem solving",
        "Problems solved, decisions with their reasons, and what is still being looked into.",
        ("decisions",),
        1.0,
    ),
    Section(
        "users",
        "All user messages",
        "What the user wrote, message by message, tool results left out.",
        ("intent",),
        0.8,
    ),
    Section(
        "pending", "Pending tasks", "Tasks that were asked for and are not done.", ("next",), 0.5
    ),
    Section(
        "current",
        "Current work",
        "What was being done right before this summary, with file names and code.",
        ("state",),
        0.6,
    ),
    Section(
        "next",
        "Next step",
        "The step that follows from the latest work, with a quotation that shows it.",
        ("next",),
        0.3,
    ),
)
