"""The files that are to be written: a compactor, a workflow, and cases from transcripts."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from pytest_compaction.commands import import_transcripts
from pytest_compaction.settings import DEFAULT_CASES

MODULE: Final = "my_compactor"
FUNCTION: Final = "compact"
_WORKFLOW: Final = Path(".github/workflows/compaction.yml")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written, with what is shown of it before: its text, or what is in it."""

    path: Path
    text: str
    shown: str

    def is_there(self, root: Path) -> bool:
        """Whether something of this name exists, which is left as it is."""
        return (root / self.path).exists() or (root / self.path).is_symlink()

    def write(self, root: Path) -> None:
        """Write the file; raises ``FileExistsError`` if it was made in the meantime."""
        target = root / self.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(self.text)


def compactor_file() -> NewFile:
    """A function that stands for the compactor of the project, and runs as it is."""
    text = _template("compactor.txt")
    return NewFile(Path(f"{MODULE}.py"), text, text)


def workflow_file(command: str, root: Path) -> NewFile:
    """A GitHub workflow that runs a command for each push and pull request."""
    packages = ["."] if any((root / name).is_file() for name in ("setup.py", "setup.cfg")) else []
    project = root / "pyproject.toml"
    if not packages and project.is_file() and "[project]" in project.read_text("utf-8", "replace"):
        packages = ["."]
    if not packages and (root / "requirements.txt").is_file():
        packages = ["-r requirements.txt"]
    named = " ".join([*packages, "pytest-compaction"])
    text = _template("workflow.txt").replace("{packages}", named).replace("{command}", command)
    return NewFile(_WORKFLOW, text, text)


def case_files(transcripts: Sequence[Path], folder: Path) -> tuple[list[NewFile], str]:
    """The cases that the transcripts give, made in an empty ``folder``, and what was said of them.

    A transcript that cannot be used is said on the error stream, and the others are read.
    """
    parser = argparse.ArgumentParser(prog="pytest-compaction")
    import_transcripts.add(parser.add_subparsers())
    options = parser.parse_args(["import", *map(str, transcripts), "-o", str(folder)])
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        options.run(options)
    made = []
    for path in sorted(folder.glob("*.json")):
        text = path.read_text("utf-8")
        count = len(json.loads(text)["probes"])
        made.append(NewFile(Path(DEFAULT_CASES, path.name), text, f"a case with {count} probes"))
    return made, said.getvalue().replace(str(folder), DEFAULT_CASES)


def _template(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
