"""The trees of two git refs, each checked out in a temporary folder and removed at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.commands.arguments import CommandError
from pytest_compaction.text import printable

_IMPORTED: Final = """
import inspect, sys
from pytest_compaction.compactors import Registry, UnknownCompactorError, parse_spec
sys.path.insert(0, sys.argv[2])
try:
    spec = parse_spec(sys.argv[1])
    Registry().create(spec)
except UnknownCompactorError as error:
    sys.exit(str(error))
module = sys.modules.get(spec.target.partition(":")[0])
print(getattr(module, "__file__", None) or "")
"""
"""Makes a strategy and prints the file of its module; ends with why it cannot be made."""


@dataclass(frozen=True, slots=True)
class Tree:
    """A ref that is checked out at ``root``; ``folder`` stands for that of the command."""

    name: str
    folder: Path
    root: Path

    @property
    def environment(self) -> Mapping[str, str]:
        """This tree is the first place that modules are looked for."""
        places = [self.folder, self.folder / "src", *filter(None, [os.environ.get("PYTHONPATH")])]
        return {"PYTHONPATH": os.pathsep.join(map(str, places)), "PYTHONDONTWRITEBYTECODE": "1"}

    def place(self, path: str) -> str:
        """A path in this tree; that of the working folder if the ref does not hold it."""
        here = self.folder / path
        return str(here if here.exists() else Path(path).absolute())


@contextmanager
def trees_of(refs: str, compactor: str) -> Iterator[tuple[Tree, Tree]]:
    """The trees of ``A..B``, or of ``A...B`` from where B left A; both can make the compactor."""
    root = _git(
        ["rev-parse", "--show-toplevel"],
        "this folder is in no git repository; go to the one that holds the compactor",
    )
    prefix = _git(["rev-parse", "--show-prefix"])
    between = "..." if "..." in refs else ".."
    names = [name or "HEAD" for name in refs.split(between, 1)]
    commits = [
        _git(
            ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"],
            f"git knows no commit {ref!r}; fetch it first (git fetch origin), and in CI check "
            "out with fetch-depth: 0",
        )
        for ref in names
    ]
    if between == "...":
        otherwise = f"{names[0]} and {names[1]} have no commit in common; compare them with .."
        commits[0] = _git(["merge-base", *commits], otherwise)
    with _terminated_as_interrupted(), tempfile.TemporaryDirectory() as temporary:
        places = [Path(temporary).resolve() / f"{i}-{c[:8]}" for i, c in enumerate(commits)]
        trees = [
            Tree(f"{printable(name, 40)} ({commit[:8]})", place / prefix, place)
            for name, commit, place in zip(names, commits, places, strict=True)
        ]
        try:
            for tree, commit, place in zip(trees, commits, places, strict=True):
                _git(["-C", root, "worktree", "add", "--detach", "--quiet", str(place), commit])
                _check(tree, compactor)
            yield trees[0], trees[1]
        finally:
            for place in places:
                with suppress(CommandError):
                    _git(["-C", root, "worktree", "remove", "--force", str(place)])
            with suppress(CommandError):
                _git(["-C", root, "worktree", "prune"])


def _check(tree: Tree, compactor: str) -> None:
    """Raise unless the compactor is imported from this tree."""
    if not tree.folder.is_dir():
        raise CommandError(
            f"{tree.name} lacks this folder; run the command in one that both refs have"
        )
    ended = subprocess.run(
        [sys.executable, "-c", _IMPORTED, compactor, str(tree.folder)],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        cwd=tree.folder,
        env={**os.environ, **tree.environment},
    )
    if ended.returncode:
        lines = ended.stderr.strip().splitlines()
        raise CommandError(
            f"--compactor={compactor} cannot be made at {tree.name}: "
            f"{printable(lines[-1] if lines else 'python failed', 400)}; name a function that both "
            "refs have"
        )
    lines = ended.stdout.strip().splitlines()
    file = lines[-1] if lines else ""
    if file and not Path(file).resolve().is_relative_to(tree.folder.resolve()):
        raise CommandError(
            f"at {tree.name} {compactor} was imported from {printable(file)}, which is not in the "
            "repository at that ref, so that both refs would run the same code; run the command in "
            "the folder from which the module is imported"
        )


def _git(arguments: Sequence[str], otherwise: str = "") -> str:
    try:
        ended = subprocess.run(
            ["git", *arguments], capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError:
        raise CommandError("git is not installed, and two refs are compared with it") from None
    if ended.returncode:
        raise CommandError(
            otherwise or f"git {' '.join(arguments)} failed: {printable(ended.stderr.strip())}"
        )
    return ended.stdout.strip()


@contextmanager
def _terminated_as_interrupted() -> Iterator[None]:
    """Let a signal to terminate end this as Ctrl-C does, so that all is cleaned up."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
