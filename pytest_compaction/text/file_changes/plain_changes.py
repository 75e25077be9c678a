"""Facts without keys that only say what happened to a file: "src/a.py was created"."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pytest_compaction.text.statement import Statement
from pytest_compaction.text.words import is_path, normalize

_CHANGES: Final = {
    "created": "created|added|new|written",
    "modified": "modified|changed|edited|updated",
    "deleted": "deleted|removed|gone",
    "renamed": "renamed|moved",
    "read": "read|opened|viewed|looked at",
}
_PLAIN: Final = re.compile(
    r"(?:the file )?(?P<path>\S+) (?:was|is|has been|were|got) (?:(?:newly|only|just) )?(?:"
    + "|".join(f"(?P<{change}>{words})" for change, words in _CHANGES.items())
    + r")(?: (?:to|as) (?P<new>\S+))?\.?"
)


def with_keys(statement: Statement) -> Statement:
    """The statement, with the path and the change for its keys if it says nothing further."""
    match = None if statement.keys else _PLAIN.fullmatch(normalize(statement.text))
    if match is None:
        return statement
    path = match["new"] or match["path"]
    change = next(change for change in _CHANGES if match[change])
    if not is_path(path) or (match["new"] and change != "renamed"):
        return statement
    return replace(statement, keys=((path,),), change=change)
