"""How long a failed job waits before its next attempt."""

from __future__ import annotations


def delay_for(attempt: int, base: int = 4, cap: int = 300) -> int:
    """Seconds to wait after the given attempt: doubling from ``base`` up to ``cap``."""
    if attempt < 1:
        raise ValueError(f"attempts count from 1, got {attempt}")
    if attempt > 32:
        return cap
    return min(cap, base * 2 ** (attempt - 1))


def schedule(attempts: int, base: int = 4, cap: int = 300) -> list[int]:
    """All delays of a job that fails every time."""
    return [delay_for(attempt, base, cap) for attempt in range(1, attempts + 1)]
