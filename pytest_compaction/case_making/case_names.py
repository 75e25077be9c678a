"""Names of cases: after the file of a session, or its folder where the file's name says nothing.

Many programs give every session a file of the same name, in a folder of its own. The ids of
their cases would be meaningless, and one case would overwrite the other.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

MAX_ID: Final = 80
MAX_NAME: Final = 50
"""The most characters of a case id, and of the name of the conversation in it."""
_COMMON: Final = frozenset(
    """agent aider api chat chats claude conversation conversations data event events history log
    logs message messages out output rollout session sessions thread traj trajectory transcript
    transcripts ui""".split()
)
"""Words that tell no session from another."""


def case_names(paths: Iterable[Path]) -> dict[Path, str]:
    """The name of the session in each file; those of different files differ if possible.

    A file is named by its stem, or by its folder if every word of the stem is a common one.
    Where two names are the same, the folders above are added, as many as it takes. A home
    folder is never in a name, nor what is above it.
    """
    above = {path: _folders(path) for path in paths}
    own = {path: "" if _is_common(path.stem) and above[path] else path.stem for path in above}
    taken = dict.fromkeys(above, 0)
    taken.update((path, 1) for path in above if not own[path])
    while True:
        names: dict[Path, str] = {}
        files: dict[str, set[Path]] = defaultdict(set)
        for path, folders in above.items():
            parts = (*folders[len(folders) - taken[path] :], own[path])
            names[path] = "-".join(part for part in parts if part)
            files[slug(names[path]).casefold()].add(path.resolve())
        growing = [
            path
            for path, name in names.items()
            if len(files[slug(name).casefold()]) > 1 and taken[path] < len(above[path])
        ]
        if not growing:
            return names
        taken.update((path, taken[path] + 1) for path in growing)


def slug(stem: str, name: str = "") -> str:
    """A case id from the name of a session and that of one of the conversations in its file.

    It has letters, digits, dots, dashes and underscores, at most 80. A name that is too
    long is cut and gets a digest, so that names stay distinct.
    """
    suffix = _cleaned(f"-{name}") if name else ""
    if len(suffix) > MAX_NAME:
        mark = hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
        suffix = f"{suffix[: MAX_NAME - 9]}-{mark}"
    cleaned = _cleaned(stem).strip("-._") or "session"
    return cleaned[: MAX_ID - len(suffix)] + suffix


def _folders(path: Path) -> tuple[str, ...]:
    """The folders above a file, the outermost first; of those below the home, only these."""
    folder = path.resolve().parent
    try:
        return folder.relative_to(Path.home().resolve()).parts
    except (ValueError, RuntimeError):
        return folder.parts[1:]


def _is_common(stem: str) -> bool:
    return all(word.casefold() in _COMMON for word in re.findall(r"[^\W_]+", stem))


def _cleaned(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)
