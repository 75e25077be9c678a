"""What ends a run, with the code that the shore watch looks for."""

from __future__ import annotations

EXIT_CODES = {"R101": 66, "R205": 65, "R310": 78, "R507": 73}


class ShipError(Exception):
    """A failure that ends the run."""

    def __init__(self, code: str, place: str, problem: str) -> None:
        self.code = code
        self.place = place
        self.problem = problem
        super().__init__(f"{code} {place}: {problem}")

    @property
    def exit_code(self) -> int:
        """The exit code of the process."""
        return EXIT_CODES[self.code]


class MalformedLine(ValueError):
    """A line that is no record; the text says why."""
