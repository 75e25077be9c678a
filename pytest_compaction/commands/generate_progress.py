"""Says on the error stream, while a model writes, how many calls are done of those known."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO

from pytest_compaction.models.calls.accounts import call_counts
from pytest_compaction.reports.call_progress import progress_text
from pytest_compaction.reports.tables.table_page import cells

clock = time.monotonic
"""Seconds, for the pace of the calls; nothing that is written holds them."""
_SECOND: Final = 1.0
_MINUTE: Final = 60.0


class CallsLine:
    """One line that rewrites itself on a terminal, and one a minute elsewhere.

    ``accounts`` is the file with the calls of the command, and ``known`` about how many there
    will be. Times count from when the line is made.
    """

    def __init__(self, accounts: Path, known: int, file: TextIO) -> None:
        self._accounts = accounts
        self._known = known
        self._file = file
        self._rewrites = file.isatty()
        self._began = clock()

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the line while the block runs, and leave nothing of it on a terminal."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ended,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            if self._rewrites:
                self._write("\r\x1b[K")

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(_SECOND if self._rewrites else _MINUTE):
            try:
                found = call_counts(self._accounts)
            except sqlite3.Error:
                continue  # the next look may find it, and the calls themselves say what is wrong
            text = progress_text(found, self._known, guessed=True, elapsed=clock() - self._began)
            self._show(f"generate: {text}")

    def _show(self, text: str) -> None:
        if not self._rewrites:
            self._write(f"{text}\n")
            return
        while text and cells(text) >= shutil.get_terminal_size().columns:
            text = text[:-1]
        self._write(f"\r{text}\x1b[K")

    def _write(self, text: str) -> None:
        self._file.write(text)
        self._file.flush()
