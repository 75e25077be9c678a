"""What is said of a run on its way: calls done of calls known, dollars, and time left."""

from __future__ import annotations

from typing import Final

from pytest_compaction.models import CallCounts

_FEW: Final = 5
"""So many calls must be made before their pace says anything."""
_MINUTE: Final = 60
_HOUR: Final = 60


def progress_text(found: CallCounts, known: int, guessed: bool, elapsed: float) -> str:
    """One line after ``elapsed`` seconds; ``guessed`` if the ``known`` calls are an estimate."""
    total = max(known, found.done)
    parts = [f"{found.done:,} of {'about ' if guessed else ''}{total:,} calls"]
    if found.stored:
        parts[0] += f" ({found.stored:,} from the store)"
    if found.made:
        spent = "no price known" if found.usd is None else f"{found.usd:.4f} US dollars so far"
        parts.append(spent)
    left = seconds_left(found, total, elapsed)
    if left is not None:
        parts.append(f"{duration(left)} left")
    return ", ".join(parts)


def seconds_left(found: CallCounts, known: int, elapsed: float) -> float | None:
    """Seconds for the calls that remain at the pace of those that were made."""
    if found.made < _FEW or known <= found.done or elapsed <= 0:
        return None
    return elapsed / found.made * (known - found.done)


def duration(seconds: float) -> str:
    minutes = round(seconds / _MINUTE)
    if minutes < 1:
        return "less than a minute"
    if minutes < _HOUR:
        return f"about {minutes} min"
    return f"about {minutes // _HOUR} h {minutes % _HOUR} min"
