"""Tool calls as far as they can be compared: what each does, asks for and gets."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final, Literal

from pytest_compaction.artifacts.operations import INTERRUPTED, Invocation, invocations
from pytest_compaction.artifacts.shell_effects import command_words
from pytest_compaction.artifacts.shell_evidence import shows_text
from pytest_compaction.artifacts.tool_calls import call_touches, named_paths, shell_script
from pytest_compaction.conversation import Message, shared_counter

__all__ = ["CallKind", "SessionCall", "calls_made"]

CallKind = Literal["look", "command", "change", "other", "idle"]
"""``look`` reads, searches or asks how something stands, ``command`` runs something that changes no
file as far as is known, ``change`` edits, writes, moves or deletes a file, ``idle`` notes, asks,
waits or goes to a folder, ``other`` is the rest."""

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LOOKS: Final = frozenset(
    "read view cat open get show grep glob search find list ls rg fetch codebase lookup".split()
)
_IDLE: Final = frozenset("todo task tasks output plan question user skill agent wait".split())
"""Words in names of tools that look at the session itself, and not at files or the web."""
_IDLE_PROGRAMS: Final = frozenset("cd echo pwd true sleep :".split())
_STATUS: Final = frozenset(
    "stat file du df ps pgrep which type date whoami hostname uname env printenv lsof".split()
)
_STATUS_GIT: Final = frozenset("rev-parse merge-base describe reflog ls-files shortlog".split())
_LISTING_GIT: Final = frozenset({"branch", "remote", "tag"})
"""Commands of git that list something if nothing but options follows."""
_FILTERS: Final = _IDLE_PROGRAMS | frozenset(
    "head tail grep egrep rg sort uniq wc cut sed awk jq tr column cat".split()
)
"""Programs that may stand beside one that shows text: filters, and what prints next to nothing."""
_READERS: Final = frozenset("cat sed awk nl head tail less more bat".split())
"""Programs whose operands are the files that they show."""
_UNTOLD: Final = frozenset(
    "description explanation justification timeout timeout_ms yield_time_ms "
    "max_output_tokens".split()
)
"""Arguments that change nothing about what a call asks for."""
_NOISE: Final = re.compile(
    r"Wall time: [\d.]{1,20} seconds|Chunk ID: \w{1,40}"
    r'|"duration_seconds":\s?[\d.]{1,20}'
)
"""What harnesses add to a result that differs from call to call."""
_NUMBERED: Final = re.compile(r"^ *\d{1,9}[→\t]", re.M)
"""How a read numbers its lines, if it does."""
_READING: Final = re.compile(
    r"cat(?: -n)?|(?P<end>head|tail)(?:(?: -n ?| -)(?P<count>\+?\d{1,9}))?"
    r"|sed -n (?P<first>\d{1,9})(?:,(?P<last>\d{1,9}|\$))?p"
)
"""The words before the file in a command that does nothing but show lines of it."""
_REMINDER: Final = ("<system-reminder>", "</system-reminder>")
_MOST_FILES: Final = 50
"""A call that names more files counts as one that names none; this bounds the work on a call."""
_MOST_SCRIPT: Final = 50_000
"""A longer script is not read: it holds a file that it writes, or is hostile."""


@dataclass(frozen=True, slots=True)
class SessionCall:
    """A tool call: two with equal ``request`` ask for the same, with equal ``result`` got the same.

    ``result`` is empty for a call that failed or printed nothing, and ``tokens`` is its length.
    ``files`` are the files and folders that a call looks at or changes; a call that looks and names
    none may depend on any file. ``turn`` counts what the user had said before the call.
    """

    kind: CallKind
    request: str
    result: str = ""
    tokens: int = 0
    files: tuple[str, ...] = ()
    turn: int = 0
    in_shell: bool = False

    @property
    def fetches(self) -> bool:
        """Whether the call can fetch something again: a read, a search or a command."""
        return self.kind in ("look", "command")

    @property
    def may_watch(self) -> bool:
        """Whether the call, made again soon, would wait for something to change."""
        return self.in_shell and not self.files


def calls_made(messages: Sequence[Message]) -> list[SessionCall]:
    """Every tool call of a conversation, in the terms in which calls are compared."""
    said = accumulate(int(message.role == "user") for message in messages)
    turns = dict(zip((message.id for message in messages), said, strict=True))
    return [_session_call(made, turns[made.message_id]) for made in invocations(messages)]


def _session_call(invocation: Invocation, turn: int) -> SessionCall:
    kind, files = _kind(invocation)
    files = files if len(files) <= _MOST_FILES else ()
    script = shell_script(invocation.call)
    given = {
        name: value
        for name, value in invocation.call.parsed().items()
        if name not in _UNTOLD and not (script is not None and value == script)
    }
    read = _lines_read(invocation, script, given) if kind == "look" else None
    asked: list[Any] = [invocation.call.name, " ".join((script or "").split()), given]
    result, tokens = "", 0
    if invocation.answered and invocation.output != INTERRUPTED:
        text = _NOISE.sub("", _without_reminders(invocation.output)).strip()
        plain = _NUMBERED.sub("", text).strip() if read else text
        result = _digest(plain) if text else ""
        counts = text and kind in ("look", "command")
        tokens = shared_counter().text(text) if counts else 0
    if read:  # by another tool or path it asks for the same
        asked = [*read, result]
    request = _digest(json.dumps(asked, sort_keys=True, default=str))
    return SessionCall(kind, request, result, tokens, files, turn, script is not None)


def _lines_read(
    invocation: Invocation, script: str | None, given: Mapping[str, Any]
) -> tuple[str, int, int | None] | None:
    """The name of the one file that a call reads, and its first and last line that are asked for.

    The last is ``None`` up to the end, and the first negative if it is counted from there. ``None``
    for a call that does more, or whose words do not say it.
    """
    touches = call_touches(invocation.call)
    if len(touches) != 1 or touches[0].verb != "read":
        return None
    lines = _lines_given(given) if script is None else _lines_shown(script)
    return lines and (touches[0].path.rpartition("/")[2], *lines)


def _lines_given(given: Mapping[str, Any]) -> tuple[int, int | None] | None:
    counts = {key: value for key, value in given.items() if type(value) is int}
    if len(given) - len(counts) != 1:  # the path
        return None
    if counts.keys() <= {"offset", "limit"}:
        first, limit = counts.get("offset", 1), counts.get("limit")
        return first, None if limit is None else first + limit - 1
    if counts.keys() == {"start_line", "end_line"}:
        return counts["start_line"], counts["end_line"]
    return None


def _lines_shown(script: str) -> tuple[int, int | None] | None:
    shown = [words for words in command_words(script) if words[0] != "cd"]
    if len(shown) != 1:
        return None
    match = _READING.fullmatch(" ".join([_program(shown[0]), *shown[0][1:-1]]))
    if match is None:
        return None
    count = match["count"] or "10"
    if match["end"] == "head":
        return 1, int(count)
    if match["end"]:
        return (int(count), None) if count.startswith("+") else (-int(count), None)
    if not match["first"]:
        return 1, None
    last = match["last"] or match["first"]
    return int(match["first"]), None if last == "$" else int(last)


def _without_reminders(text: str) -> str:
    """The text without closed reminders; a pattern takes quadratic time on open ones."""
    opening, closing = _REMINDER
    kept, place = [], 0
    while (start := text.find(opening, place)) >= 0:
        end = text.find(closing, start)
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len(closing)
    return "".join((*kept, text[place:]))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _kind(invocation: Invocation) -> tuple[CallKind, tuple[str, ...]]:
    call = invocation.call
    script = shell_script(call)
    if script is not None and len(script) > _MOST_SCRIPT:
        return "change", ()  # of any file
    touches = call_touches(call)
    changed = [
        path
        for touch in touches
        if touch.verb != "read"
        for path in (touch.path, touch.old_path)
        if path
    ]
    if changed:
        return "change", tuple(changed)
    if script is not None:
        return _kind_of_script(script)
    words = {word.lower() for word in _WORDS.findall(call.name[-200:])}
    if touches or (words & _LOOKS and not words & _IDLE):
        return "look", tuple(named_paths(call))
    return "idle" if words & _IDLE else "other", ()


def _kind_of_script(script: str) -> tuple[CallKind, tuple[str, ...]]:
    words = command_words(script)
    if words and all(_program(each) in _IDLE_PROGRAMS for each in words):
        return "idle", ()
    showing = [each for each in words if shows_text(each) or _asks_status(each)]
    if not showing or any(_program(each) not in _FILTERS for each in words if each not in showing):
        return "command", ()
    if any(_program(each) not in _READERS for each in showing):
        return "look", ()
    operands = [
        operand
        for each in showing
        for operand in [word for word in each[1:] if not word.startswith("-")][
            _program(each) in ("sed", "awk") :
        ]
        if not operand.lstrip("+").isdigit()
    ]
    return "look", tuple(operands)


def _asks_status(words: Sequence[str]) -> bool:
    """Whether the words of one command ask how something stands, and change nothing."""
    program, operands = _program(words), [word for word in words[1:] if not word.startswith("-")]
    if program == "git" and operands:
        return operands[0] in _STATUS_GIT or (operands[0] in _LISTING_GIT and len(operands) == 1)
    return program in _STATUS or (program == "wc" and bool(operands))


def _program(words: Sequence[str]) -> str:
    return words[0].rpartition("/")[2]
