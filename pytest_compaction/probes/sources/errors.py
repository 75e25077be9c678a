"""Recall probes about errors: of commands and tools that failed, or pasted by the user."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.errors import error_texts
from pytest_compaction.artifacts.operations import Invocation, exit_code, invocations
from pytest_compaction.artifacts.shell.commands import command_words
from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.probes.log import MAX_FACT_CHARACTERS, Candidate, Draft, Found, ProbeLog
from pytest_compaction.probes.phrases import quotable, shown_command, whole_text
from pytest_compaction.probes.test_commands import shows_text
from pytest_compaction.probes.topics import Topic, pooled

_MAX_OUTPUT: Final = 100_000
_MAX_LINES: Final = 2_000
_COMMON_STATUS: Final = 2
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
_POSITION: Final = re.compile(r"\(\d+,\d+\)|:\d+:\d+")
_SENTENCE: Final = re.compile(r"(?<=[\w'\")])\. |, and ")


def error_drafts(log: ProbeLog) -> Iterator[Draft]:
    """Drafts about failed calls, and about user turns that show errors."""
    last = len(log.points) - 1
    yield from _call_drafts(log, last)
    yield from pooled(
        _reported(log, last),
        "recall",
        "reported-error",
        "The user had said: {}. Which errors did the output that the user pasted there show?",
        "Twice the user pasted errors, saying or having said: {}. Which error was it each time?",
        last,
        0.15,
    )


def _reported(log: ProbeLog, last: int) -> Iterator[Topic]:
    for place, text in log.turns("user"):
        quoted = quotable(text)
        if any(rule.search(quoted) for rule in _ERROR):
            quoted = log.request_before(place)
        if quoted:
            yield Topic(quoted, _error_facts(log, log.messages[place].text, last)[:3])


def _call_drafts(log: ProbeLog, last: int) -> Iterator[Draft]:
    calls = [(_described(invocation), invocation) for invocation in invocations(log.messages)]
    times = Counter(what for what, _ in calls)
    for what, invocation in calls:
        output = invocation.output
        code = exit_code(output) if shell_script(invocation.call) is not None else None
        failed = code is not None or (invocation.result is not None and invocation.result.is_error)
        if not what or times[what] > 1 or not (failed or "rror" in output):
            continue
        output = own_output(invocation, failed)
        found = _error_facts(log, output, last) or _said_facts(log, output, last, failed)
        status = _status(log, code, last)
        found = (*found, status) if status and found else found
        request = log.request_before(log.position[invocation.message_id])
        during = f", after the user had asked “{request}”" if request else ""
        yield Draft(
            "recall",
            "error",
            f"Which errors did {what} report{during}? Give codes and messages as printed"
            f"{', and its exit code' if status and found else ''}.",
            found,
            last,
            0.3 - 0.04 * min(len(found), 4) + (0.0 if failed else 0.06),
        )


def _status(log: ProbeLog, code: int | None, point: int) -> Found | None:
    """The exit code as a fact, unless it is 1 or 2, which only say that something failed."""
    if code is None or code <= _COMMON_STATUS:
        return None
    keys = ((f"exit code {code}", f"exit status {code}", f"status {code}", f"code {code}"),)
    return log.find(Candidate(f"exit code {code}", "command", keys), log.points[point])


def own_output(invocation: Invocation, failed: bool) -> str:
    """What a call printed itself, without the text of files, which may hold other errors.

    A script that shows text counts only with the lines that begin with the name of one
    of its programs.
    """
    script = shell_script(invocation.call)
    if script is None:
        return invocation.output if failed else ""
    commands = command_words(script)
    if not any(shows_text(words) for words in commands):
        return invocation.output
    names = {posixpath.basename(words[0]) for words in commands} | {"bash", "sh", "zsh"}
    lines = invocation.output[-_MAX_OUTPUT:].splitlines()
    return "\n".join(line for line in lines if line.partition(":")[0] in names)


def _described(invocation: Invocation) -> str:
    script = shell_script(invocation.call)
    if script is not None:
        shown = shown_command(script)
        return f"the command {shown}" if shown else ""
    paths = [touch.path for touch in call_touches(invocation.call)]
    return f"the call of `{invocation.call.name}` on `{paths[0]}`" if paths else ""


def _error_facts(log: ProbeLog, output: str, point: int) -> tuple[Found, ...]:
    asked = log.points[point]
    facts: dict[str, Found] = {}
    for line in output[-_MAX_OUTPUT:].splitlines()[-_MAX_LINES:]:
        if len(line) > 1_000:
            continue
        match = next((match for rule in _ERROR if (match := rule.search(line))), None)
        if match is None:
            continue
        for text in _fact_texts(match["code"] or "", match["text"]):
            found = None
            if text not in facts:
                found = log.find(Candidate(text, "error"), asked, most=4)
            if found:
                facts[text] = found
                break
    return tuple(sorted(facts.values(), key=lambda found: found.risk)[:4])


def _said_facts(log: ProbeLog, output: str, point: int, failed: bool) -> tuple[Found, ...]:
    """The last lines that say what went wrong without having the form of an error."""
    texts = list(error_texts(output[-_MAX_OUTPUT:], failed))[-3:]
    found = (Candidate(text, "error") for text in texts if whole_text(text))
    return log.find_all(found, log.points[point], most=2)


def _fact_texts(code: str, text: str) -> list[str]:
    """The error message with its code, then without; the best form first."""
    message = _SENTENCE.split(_POSITION.sub("", text).strip(), maxsplit=1)[0].strip(" .,;:-")
    if len(message) < 8:
        return [f"{code}: {message}"] if code and message else []
    if len(message) > MAX_FACT_CHARACTERS - 50:
        return []
    return [f"{code}: {message}", message] if code else [message]
