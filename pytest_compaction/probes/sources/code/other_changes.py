"""Which files did something change that is not an edit whose text is known?"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable

from pytest_compaction.artifacts.file_states import EVERY_PATH
from pytest_compaction.artifacts.known_files import same_end
from pytest_compaction.probes.log import ProbeLog


class OtherChanges:
    """When files were or may have been changed by something other than the known edits.

    ``known`` holds the message and the path of each known edit.
    """

    def __init__(self, log: ProbeLog, known: Iterable[tuple[str, str]]) -> None:
        self._others: dict[str, int] = {}
        self._all: dict[str, dict[str, int]] = {}
        self._everything = -1
        left = Counter(known)
        for operation in log.operations:
            place = log.position[operation.message_id]
            sure_failure = operation.certain and not operation.succeeded
            if operation.operation == "read" or place > log.points[-1] or sure_failure:
                continue
            if operation.path == EVERY_PATH:
                self._everything = place
                continue
            renamed = operation.operation == "renamed"
            for path in {operation.path, operation.detail if renamed else operation.path}:
                self._all.setdefault(posixpath.basename(path), {})[path] = place
                left[operation.message_id, path] -= 1
                if left[operation.message_id, path] < 0 or not operation.certain:
                    self._others[path] = place

    def last(self, path: str) -> int:
        """The position of the last other change of the file under any name; -1 if there is none."""
        namesakes = self._all.get(posixpath.basename(path), {})
        ends = (place for other, place in namesakes.items() if same_end(other, path))
        return max(self._everything, self._others.get(path, -1), *ends, -1)
