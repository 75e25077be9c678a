"""The repository that a session drives: a real git checkout in a temporary folder.

The tools that the assistant calls really change it. Dates, authors, locale and hash
seed are fixed, and durations, memory addresses and the folders of this machine are
replaced by stand-ins, so that the same calls give the same bytes again.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Tool = Callable[..., tuple[str, bool]]
"""Takes the arguments of a call by name; returns its output, and whether it failed."""

HOME = "/home/dev"
_LIBRARY = f"lib/python{sys.version_info.major}.{sys.version_info.minor}"
_STAND_INS = (
    (re.compile(r"\bin \d+\.\d+s\b"), "in 0.42s"),
    (re.compile(r"0x[0-9a-f]{8,16}\b"), "0x7f00c0ffee00"),
    (re.compile(r"\x1b\[[0-9;]*m"), ""),
)


class Repository:
    """A checkout below a workspace folder; ``seed`` gives it its first commit."""

    def __init__(self, name: str, workspace: Path) -> None:
        self.name = name
        self.root = workspace / name
        self.root.mkdir(parents=True)
        self._workspace = workspace
        self._temporary = workspace / "tmp"
        self._temporary.mkdir()
        self._clock = 1_772_000_000
        self.tools: dict[str, Tool] = {
            "bash": self._bash,
            "read_file": self._read_file,
            "write_file": self._write_file,
            "edit_file": self._edit_file,
        }
        """What the assistant can call. A play may bring tools of its own."""

    def seed(self, folder: Path) -> None:
        """Copy the files of a folder and commit them as the history, tagged ``start``.

        A ``.gitignore`` among them that hides another one is an error: a clone of this
        project would not have that file.
        """
        shutil.copytree(folder, self.root, dirs_exist_ok=True, copy_function=shutil.copyfile)
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        self.git("init", "-q", "-b", "main")
        self.git("add", "--", *(str(path.relative_to(self.root)) for path in files))
        self.git("commit", "-q", "-m", "Initial import")
        self.git("tag", "start")

    # What happened before the session; nothing of this is recorded ----------

    def text(self, path: str) -> str:
        """What a file holds."""
        return (self.root / path).read_text(encoding="utf-8")

    def put(self, path: str, content: str) -> None:
        """Write a whole file, and the folders that it needs."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")

    def append(self, path: str, more: str) -> None:
        """Write at the end of a file."""
        self.put(path, self.text(path) + more)

    def change(self, path: str, old: str, new: str) -> None:
        """Replace the one occurrence of ``old`` in a file; any other number is an error."""
        text = self.text(path)
        if text.count(old) != 1:
            raise LookupError(f"{path} holds {old!r} {text.count(old)} times; expected once")
        self.put(path, text.replace(old, new))

    def commit(self, *paragraphs: str, author: str | None = None) -> None:
        """Commit all that has changed. The first paragraph is the subject."""
        by = [f"--author={author}"] if author else []
        self.git("add", "-A")
        self.git("commit", "-q", *by, *(part for text in paragraphs for part in ("-m", text)))

    # What git knows ---------------------------------------------------------

    def git(self, *arguments: str) -> str:
        """Run git without recording it. Returns what it printed; a failure is an error."""
        output, code = self._run(["git", *arguments])
        if code:
            raise RuntimeError(f"git {' '.join(arguments)} ended with {code}: {output.strip()}")
        return output

    def changed(self, since: str, status: str) -> list[str]:
        """Paths that git says were added (``A``), modified (``M``), deleted (``D``) since then.

        A renamed file (``R``) goes by its new path. The index is brought up to date
        first, so work that is not committed counts.
        """
        self.git("add", "-A")
        lines = self.git("diff", "--cached", "-M", "--name-status", since).splitlines()
        return sorted(line.split("\t")[-1] for line in lines if line.startswith(status))

    def check_changed(self, since: str, **expected: Sequence[str]) -> None:
        """Raise ``AssertionError`` where git names other paths than the play.

        ``expected``: sorted paths by ``added``, ``modified``, ``deleted``, ``renamed``;
        what is not named is not looked at.
        """
        for what, paths in expected.items():
            found = self.changed(since, what[0].upper())
            if found != list(paths):
                raise AssertionError(f"{what} since {since}, says git: {found}; not {list(paths)}")

    # The assistant's tools --------------------------------------------------

    def call(self, tool: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """Run a tool. Returns its output with stand-ins, and whether it failed."""
        output, failed = self.tools[tool](**arguments)
        return self._scrub(output), failed

    def _bash(self, command: str) -> tuple[str, bool]:
        output, code = self._run(["bash", "-c", command])
        if code:
            output = f"{output.rstrip()}\n[exit code {code}]"
        return output.strip("\n") or "(no output)", code != 0

    def _read_file(
        self, path: str, first_line: int = 1, last_line: int | None = None
    ) -> tuple[str, bool]:
        if not (self.root / path).exists():
            return f"read_file: no such file: {path}", True
        lines = self.text(path).splitlines()[first_line - 1 : last_line]
        return "\n".join(f"{n:4d}  {line}" for n, line in enumerate(lines, first_line)), False

    def _write_file(self, path: str, content: str) -> tuple[str, bool]:
        verb = "overwrote" if (self.root / path).exists() else "created"
        self.put(path, content)
        return f"{verb} {path} ({len(content.splitlines())} lines)", False

    def _edit_file(self, path: str, old: str, new: str) -> tuple[str, bool]:
        if not (self.root / path).exists():
            return f"edit_file: no such file: {path}", True
        text = self.text(path)
        if text.count(old) != 1:
            return f"edit_file: the text occurs {text.count(old)} times in {path}; expected 1", True
        line = text[: text.index(old)].count("\n") + 1
        self.put(path, text.replace(old, new))
        return f"edited {path} at line {line}", False

    def _run(self, command: Sequence[str]) -> tuple[str, int]:
        self._clock += 97
        stamp = f"{self._clock} +0000"
        environment = {
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self._workspace),
            "TMPDIR": str(self._temporary),
            # Runs side by side would remove each other's old folders, and warn where they meet.
            "PYTEST_ADDOPTS": "--override-ini=tmp_path_retention_count=10000",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "PYTHONHASHSEED": "0",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": "src:.",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PY_COLORS": "0",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_PAGER": "cat",
            "GIT_AUTHOR_NAME": "Dev",
            "GIT_AUTHOR_EMAIL": "dev@example.org",
            "GIT_COMMITTER_NAME": "Dev",
            "GIT_COMMITTER_EMAIL": "dev@example.org",
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_DATE": stamp,
        }
        done = subprocess.run(
            command,
            cwd=self.root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
        )
        return done.stdout.decode("utf-8", "replace"), done.returncode

    def _scrub(self, output: str) -> str:
        folders = (
            (str(self._workspace.resolve()), HOME),
            (str(self._workspace), HOME),
            (str(Path(sys.executable).parent), f"{HOME}/.venv/bin"),
            (sysconfig.get_path("purelib"), f"{HOME}/.venv/{_LIBRARY}/site-packages"),
            (sysconfig.get_path("stdlib"), f"/usr/{_LIBRARY}"),
        )
        for folder, stand_in in folders:
            output = output.replace(folder, stand_in)
        for pattern, text in _STAND_INS:
            output = pattern.sub(text, output)
        return output


def versions() -> dict[str, str]:
    """The minor versions that outputs depend on."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    import pytest

    return {
        "git": ".".join(git.split()[2].split(".")[:2]),
        "pytest": ".".join(pytest.__version__.split(".")[:2]),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
    }
