"""Makes the store and the digests of this folder anew, with the version that is installed.

Run it as ``PYTHONPATH=tests python -m older.make``. It takes some minutes.
"""

import json
import tarfile
import tempfile
from pathlib import Path

from older.endpoint import Endpoint
from older.material import BY_RULES, HERE, RUNS, copy_of_project, in_store, run

from pytest_compaction.compactors.registry import Registry

VARIANTS = (
    "adk:interval=2:overlap=1",
    "anchored+ledger",
    "anthropic:clear=2",
    "claude-code:focus=tests",
    "codex:mode=local",
    "continue:mode=cli",
    "mask-observations+anchored",
    "openhands:version=1",
    "roo:version=1",
    "own:summarised",
)
ALONE = {"none", "recorded"}
"""Strategies of no requests of their own, or whose run asks more of the others."""


def asked(folder, url, *arguments):
    """The digests of the requests of a run, whose store is left in ``folder``."""
    run(copy_of_project(folder), url, *arguments, "--compaction-store=store")
    return sorted(in_store(folder / "store"))


def anonymous(info):
    """A member of an archive without owner and time."""
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def packed(files, to):
    """Pack files under names; the same files give the same bytes."""
    with tarfile.open(to, "w:xz", preset=9) as file:
        for name, path in sorted(files.items()):
            file.add(path, name, filter=anonymous)


def main():
    names = sorted({*Registry().names(), *VARIANTS} - ALONE)
    with tempfile.TemporaryDirectory() as place, Endpoint().serving() as endpoint:
        here = Path(place)
        found = {
            "strategies": {
                name: asked(here / f"s{n}", endpoint.url, f"--compactor={name}", BY_RULES)
                for n, name in enumerate(names)
            },
            "runs": {
                name: asked(here / f"r{n}", endpoint.url, *RUNS[name])
                for n, name in enumerate(RUNS)
            },
        }
        (HERE / "digests.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
        calls = {f"{p.parent.name}/{p.name}": p for p in sorted(here.glob("*/store/??/*.json"))}
        packed(calls, HERE / "store.tar.xz")


if __name__ == "__main__":
    main()
