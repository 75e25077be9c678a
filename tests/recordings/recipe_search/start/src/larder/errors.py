"""Errors and their codes.

Codes are stable, people search their mail for them. The first digit decides the
exit code: 1 for faults in the data, 2 for things that do not exist, 3 for usage.
"""

from __future__ import annotations

MESSAGES = {
    110: "{folder}: no such catalogue",
    111: "{place}: not UTF-8",
    121: "{place}: the recipe has no {field}",
    122: "{place}: {field} must be a whole number above 0, not {value!r}",
    123: "{place}: unknown field {field!r}",
    124: "{place}: bad id {value!r}",
    125: "{place}: text outside of a section: {value!r}",
    130: "{place}: the id {value!r} is taken by {other}",
    140: "{place}: {section} {option} must be a whole number, not {value!r}",
    201: "nothing found: {text!r}",
    202: "no recipe with the id {value!r}",
    310: "cannot read {value!r}; write ID or ID:SERVES",
}
EXIT_CODES = {1: 3, 2: 4, 3: 2}


class LarderError(Exception):
    """An error with a code; ``details`` fill the message."""

    def __init__(self, code: int, **details: object) -> None:
        self.code = code
        self.details = details
        super().__init__(f"LAR-{code} {MESSAGES[code].format(**details)}")

    @property
    def exit_code(self) -> int:
        """What the program ends with."""
        return EXIT_CODES[self.code // 100]
