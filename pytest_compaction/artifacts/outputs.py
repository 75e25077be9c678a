"""Outputs of commands: error texts as printed, and the result line of a test run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_TAIL_CHARACTERS: Final = 200_000
_MAX_LINES: Final = 5_000
"""Bounds the work on huge outputs, which are read from their end."""
MAX_ERROR_CHARACTERS: Final = 400
"""A longer line is cut there, and says how much is missing."""
_ROOM_OF_MARK: Final = 32
"""Characters kept free for the note of how many are missing."""
_SHORTEST: Final = 12
_NAMED: Final = re.compile(
    r"\b\w*(?:Error|Exception)\b(?: \[\w+\])?:"
    r"|\b(?:error|ERROR|Error|fatal|FATAL|panic)(?: [A-Z]{1,5}-?\d{2,5})?(?:\[\w+\])?:"
    r"|^(?=(?:\w+\.)*?(?=\w*(?:error|exception))\w+\.)(?:\w+\.)+[A-Z]\w*: "
    r"|\b(?:E\d{3,4}|[A-Z]{2,4}-?\d{4,5})\b:? \S"
    r"|^npm ERR!"
)
"""Lines that call themselves an error or hold an error code, whatever printed them."""
_IN_FAILURE: Final = re.compile(
    r"\b(?:no such file|permission denied|command not found|not found|cannot|could not|refused"
    r"|timed? ?out|denied|invalid|missing|mismatch|undefined|aborted)\b",
    re.IGNORECASE,
)
"""Lines that say what went wrong; they count only if the call is known to have failed."""
_REPORT: Final = re.compile(r"[-=_]{4}|.{0,60}(?:\bFAILED |\b\d+ (?:failed|passed)\b)|[-+?] ")
"""Lines of a test report: a heading, the result of one test, counts, a difference."""
_PLACE: Final = re.compile(r"^\S+?[:(]\d+(?:[,:]\d+)?[):]*\s*(?:-\s*)?")
"""File, line and column in front of a compiler's error."""
_SOURCE: Final = re.compile(
    r"(?:except|raise|def|class|return|if|elif|else|for|while|import|from|with|assert|try|catch"
    r"|throw|const|let|var|func|fn)\b.*[:;({})\]]|[\w.]+ (?::?=) \S|@\w|#|//"
)
"""Lines of source code that handles errors: a printed file, not an error."""
_LEAD: Final = re.compile(r"^(?:E {2,}|\d+:|> )\s*")
_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED: Final = re.compile(r"(?:[\w<>]+\.)*(?:[A-Za-z_]\w*: |[A-Z]\w*:?$)")
"""An exception as Python prints it: its class, with its module, and its message."""


def error_texts(output: str, failed: bool) -> Iterator[str]:
    """Lines of an output that state an error, in order, without repetition, as printed.

    ``failed``: the call is known to have failed, so lines that only say what went wrong count too.
    Markers, counts of a test report and source code are left out; a long line is cut.
    """
    seen: set[str] = set()
    for text, raised in _stripped(output[-_TAIL_CHARACTERS:].splitlines()[-_MAX_LINES:]):
        if text not in seen and _states_error(text[:MAX_ERROR_CHARACTERS], failed, raised):
            seen.add(text)
            if len(text) > MAX_ERROR_CHARACTERS:
                kept = text[: MAX_ERROR_CHARACTERS - _ROOM_OF_MARK].rstrip()
                text = f"{kept} … [{len(text) - len(kept)} more characters]"
            yield text


def _stripped(lines: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """Lines without their marker, and whether to expect an exception in them."""
    head: int | None = None
    marked_before = False
    for line in lines:
        bare = line.strip()
        if not bare:
            continue
        indented = len(line) - len(line.lstrip())
        text = _LEAD.sub("", bare)
        if text == _TRACEBACK:
            head = indented
            continue
        if head is not None and indented > head:
            continue
        marked = bare.startswith("E  ")
        yield text, head is not None or (marked and not marked_before)
        head, marked_before = None, marked


def _states_error(text: str, failed: bool, raised: bool) -> bool:
    if raised and _RAISED.match(text):
        return True
    if len(text) < _SHORTEST or _REPORT.match(text) or _SOURCE.match(text):
        return False
    return bool(_NAMED.search(text) or (failed and _IN_FAILURE.search(text)))


def error_kind(text: str) -> str:
    """The error without its place in the code: equal kinds are the same error."""
    return _PLACE.sub("", text)


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
    """The counts of the last test run in the output, such as ``2 failed, 31 passed``."""
    text = _ANSI.sub("", output[-_TAIL_CHARACTERS:])
    if found := _PYTEST.findall(text):
        return str(found[-1])
    if _PYTEST_NONE.search(text):
        return "no tests ran"
    if ran := _UNITTEST.findall(text):
        return f"{ran[-1][0]}, {ran[-1][1].strip()}"
    if lines := _JEST.findall(text) or _VITEST.findall(text):
        return " ".join(str(lines[-1]).split())
    if "tests" in (counts := dict(_NODE.findall(text))):
        named = (name for name in ("tests", "pass", "fail") if name in counts)
        return ", ".join(f"{name} {counts[name]}" for name in named)
    if runs := _CARGO.findall(text):
        passed, failed = (sum(int(run[column]) for run in runs) for column in (1, 2))
        return f"{passed} passed; {failed} failed"
    if packages := _GO.findall(text):
        failed = packages.count("FAIL")
        return f"{len(packages) - failed} ok, {failed} FAIL"
    return None
