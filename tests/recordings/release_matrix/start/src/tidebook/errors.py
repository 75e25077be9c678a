"""Problems that a user can cause, each with a code that the offices know by heart."""

from __future__ import annotations

CODES = {
    "T210": "a line of a station file has no value",
    "T211": "a field of a station file is missing",
    "T212": "a constituent is unknown",
    "T213": "a number cannot be read",
    "T214": "a station file cannot be decoded",
    "T230": "a day cannot be read",
    "T231": "a step is out of range",
    "T250": "a sheet with this name was written by another station",
    "T260": "an export is empty",
}


class TideError(Exception):
    """A problem with its code; the text names the file, never its directory."""

    def __init__(self, code: str, text: str) -> None:
        if code not in CODES:
            raise ValueError(f"unknown code {code}")
        self.code = code
        super().__init__(f"{code} {text}")

    @property
    def exit_code(self) -> int:
        """What the command line ends with: the tens group of the code."""
        return int(self.code[1:]) // 10
