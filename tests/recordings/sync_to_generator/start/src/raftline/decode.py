"""Turns lines into records and reports those that are none."""

from __future__ import annotations

from collections.abc import Callable

from raftline.counters import Counters
from raftline.errors import MalformedLine, ShipError
from raftline.records import Line, Record, parse


class Decoder:
    """Reports malformed lines and gives up when there are too many in one file."""

    def __init__(
        self,
        max_rejects: int,
        report: Callable[[str], None],
        counters: Counters,
        on_record: Callable[[Record], None],
        on_end: Callable[[], None],
    ) -> None:
        self.max_rejects = max_rejects
        self.report = report
        self.counters = counters
        self.on_record = on_record
        self.on_end = on_end
        self.rejects = 0

    def feed(self, line: Line) -> None:
        """Pass on the record of a line, or report it."""
        self.counters.lines += 1
        try:
            record = parse(line)
        except MalformedLine as error:
            self._reject(line, str(error))
        else:
            self.on_record(record)

    def end(self) -> None:
        """No more lines in this file."""
        self.on_end()

    def _reject(self, line: Line, problem: str) -> None:
        self.rejects += 1
        self.counters.rejected += 1
        self.report(f"R204 {line.source}:{line.number}: {problem}")
        if self.rejects > self.max_rejects:
            raise ShipError(
                "R205", line.source, f"more than {self.max_rejects} lines rejected, file not shipped"
            )
