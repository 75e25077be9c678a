"""Six sections of a checkpoint that several products ask for, in our own words."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models.structured_summary import Section

SECTIONS: Final = (
    Section(
        "goal", "Goal", "What the user wants to reach, one entry for each task.", ("intent",), 1.0
    ),
    Section(
        "constraints",
        "Constraints and preferences",
        "Conditions and wishes that the user named, or that there are none.",
        (),
        0.3,
    ),
    Section(
        "progress",
        "Progress",
        "What is done, what is being done, and what stands in the way.",
        ("files", "state"),
        1.2,
    ),
    Section(
        "decisions", "Key decisions", "Each decision with its reason, briefly.", ("decisions",), 1.0
    ),
    Section("next", "Next steps", "What is to be done next, in order.", ("next",), 0.6),
    Section(
        "critical",
        "Critical context",
        "Data, references and exact error texts that are needed to go on.",
        ("values", "errors"),
        1.2,
    ),
)
