"""Which dialogues are replayed, and how."""

from __future__ import annotations

from typing import Any

from pytest_compaction.options.values import number, split
from pytest_compaction.settings import HISTORIES, DialogueSettings, OptionError


def dialogue_settings(raw: dict[str, Any]) -> DialogueSettings:
    """Which dialogues are replayed and how; raises :class:`OptionError` for unusable values."""
    history = raw["compaction_history"]
    if history not in HISTORIES:
        expected = ", ".join(HISTORIES)
        raise OptionError(f"--compaction-history={history} is not one of {expected}")
    return DialogueSettings(
        tasks=tuple(dict.fromkeys(split(raw, "compaction_tasks"))),
        limit=number(raw, "compaction_limit"),
        history=history,
        consistency=number(raw, "compaction_consistency"),
        budget=number(raw, "compaction_dialogue_budget"),
        window=number(raw, "compaction_dialogue_window"),
    )
