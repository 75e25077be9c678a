"""Cuts long listings into screens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from tallybook.errors import LedgerError

T = TypeVar("T")


def chunks(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Consecutive pieces of at most ``size`` items; nothing at all for no items."""
    if size < 1:
        raise LedgerError("TB-121", f"a page needs at least one line, not {size}")
    for start in range(0, len(items), size):
        yield items[start : start + size]


def screens(text: str, height: int, more: str = "-- more --") -> list[str]:
    """A text cut into screens of ``height`` lines, each but the last with a prompt below."""
    pieces = ["\n".join(piece) for piece in chunks(text.splitlines(), max(height - 1, 1))]
    return [f"{piece}\n{more}" for piece in pieces[:-1]] + pieces[-1:]
