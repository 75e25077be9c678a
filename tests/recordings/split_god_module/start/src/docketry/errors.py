"""What can go wrong, each with a code that the till shows."""

from __future__ import annotations


class DocketryError(Exception):
    """Base of all errors; ``code`` is DK and two digits."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code


class LoadError(DocketryError):
    """A file that does not hold an invoice."""
