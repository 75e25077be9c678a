"""Checkouts of the project that are measured, and the machine that measures them."""

import importlib.metadata
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGES = ("pytest", "pytest-xdist", "openai")


@dataclass(frozen=True, slots=True)
class Checkout:
    """A folder with the project, and its commit as tables name it."""

    folder: Path
    commit: str


def checkouts(against: Path | None) -> list[Checkout]:
    """The other checkout, if one is named, and this one."""
    folders = [ROOT] if against is None else [against.resolve(), ROOT]
    found = [Checkout(folder, commit_of(folder)) for folder in folders]
    if len({one.commit for one in found}) < len(found):
        raise SystemExit(f"{against} holds the commit {found[0].commit}, as {ROOT} does")
    return found


def commit_of(folder: Path) -> str:
    """The short hash of the commit of a checkout, with a plus sign if files were changed."""
    if not (folder / "pytest_compaction").is_dir():
        raise SystemExit(f"{folder} is no checkout of pytest-compaction")
    commit = _git(folder, "rev-parse", "--short", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--", "pytest_compaction", "cases")
    return f"{commit or 'no commit'}{'+' if changed else ''}"


def machine() -> str:
    """One line: processor, cores, versions, and how many processes wanted to run just now."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in PACKAGES]
    loads = ", ".join(f"{load:.2f}" for load in os.getloadavg())
    return (
        f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{', '.join(versions)}; load average before: {loads}"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True)
    return done.stdout.strip()
