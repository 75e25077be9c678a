"""What is said of a run on its way: calls done, and dollars."""

from __future__ import annotations

from pytest_compaction.models import CallCounts


def progress_text(found: CallCounts) -> str:
    """The calls that are done, and what they cost, in one line."""
    text = f"{found.done:,} call{'' if found.done == 1 else 's'}"
    if found.stored:
        text += f" ({found.stored:,} from the store)"
    if found.made:
        spent = "no price known" if found.usd is None else f"{found.usd:.4f} US dollars so far"
        text += f", {spent}"
    return text
