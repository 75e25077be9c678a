"""Transactions on one small SQLite file that the processes of a run share.

The disk may be slow, and another process may hold the file. Code on an event loop therefore makes
transactions through :meth:`Transactions.off_loop`, in a thread of their own. Where nothing
waits for the result, :meth:`Transactions.post` has them done there.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from pytest_compaction.models.calls.background import Background

_BUSY_S: Final = 60.0
"""How long a transaction waits while other processes write; they take milliseconds each."""
_WAIT_S: Final = 0.02
_LONGEST_WAIT_S: Final = 0.5
"""Waits between looks at the file double up to the longest: the file announces nothing."""
T = TypeVar("T")


class Transactions:
    """One SQLite file, and a thread for what is not to block. Any process or thread may use it.

    ``schema`` makes the tables that are not there yet.
    """

    def __init__(self, path: Path, schema: str, thread_name: str) -> None:
        self.path = path
        self.thread = Background(thread_name)
        self._lock = threading.RLock()
        self._opened: sqlite3.Connection | None = None
        self._failed: sqlite3.Error | None = None
        with self._connection() as db:
            # Readers then never wait for a writer, and a transaction writes one file once.
            db.execute("pragma journal_mode = wal")
            db.executescript(schema)

    async def off_loop(
        self, transaction: Callable[[], T], undo: Callable[[T], object] | None = None
    ) -> T:
        """Do a transaction of these accounts in their thread, and await it.

        Transactions are done in the order in which they are asked for. Whoever is cancelled
        meanwhile gets no result, but the transaction is done all the same; ``undo`` then
        takes it back.
        """
        return await self.thread.result(partial(self._after_failure, transaction), undo)

    def post(self, transaction: Callable[[], object]) -> None:
        """Have a transaction done, after those before it. If it fails, the next :meth:`flush` or
        :meth:`off_loop` raises its error.
        """
        self.thread.post(partial(self._posted, transaction))

    def flush(self) -> None:
        """Wait until all transactions are done. Blocks."""
        self.thread.wait_for(self._raise_failure)

    def close(self) -> None:
        """Do what was posted, and close the file. A later transaction opens it again."""
        self.thread.wait_for(self._close)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            if self._opened is None:
                self._opened = sqlite3.connect(
                    self.path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False
                )
                # The file outlives killed processes but not the machine: no sync of the disk.
                self._opened.execute("pragma synchronous = off")
            yield self._opened

    def _posted(self, transaction: Callable[[], object]) -> None:
        try:
            transaction()
        except sqlite3.Error as error:
            self._failed = self._failed or error

    def _after_failure(self, transaction: Callable[[], T]) -> T:
        self._raise_failure()
        return transaction()

    def _raise_failure(self) -> None:
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed

    def _close(self) -> None:
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None


async def repeat_off_loop(
    file: Transactions, transaction: Callable[[], T | None], undo: Callable[[T], object]
) -> T:
    """Do a transaction off the loop, again after each wait, until its result is not ``None``.

    If the caller is cancelled meanwhile, ``undo`` takes back what the transaction did.
    """

    def undo_result(result: T | None) -> None:
        if result is not None:
            undo(result)

    wait = _WAIT_S
    while (result := await file.off_loop(transaction, undo_result)) is None:
        await asyncio.sleep(wait)
        wait = min(2 * wait, _LONGEST_WAIT_S)
    return result
