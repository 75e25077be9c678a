"""Every dialogue as a test item."""

from __future__ import annotations

from typing import Any


def test_dialogue(dialogue: Any, replay: Any) -> None:
    """Answer the user turns from the full history and from the compacted one; compare."""
    replayed = replay(dialogue)
    replayed.check()
