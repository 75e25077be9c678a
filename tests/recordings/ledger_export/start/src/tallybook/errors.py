"""Errors with a stable code. The codes are part of the interface: scripts grep for them.

TB-1xx  wrong usage: an amount, a month, a format name
TB-2xx  bad data in the journal
TB-4xx  something asked for does not exist
TB-5xx  configuration
"""

from __future__ import annotations

_EXIT_CODES = {"1": 2, "2": 3, "4": 4, "5": 5}


class LedgerError(Exception):
    """Everything that tallybook reports to its user."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"

    @property
    def exit_code(self) -> int:
        """What the process exits with: 2 usage, 3 data, 4 not found, 5 configuration."""
        return _EXIT_CODES.get(self.code.removeprefix("TB-")[:1], 1)
