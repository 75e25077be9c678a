"""Recall probes about errors that the user pasted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.errors import error_texts
from pytest_compaction.probes.draft import Candidate, Draft, Found
from pytest_compaction.probes.log import MAX_FACT_CHARACTERS, ProbeLog
from pytest_compaction.probes.phrases import finished, quotable, was_stopped, whole_text

_MAX_OUTPUT: Final = 100_000
_MAX_LINES: Final = 2_000
MAX_ERRORS: Final = 4
"""Of an output with more errors, only the first is asked for."""
# From exact to vague: the first that matches gives the fact.
_ERROR: Final = (
    re.compile(r"\berror (?P<code>[A-Z]{1,4}\d{2,5}): (?P<text>[^\n]+)"),
    re.compile(r"\berror\[(?P<code>[A-Z]\d{2,5})\]: (?P<text>[^\n]+)"),
    re.compile(r"\b(?P<code>[A-Z]\w{2,40}(?:Error|Exception)): (?P<text>[^\n]+)"),
    re.compile(r"^(?:E\s+)?Error(?: \[(?P<code>[A-Z_]{3,40})\])?: (?P<text>[^\n]+)"),
    re.compile(r"^(?P<code>)(?:fatal|error|ERROR|npm ERR!): (?P<text>[^\n]+)"),
    re.compile(
        r"^(?P<code>)\w[\w./-]{0,40}: (?P<text>[^\n]{3,200}: (?:No such file|Permission)[^\n]*)"
    ),
)
_ONLY_FAILED: Final = re.compile(
    r"(?:build|compilation|command|process|task) failed(?: with \d+ errors?)?[.:]?", re.I
)
"""What a program prints below the errors that it counts."""
_LEAST_WORDS: Final = 4
_POSITION: Final = re.compile(r"\(\d+,\d+\)|:\d+:\d+")
_ONLY_SIGNS: Final = re.compile(r"([\"'`])[^\w\s\"'`]{1,4}\1")
"""A quoted sign such as ``'||'``: it tells the error, and no key can hold it."""
_SENTENCE: Final = re.compile(r"(?<=[\w'\")])\. |, and ")


def error_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Errors that the user pasted; a turn that is nothing but its error is told by the one before.

    The question asks for the first after it, since others may follow later.
    """
    last = len(log.points) - 1
    turns = [(place, text, quotable(text)) for place, text in log.turns("user")]
    bare_errors = [any(rule.search(quoted) for rule in _ERROR) for _, _, quoted in turns]
    before = Counter(
        log.request_before(place)
        for (place, _, _), bare_error in zip(turns, bare_errors, strict=True)
        if bare_error
    )
    for (place, _, quoted), bare_error in zip(turns, bare_errors, strict=True):
        found, first = _told(log, log.messages[place].text, last)
        which = "Which error did it show first" if first else "Which errors did it show"
        if len(found) == 1 and not first:
            which = "Which error did it show"
        question = f"The user pasted output with the message “{quoted}”. {which}?"
        if bare_error:
            quoted = log.request_before(place)
            question = f"Which error did the user paste first after the request “{quoted}”?"
        if quoted and found and (not bare_error or before[quoted] == 1):
            yield Draft(
                "recall",
                "reported-error",
                question,
                found,
                last,
                0.15,
                least=1,
                whole=len(found),
            )


def _told(log: ProbeLog, output: str, point: int) -> tuple[tuple[Found, ...], bool]:
    """All errors of an output if they are few, else the first; and whether it is only the first."""
    texts = error_lines(output)
    if not texts:
        return _said_facts(log, output, point), False
    found = [_best_form(log, forms, point) for forms in texts[: MAX_ERRORS + 1]]
    if len(texts) <= MAX_ERRORS and all(found):
        return tuple(entry for entry in found if entry), False
    return ((found[0],) if found[0] else ()), True


def error_lines(output: str) -> list[tuple[str, ...]]:
    """The distinct errors of an output in order, each in its forms, the best first.

    One that is too long or too short to be asked for has none, and counts all the same.
    """
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for line in output[-_MAX_OUTPUT:].splitlines()[-_MAX_LINES:]:
        if len(line) > 1_000:
            continue
        match = next((match for rule in _ERROR if (match := rule.search(line))), None)
        if match is not None and not _ONLY_FAILED.fullmatch(match["text"].strip()):
            forms = tuple(_fact_texts(match["code"] or "", match["text"]))
            found[forms or (line,)] = forms
    return list(found.values())


def _best_form(log: ProbeLog, forms: Sequence[str], point: int) -> Found | None:
    told = (log.find(Candidate(form, "error"), log.points[point], most=4) for form in forms)
    return next(filter(None, told), None)


def _said_facts(log: ProbeLog, output: str, point: int) -> tuple[Found, ...]:
    """The one line that says what went wrong without having the form of an error."""
    texts = dict.fromkeys(
        finished(text) for text in error_texts(output[-_MAX_OUTPUT:], failed=False)
    )
    told = [
        Candidate(text, "error") for text in texts if whole_text(text) and not was_stopped(text)
    ]
    return log.find_all(told, log.points[point], most=2) if len(texts) == 1 else ()


def _fact_texts(code: str, text: str) -> list[str]:
    """The error message with its code, then without; the best form first."""
    message = _SENTENCE.split(_POSITION.sub("", text).strip(), maxsplit=1)[0].strip(" .,;:-")
    if _ONLY_SIGNS.search(message) or "{" in message:
        return []
    if len(message) < 8:
        return [f"{code}: {message}"] if code and message else []
    if len(message) > MAX_FACT_CHARACTERS - 50:
        return []
    first = message.partition(", ")[0]
    short = [first] if first != message and len(first.split()) >= _LEAST_WORDS else []
    return [f"{code}: {message}", message, *short] if code else [message, *short]
