"""Folders that a run makes for itself, which git ignores."""

from __future__ import annotations

from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder that git ignores; an existing folder stays as it is."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if missing:
        (missing[-1] / ".gitignore").write_text("*\n", "utf-8")
