"""Error texts exactly as a command or tool printed them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_TAIL_CHARACTERS: Final = 200_000
_MAX_LINES: Final = 5_000
_LONGEST: Final = 400
_SHORTEST: Final = 12
_NAMED: Final = re.compile(
    r"\b\w*(?:Error|Exception)\b(?: \[\w+\])?:"
    r"|\b(?:error|ERROR|Error|fatal|FATAL|panic)(?: [A-Z]{1,5}-?\d{2,5})?(?:\[\w+\])?:"
    r"|\b(?:E\d{3,4}|[A-Z]{2,4}-?\d{4,5})\b:? \S"
    r"|^npm ERR!"
)
"""Lines that call themselves an error, or that hold a code of one, whatever printed them."""
_IN_FAILURE: Final = re.compile(
    r"\b(?:no such file|permission denied|command not found|not found|cannot|could not|refused"
    r"|timed? ?out|denied|invalid|missing|mismatch|undefined|aborted)\b",
    re.IGNORECASE,
)
"""Lines that say what went wrong where the exit status says that something did."""
_REPORT: Final = re.compile(r"[-=_]{4}|.{0,60}(?:\bFAILED |\b\d+ (?:failed|passed)\b)|[-+?] ")
"""Lines of a test report: a heading, the result of one test, counts, a difference."""
_PLACE: Final = re.compile(r"^\S+?[:(]\d+(?:[,:]\d+)?[):]*\s*(?:-\s*)?")
"""File, line and column in front of a compiler's error."""
_SOURCE: Final = re.compile(
    r"(?:except|raise|def|class|return|if|elif|else|for|while|import|from|with|assert|try|catch"
    r"|throw|const|let|var|func|fn)\b.*[:;({})\]]|[\w.]+ (?::?=) \S|@\w|#|//"
)
"""Lines of a program that handles errors: a file that was printed, no error."""
_LEAD: Final = re.compile(r"^(?:E {2,}|\d+:|> )\s*")


def error_texts(output: str, failed: bool) -> Iterator[str]:
    """Lines of an output that state an error, in order, without repetition.

    ``failed`` is whether the call is known to have failed: then lines that only say
    what went wrong count too. The last 200,000 characters are looked at, and lines
    of 12 to 400 characters; a marker such as pytest's leading ``E`` is left out,
    and so are the lines of a test report that only count, and lines of a program.
    """
    seen: set[str] = set()
    for line in output[-_TAIL_CHARACTERS:].splitlines()[-_MAX_LINES:]:
        text = " ".join(_LEAD.sub("", line.strip()).split())
        if not _SHORTEST <= len(text) <= _LONGEST or text in seen:
            continue
        if _REPORT.match(text) or _SOURCE.match(text):
            continue
        if _NAMED.search(text) or (failed and _IN_FAILURE.search(text)):
            seen.add(text)
            yield text


def error_kind(text: str) -> str:
    """The error without the place in the code where it occurred: what is equal is one error."""
    return _PLACE.sub("", text)
