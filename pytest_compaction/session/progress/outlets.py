"""Where the line on the calls goes: below the cursor of a terminal, or once a minute elsewhere."""

from __future__ import annotations

from typing import Final, Protocol, TextIO

import pytest

from pytest_compaction.reports.tables.table_page import cells

_SECOND: Final = 1.0
_MINUTE: Final = 60.0
_CLEAR: Final = "\x1b[K"
_UP: Final = "\x1b[A"


class Outlet(Protocol):
    """Shows the newest text; ``interval`` is the seconds from one text to the next."""

    interval: float

    def show(self, text: str) -> None:
        """Show a text in place of the one before."""

    def erase(self) -> None:
        """Make room for what pytest writes."""

    def restore(self) -> None:
        """Show again what was erased."""


class WrittenWriter(Protocol):
    """Pytest's terminal writer, as far as it knows where the cursor is."""

    @property
    def fullwidth(self) -> int:
        """Columns of the terminal."""

    @property
    def width_of_current_line(self) -> int:
        """Columns that were written since the last line ended."""


class RewrittenLine:
    """One line of a terminal, below the one in which pytest writes, where the cursor returns to."""

    interval = _SECOND

    def __init__(self, writer: WrittenWriter, file: TextIO) -> None:
        self._writer = writer
        self._file = file
        self._text = ""
        self._shown = False

    def show(self, text: str) -> None:
        """Write the line anew, cut to the width of the terminal."""
        self._text = text
        while text and cells(text) >= self._writer.fullwidth:
            text = text[:-1]
        self._below(text)
        self._shown = True

    def erase(self) -> None:
        """Empty the line, into which pytest's next line would be written."""
        if self._shown:
            self._below("")
            self._shown = False

    def restore(self) -> None:
        """Write it again below what pytest has written."""
        if self._text:
            self.show(self._text)

    def _below(self, text: str) -> None:
        # A line feed makes room at the end of the screen; how far it scrolls is not known, so
        # the way back is one line up and not to a place that was remembered.
        column = self._writer.width_of_current_line % max(self._writer.fullwidth, 1)
        back = f"\x1b[{column}C" if column else ""
        self._file.write(f"\n\r{text}{_CLEAR}{_UP}\r{back}")
        self._file.flush()


class LineAMinute:
    """A line of its own for each text, where nothing can be rewritten."""

    interval = _MINUTE

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter

    def show(self, text: str) -> None:
        """Write the line; pytest goes on in the next one."""
        self._reporter.write_line(text)
        self._reporter.flush()

    def erase(self) -> None:
        """Leave what was written."""

    def restore(self) -> None:
        """Write nothing again."""


def outlet_for(config: pytest.Config) -> Outlet | None:
    """Where the line of a run goes; ``None`` if it is to be silent.

    It is silent with ``-q``, in a debugger, and where another plugin writes the report in its own
    way. With ``-s`` and live logs others move the cursor, so that no line can be rewritten.
    """
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if type(reporter) is not pytest.TerminalReporter or config.get_verbosity() < 0:
        return None
    if config.getoption("usepdb", False) or config.getoption("trace", False):
        return None
    writer = config.get_terminal_writer()
    # What the writer writes counts as part of pytest's line, and this is none.
    file: TextIO | None = getattr(writer, "_file", None)
    shared = config.getoption("capture", "fd") == "no" or _logs_live(config)
    if file is None or shared or not (file.isatty() and writer.hasmarkup):
        return LineAMinute(reporter)
    return RewrittenLine(writer, file)


def _logs_live(config: pytest.Config) -> bool:
    if not config.pluginmanager.hasplugin("logging-plugin"):
        return False
    return bool(config.getoption("log_cli_level", None) or config.getini("log_cli"))
