"""The result line of a test run, read from the output of common test runners."""

from __future__ import annotations

import re
from typing import Final

_TAIL_CHARACTERS: Final = 200_000
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]{0,32}[A-Za-z]")
_COUNT: Final = (
    r"\d{1,7} (?:failed|passed|errors?|skipped|xfailed|xpassed|warnings?|deselected|rerun)"
)
_PYTEST: Final = re.compile(rf"({_COUNT}(?:, {_COUNT}){{0,8}}) in \d[\d.]{{0,12}}s")
_PYTEST_NONE: Final = re.compile(r"no tests ran in \d[\d.]{0,12}s")
_UNITTEST: Final = re.compile(
    r"^Ran (\d{1,7} tests?) in [^\n]{1,40}$\s{1,8}^(OK|FAILED[^\n]{0,80})$", re.M
)
_JEST: Final = re.compile(r"^Tests:[ ]{1,20}(\d[^\n]{0,120}?\d+ total)", re.M)
_VITEST: Final = re.compile(
    r"^[ ]{0,8}Tests[ ]{1,8}(\d+ (?:failed|passed|skipped|todo)[^\n]{0,80})", re.M
)
_NODE: Final = re.compile(r"^(?:#|ℹ) (tests|pass|fail) (\d{1,7})$", re.M)
_CARGO: Final = re.compile(r"^test result: (ok|FAILED)\. (\d{1,7}) passed; (\d{1,7}) failed", re.M)
_GO: Final = re.compile(r"^(ok|FAIL)[ \t]{1,8}[\w./-]{1,200}[ \t]", re.M)


def test_summary(output: str) -> str | None:
    """The counts of the last test run in the output, such as ``2 failed, 31 passed``.

    Reads the output of pytest, unittest, jest, vitest, node, cargo and go; ``None`` for any
    other. Only the last 200,000 characters are read.
    """
    text = _ANSI.sub("", output[-_TAIL_CHARACTERS:])
    if found := _PYTEST.findall(text):
        return str(found[-1])
    if _PYTEST_NONE.search(text):
        return "no tests ran"
    if ran := _UNITTEST.findall(text):
        return f"{ran[-1][0]}, {ran[-1][1].strip()}"
    if lines := _JEST.findall(text) or _VITEST.findall(text):
        return " ".join(str(lines[-1]).split())
    return _node(text) or _cargo(text) or _go(text)


def _node(text: str) -> str | None:
    counts = dict(_NODE.findall(text))
    if "tests" not in counts:
        return None
    return ", ".join(
        f"{name} {counts[name]}" for name in ("tests", "pass", "fail") if name in counts
    )


def _cargo(text: str) -> str | None:
    runs = _CARGO.findall(text)
    if not runs:
        return None
    passed, failed = (sum(int(run[column]) for run in runs) for column in (1, 2))
    return f"{passed} passed; {failed} failed"


def _go(text: str) -> str | None:
    packages = _GO.findall(text)
    if not packages:
        return None
    failed = packages.count("FAIL")
    return f"{len(packages) - failed} ok, {failed} FAIL"
