"""What can go wrong, with the codes that the desks show."""

from __future__ import annotations

CODES = {
    "L10": "unknown card",
    "L11": "unknown item",
    "L20": "nothing free",
    "L21": "not on loan",
    "L30": "fees to pay",
    "L31": "too many loans",
    "L40": "reserved already",
    "M10": "file is newer than the program",
    "M11": "file has to be migrated",
    "M12": "migration failed",
    "B50": "no backup",
}


class TinshelfError(Exception):
    """An error with a code out of ``CODES``."""

    def __init__(self, code: str, detail: str) -> None:
        self.code = code
        self.detail = detail
        super().__init__(f"{code} {CODES[code]}: {detail}")


class RuleError(TinshelfError):
    """The library does not allow it."""


class FileError(TinshelfError):
    """Something is wrong with the file."""
