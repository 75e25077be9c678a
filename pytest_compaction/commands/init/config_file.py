"""The file in which pytest finds the settings of a project, and lines that are added to it.

Nothing else of the file changes, not a byte: lines are put below the heading of a table, and the
result is read again before it is written.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import re
import shlex
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands import import_transcripts
from pytest_compaction.commands.arguments import CommandError, complain

MODULE: Final = "my_compactor"
FUNCTION: Final = "compact"
_WORKFLOW: Final = Path(".github/workflows/compaction.yml")


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be written, with what is shown of it before: its text, or what is in it."""

    path: Path
    text: str
    shown: str

    def is_there(self) -> bool:
        return self.path.exists() or self.path.is_symlink()

    def write(self) -> None:
        """Write the file; raises ``FileExistsError`` if it was made in the meantime."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("x", encoding="utf-8") as file:
            file.write(self.text)


def compactor_file() -> NewFile:
    """A function that stands for the compactor of the project, and runs as it is."""
    text = _template("compactor.txt")
    return NewFile(Path(f"{MODULE}.py"), text, text)


def workflow_file(
    command: str, keys: Sequence[str] = (), addresses: Sequence[str] = (), data: Path | None = None
) -> NewFile:
    """A GitHub workflow that runs a command for each push and pull request."""
    project, packages = Path("pyproject.toml"), ""
    is_project = project.is_file() and "[project]" in project.read_text("utf-8", "replace")
    if is_project or Path("setup.py").is_file() or Path("setup.cfg").is_file():
        packages = ". "
    elif Path("requirements.txt").is_file():
        packages = "-r requirements.txt "
    variables = [(name, "secrets") for name in keys] + [(name, "vars") for name in addresses]
    lines = [f"          {name}: ${{{{ {of}.{name} }}}}" for name, of in variables]
    values = "".join(f"${name}" for name in keys)
    parts = {
        "{packages}": f"{packages}pytest-compaction",
        "{fetch}": "" if data is None else _FETCH.replace("{data}", shlex.quote(str(data))),
        "{keys}": "\n".join(["        env:", *lines, ""]) if lines else "",
        "{command}": command,
        "{replay}": f' $([ -n "{values}" ] || echo --compaction-replay)' if keys else "",
    }
    text = _template("workflow.txt")
    for mark, part in parts.items():
        text = text.replace(mark, part)
    return NewFile(_WORKFLOW, text, text)


_FETCH: Final = """\
      - name: Fetch the sessions, which lie outside the repository
        env:
          GH_TOKEN: ${{ github.token }}
        run: |
          [ -d {data} ] || gh run download --name compaction-data --dir {data}
"""


def case_files(
    transcripts: Sequence[Path], folder: Path, target: Path
) -> tuple[list[NewFile], str]:
    """The cases of transcripts, made in an empty ``folder`` for ``target``, and what was said."""
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
        if not count:
            complain(
                f"{path.stem} gives only proposed questions and is left out: import it, answer "
                "them (pytest-compaction review), and run init again"
            )
            continue
        made.append(NewFile(target / path.name, text, f"a case with {count} probes"))
    return made, said.getvalue().replace(str(folder), str(target))


def _template(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


_TOML: Final = ".toml"
Value = list[str] | str | int | bool
_TABLES: Final = (
    ("pytest.toml", ("pytest",)),
    (".pytest.toml", ("pytest",)),
    ("pytest.ini", ("pytest",)),
    (".pytest.ini", ("pytest",)),
    ("pyproject.toml", ("tool.pytest", "tool.pytest.ini_options")),
    ("tox.ini", ("pytest",)),
    ("setup.cfg", ("tool:pytest",)),
)
"""The files and tables that pytest looks for, in its order."""
_ALWAYS_READ: Final = frozenset({"pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini"})
"""Files that pytest takes even if they have no table of its own."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """The file of the settings, its text as it is, and the table that holds them."""

    path: Path
    table: str
    text: str = ""
    is_new: bool = False
    is_new_table: bool = False

    def values(self) -> Mapping[str, Any]:
        """The settings that the file has. Raises :class:`CommandError` for a broken file."""
        found: Any = _parsed(self.path, self.text)
        for name in [self.table] if self.path.suffix != _TOML else self.table.split("."):
            found = found.get(name, {}) if isinstance(found, dict) else {}
        return found if isinstance(found, dict) else {}

    def lines(self, settings: Mapping[str, Value], comment: str = "") -> list[str]:
        """The lines that are added, the heading among them where the file has none."""
        heading = [f"[{self.table}]"] if self.is_new_table else []
        said = [f"# {comment}"] if comment else []
        written = _as_read(self.path, self.table, settings)
        if self.path.suffix == _TOML:
            written = {key: json.dumps(value) for key, value in written.items()}
        return [*heading, *said, *(f"{key} = {value}" for key, value in written.items())]

    def with_lines(self, settings: Mapping[str, Value], comment: str = "") -> str:
        """The text of the file with these settings; a list has one value."""
        newline = "\r\n" if "\r\n" in self.text else "\n"
        added = "".join(f"{line}{newline}" for line in self.lines(settings, comment))
        match = _heading(self.table).search(self.text)
        if match is None:
            gap = newline if self.text else ""
            end = "" if not self.text or self.text.endswith("\n") else newline
            changed = f"{self.text}{end}{gap}{added}"
        else:
            before, after = self.text[: match.end()], self.text[match.end() :]
            changed = f"{before}{'' if before.endswith(chr(10)) else newline}{added}{after}"
        expected = {**self.values(), **_as_read(self.path, self.table, settings)}
        is_right = False
        with contextlib.suppress(CommandError):
            is_right = dict(ConfigFile(self.path, self.table, changed).values()) == expected
        if not is_right:
            wanted = "; ".join(self.lines(settings))
            raise CommandError(
                f"{self.path.name}: the table {self.table} is written in a way that no line can be "
                f"added to safely; add there yourself: {wanted}"
            )
        return changed


def config_file(root: Path) -> ConfigFile:
    """The file in which pytest finds the settings of a folder, or the one to be made."""
    for name, tables in _TABLES:
        path = root / name
        if not path.is_file():
            continue
        text = _text(path)
        found = next((table for table in tables if _heading(table).search(text)), None)
        if found is not None or name in _ALWAYS_READ:
            return ConfigFile(path, found or tables[0], text, is_new_table=found is None)
    path = root / "pyproject.toml"
    if path.is_file():
        return ConfigFile(path, "tool.pytest", _text(path), is_new_table=True)
    return ConfigFile(root / "pytest.ini", "pytest", is_new=True, is_new_table=True)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path.name} cannot be read: {error}") from None


def _heading(table: str) -> re.Pattern[str]:
    name = r"[ \t]*\.[ \t]*".join(map(re.escape, table.split(".")))
    return re.compile(rf"^[ \t]*\[[ \t]*{name}[ \t]*\][ \t]*([#;].*)?(\r?\n|\Z)", re.MULTILINE)


def _parsed(path: Path, text: str) -> dict[str, Any]:
    import iniconfig  # comes with pytest

    try:
        if path.suffix == _TOML:
            return tomllib.loads(text)
        parsed = iniconfig.IniConfig(str(path), data=text)
        return {section.name: dict(section.items()) for section in parsed}
    except (tomllib.TOMLDecodeError, iniconfig.ParseError) as error:
        raise CommandError(f"{path.name} cannot be read: {error}") from None


def _as_read(path: Path, table: str, settings: Mapping[str, Value]) -> dict[str, Any]:
    """The settings as the file holds them; ini files and ``ini_options`` take no numbers."""

    def text(value: Value) -> Value:
        return str(value).lower() if isinstance(value, bool) else str(value)

    if path.suffix != _TOML:
        return {k: v[0] if isinstance(v, list) else text(v) for k, v in settings.items()}
    texts = table.endswith("ini_options")
    return {k: text(v) if texts and isinstance(v, int) else v for k, v in settings.items()}
