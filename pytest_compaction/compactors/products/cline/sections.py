"""The sections of Cline's summaries."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

CONDENSE_SECTIONS: Final = (
    Section(
        "primary_request", "Primary request and intent", "All that the user asked for.", ("intent",)
    ),
    Section("concepts", "Key technical concepts", "Technologies and conventions in play.", (), 0.2),
    Section(
        "files",
        "Files and code",
        "Files looked at, changed or created, with what matters in them.",
        ("files",),
        1.2,
    ),
    Section(
        "problems", "Problem solving", "Errors met, and how they were solved.", ("errors",), 0.8
    ),
    Section("pending", "Pending tasks", "What was asked for and is not done yet.", ("next",), 0.6),
    Section(
        "evolution",
        "Task evolution",
        "How the request changed on the way, and what was decided.",
        ("decisions",),
        1.0,
    ),
    Section("current", "Current work", "What was being done last.", ("state",), 0.6),
    Section("next", "Next step", "The step that follows, in line with the request.", (), 0.2),
    Section(
        "required_files",
        "Required files",
        "Files and values that are needed to go on.",
        ("values",),
        0.8,
    ),
)
AGENTIC_SECTIONS: Final = (
    Section("goal", "Goal", "What is built or mended, in one sentence.", ("intent",), 1.0),
    Section("state", "State", "Done, in progress, blocked.", ("state", "errors"), 1.0),
    Section(
        "highlights",
        "Highlights",
        "Choices and findings that matter.",
        ("decisions", "values"),
        1.5,
    ),
    Section("next", "Next", "The immediate next steps.", ("next",), 0.6),
)
