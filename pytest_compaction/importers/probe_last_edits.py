"""File probes from the last edit of a file: the line that it left there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import FileOperation, file_operations, file_states
from pytest_compaction.importers.probe_log import Draft, ProbeLog

_PASSING: Final = re.compile(r"^(?:/tmp/|/var/|/private/|/dev/)|(?:^|/)node_modules/")
_COMMENT: Final = re.compile(r"\s{2,}(?:#|//|/\*|--)\s.*\Z|\s+# .*\Z")
_SHORTEST: Final = 16
_MAX_MENTIONS: Final = 6


def last_edit_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft a file that was changed and is still there, in the words of its last edit."""
    last = len(log.points) - 1
    asked = log.points[last]
    operations = [o for o in file_operations(log.messages) if log.position[o.message_id] <= asked]
    latest: dict[str, FileOperation] = {}
    for operation in operations:
        if operation.succeeded and operation.operation == "modified" and operation.detail:
            latest[operation.path] = operation
    gone = {state.path for state in file_states(operations) if state.deleted}
    for path, operation in latest.items():
        line = _COMMENT.sub("", operation.detail).strip()
        found = log.find(line, asked, "modified", most=_MAX_MENTIONS)
        if path in gone or _PASSING.search(path) or len(line) < _SHORTEST or found is None:
            continue
        yield Draft(
            "file",
            "last-edit",
            f"Which line of code or text did the last edit of `{path}` put in? "
            "Give it as it stands there.",
            (found,),
            last,
            0.38,
            least=1,
        )
