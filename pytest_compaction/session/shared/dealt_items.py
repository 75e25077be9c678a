"""Which items the scheduler has dealt to each worker: a file a worker, with a node id a line.

A worker of pytest-xdist is given one item after the other. It reads here which ones will
follow, so that it can work on many cases at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class Dealer:
    """Writes what is dealt; for the controlling process."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def deal(self, worker: str, nodeids: Iterable[str]) -> None:
        """Tell a worker of further items.

        Without room for the file it does not know of them before it is given each.
        """
        lines = "".join(f"{json.dumps(nodeid)}\n" for nodeid in nodeids)
        with (
            suppress(OSError),
            path_for(self._folder, worker).open("a", encoding="ascii") as file,
        ):
            file.write(lines)


class DealtItems:
    """Reads what was dealt to one worker."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def take(self) -> list[str]:
        """The node ids that came since the last call, in their order."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                whole = file.read().rpartition(b"\n")[0]
        except FileNotFoundError:
            return []
        if not whole:
            return []
        self._read += len(whole) + 1
        found: list[str] = []
        for line in whole.split(b"\n"):
            with suppress(ValueError):  # two lines, the first of which there was no room for
                found.append(str(json.loads(line)))
        return found


def path_for(folder: Path, worker: str) -> Path:
    """The file of a worker."""
    return folder / f"dealt-{worker}.jsonl"
