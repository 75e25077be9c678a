"""Invariants that several originals break, as the traits of their faithful profile name them."""

from __future__ import annotations

from typing import Final

AS_WRITTEN: Final = {
    "summary-is-a-summary": "whatever the model writes is taken for the summary",
}
"""The violation of originals that check only whether anything was written."""

LOW_TRIGGER: Final = 0.4
"""Share of the window below which a trigger may lie under the size of a compacted view."""

DUE_AGAIN: Final = {
    "not-due-after": "a trigger below what a compaction leaves is reached again at once",
}
SET_OFF_AGAIN: Final = {
    **DUE_AGAIN,
    "progress-or-stop": "a trigger below what a compaction leaves sets it off without end",
    "never-larger": "a view that is already small is summarised again and may grow",
}
"""The violations of originals that compact again and again under such a trigger."""
