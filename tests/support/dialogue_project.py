"""A project with strategies and a dialogue file, for runs inside a test."""

from support.scenarios import set_up
from support.talks import talk, write

TALKS = "--compaction-cases=talks.jsonl"


def project(pytester, *values):
    """A project with strategies and a dialogue file."""
    set_up(pytester)
    for path in (pytester.path / "cases").iterdir():
        path.unlink()
    return write(pytester.path, *(values or (talk(1), talk(2, 3, "GR"), talk(3, 2, "SA"))))
