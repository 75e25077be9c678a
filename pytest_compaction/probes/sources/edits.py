"""File probes from single edits: what replaced what?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import Any, Final

from pytest_compaction.artifacts.operations import Invocation, file_operations, invocations
from pytest_compaction.artifacts.tool_calls import call_touches
from pytest_compaction.case.case import Trap
from pytest_compaction.conversation.messages import ToolCall
from pytest_compaction.probes.exact import small_number, telling
from pytest_compaction.probes.keys import identifier_keys
from pytest_compaction.probes.log import Candidate, Draft, Found, ProbeLog

_OLD: Final = ("oldtext", "oldstring", "oldstr", "search", "old")
_NEW: Final = ("newtext", "newstring", "newstr", "replace", "new")
_MAX_SIDE: Final = 4_000
_MAX_WORDS: Final = 3
_MAX_PAIRS: Final = 4
_TOKEN: Final = re.compile(r"[\w#.%/-]*\w[\w#.%/-]*")
_TELLING: Final = re.compile(r"\d|[a-z][A-Z]|[_/#-]")


def edit_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft per file: values and names that edits replaced, at most four."""
    replaced: dict[str, dict[str, str]] = {}
    for invocation, path in done_edits(log):
        held = replaced.setdefault(path, {})
        for old, new in _replaced(invocation.call):
            held.pop(old, None)
            held[old] = new
    last = len(log.points) - 1
    for path, pairs in replaced.items():
        yield from _draft(log, path, pairs, last)


def done_edits(log: ProbeLog) -> Iterator[tuple[Invocation, str]]:
    """The calls up to the last point that certainly edited one file, with its path."""
    failed = {
        (operation.message_id, operation.path)
        for operation in file_operations(log.messages)
        if not (operation.succeeded and operation.certain)
    }
    for invocation in invocations(log.messages):
        edited = {touch.path for touch in call_touches(invocation.call) if touch.verb == "edit"}
        place = log.position[invocation.message_id]
        if len(edited) != 1 or place > log.points[-1]:
            continue
        path = edited.pop()
        lost = invocation.result is None or invocation.result.is_error
        if not lost and (invocation.message_id, path) not in failed:
            yield invocation, path


def _draft(log: ProbeLog, path: str, pairs: Mapping[str, str], point: int) -> Iterator[Draft]:
    found: dict[str, Found] = {}
    for old, new in pairs.items():
        if new in pairs or small_number(new):
            continue
        candidate = Candidate(new, "value", identifier_keys(*new.split()))
        entry = log.find(candidate, log.points[point], most=4)
        if entry is not None:
            found[old] = entry
    chosen = sorted(found, key=lambda old: found[old].risk)[:_MAX_PAIRS]
    if chosen:
        things = ", ".join(f"`{old}`" for old in chosen)
        asked = "took the place of" if len(chosen) == 1 else "took the place of each of these:"
        yield Draft(
            "file",
            "replaced",
            f"In the edits of `{path}`, what {asked} {things}?",
            tuple(found[old] for old in chosen),
            point,
            0.36 - 0.02 * len(chosen),
            tuple(
                Trap(old, keys=identifier_keys(*old.split()), of=found[old].fact.text)
                for old in chosen
                if telling(old)
            ),
        )


def _replaced(call: ToolCall) -> Iterator[tuple[str, str]]:
    """Old and new text of the small differences within one edit.

    Both must have a digit, a sign or mixed case: ordinary words occur everywhere.
    """
    for old, new in edited_sides(call):
        before, after = _TOKEN.findall(old), _TOKEN.findall(new)
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        # Below a half it is a rewrite, in which no word took the place of another.
        if matcher.ratio() < 0.5:
            continue
        for kind, i, j, k, m in matcher.get_opcodes():
            if kind == "replace" and j - i <= _MAX_WORDS and m - k <= _MAX_WORDS:
                was, now = " ".join(before[i:j]), " ".join(after[k:m])
                known = was in after or now in before
                if not known and _TELLING.search(was) and _TELLING.search(now):
                    yield was.strip("."), now.strip(".")


def edited_sides(call: ToolCall) -> Iterator[tuple[str, str]]:
    """The old and new text of each replacement of an edit, in order; neither is empty."""
    arguments = call.parsed()
    edits = arguments.get("edits")
    for given in [arguments, *(edits[:50] if isinstance(edits, list) else [])]:
        if isinstance(given, Mapping):
            named = {str(key).lower().replace("_", ""): value for key, value in given.items()}
            old, new = _first(named, _OLD), _first(named, _NEW)
            if old and new:
                yield old, new


def _first(named: Mapping[str, Any], keys: tuple[str, ...]) -> str:
    value = next((named[key] for key in keys if isinstance(named.get(key), str)), "")
    return value if len(value) <= _MAX_SIDE else ""
