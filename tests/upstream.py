"""Facts that no longer stand in the sources of products: ``python tests/upstream.py FOLDER``.

``FOLDER`` holds checkouts: work trees, unpacked packages, or git directories without a work tree,
each named like its repository (``codex``, ``openai/codex`` or ``openai+codex/repo``). Each row of
``upstream.toml`` names a strategy, its repository, a file by the end of its path, and texts of it:
constants, headings, triggers. A row of what its repository no longer has names the ``commit`` at
which it was read, and needs a checkout with that commit. Of an npm package the compiled file is
read. The script prints the texts that are gone, and what it could not read; it ends with 1 if a
text or a file is gone. It is for developers who read the products again, and no test of CI.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

TABLE = Path(__file__).with_name("upstream.toml")


def places(folder: Path, repository: str) -> Iterator[Path]:
    """Where a checkout of a repository may be."""
    owner, _, name = repository.partition("/")
    named = (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}", name)
    yield from (folder / each for each in named if (folder / each).is_dir())


def git(place: Path, *arguments: str) -> str:
    """What git says of a directory without a work tree; empty where it cannot."""
    command = ["git", "--git-dir", str(place), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    return done.stdout if done.returncode == 0 else ""


def is_bare(place: Path) -> bool:
    """Whether a folder is a git directory itself."""
    return (place / "HEAD").is_file() and (place / "objects").is_dir()


def texts_of(place: Path, ending: str, commit: str = "HEAD") -> list[str]:
    """The contents of the files whose path ends so, at a commit of a git directory."""
    if is_bare(place):
        names = git(place, "ls-tree", "-r", "--name-only", commit).splitlines()
        found = [name for name in names if f"/{name}".endswith(f"/{ending}")]
        return [git(place, "show", f"{commit}:{name}") for name in found]
    files = sorted(place.rglob(Path(ending).name))
    whole = [f for f in files if f"/{f.as_posix()}".endswith(f"/{ending}") and f.is_file()]
    if not whole and ending.endswith(".ts"):
        return texts_of(place, f"{ending[:-3]}.js")
    return [file.read_text("utf-8", errors="replace") for file in whole]


def version_of(place: Path) -> str:
    """The commit and the date of a checkout, where git knows them."""
    bare = place if is_bare(place) else place / ".git"
    return git(bare, "log", "-1", "--format=%h of %cs").strip() if bare.is_dir() else ""


def findings(folder: Path, row: dict[str, object]) -> tuple[list[str], list[str]]:
    """The lines on a row: what is gone, and what else is to be said."""
    repository, ending, commit = str(row["repository"]), str(row["file"]), row.get("commit")
    place = next(places(folder, repository), None)
    if place is None:
        return [], [f"{repository}: not in the folder, nothing checked"]
    if commit:
        place = place if is_bare(place) else place / ".git"
        if not git(place, "cat-file", "-t", str(commit)):
            return [], [f"{repository}: no commit {commit} there, nothing checked"]
    contents = texts_of(place, ending, str(commit or "HEAD"))
    if not contents:
        return [f"{repository}: no file {ending}"], []
    wanted = [str(text) for text in (row["texts"] if isinstance(row["texts"], list) else [])]
    gone = [text for text in wanted if not any(text in content for content in contents)]
    said = f"{repository} {commit or version_of(place)}".strip()
    missing = [f"{said}: {ending} has no more {text!r}" for text in gone]
    return missing, [] if gone else [f"{said}: {ending} has all {len(wanted)}"]


def main(arguments: list[str]) -> int:
    """Print the findings for each strategy."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        sys.stderr.write("give one folder with checkouts: python tests/upstream.py FOLDER\n")
        return 2
    code = 0
    for row in tomllib.loads(TABLE.read_text("utf-8"))["source"]:
        gone, said = findings(Path(arguments[0]), row)
        code = 1 if gone else code
        for mark, lines in (("GONE", gone), ("ok", said)):
            for line in lines:
                mark = "-" if line.endswith("nothing checked") else mark
                sys.stdout.write(f"{mark:<5}{row['strategy']:<22}{line}\n")
    if code:
        sys.stdout.write("Checkouts older than the versions that were read lack texts too.\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
