"""Patch texts: the apply_patch format, unified diffs, and SEARCH/REPLACE blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from pytest_compaction.artifacts.touches import Touch, Verb, clean_path, line_detail

_MAX_PATCH_CHARACTERS: Final = 2_000_000
"""Bounds the work on a huge patch; the rest is not read."""
_SECTION: Final = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)")
_MOVE: Final = re.compile(r"\*\*\* Move to: (.+)")
_BLOCK_START: Final = re.compile(r"[-<]{5,9} SEARCH")
_BLOCK_END: Final = re.compile(r"[+>]{5,9} REPLACE")
_VERBS: Final[dict[str, Verb]] = {"Add": "write", "Update": "edit", "Delete": "delete"}


def patch_touches(patch: str) -> list[Touch]:
    """The files that a patch names, in its order; empty for a text that is not a patch."""
    lines = patch[:_MAX_PATCH_CHARACTERS].splitlines()
    if any(line.startswith("*** ") for line in lines):
        return _sections(lines)
    return _unified(lines)


def _sections(lines: list[str]) -> list[Touch]:
    found: list[Touch] = []
    verb: Verb = "edit"
    path = target = ""
    added: list[str] = []

    def close() -> None:
        if path and target:
            found.append(Touch("rename", target, old_path=path))
            if added:
                found.append(Touch("edit", target, line_detail(added)))
        elif path:
            found.append(Touch(verb, path, line_detail(added), new=verb == "write"))

    for line in lines:
        section, move = _SECTION.match(line), _MOVE.match(line)
        if section or line.startswith("*** End Patch"):
            close()
            path, target, added = "", "", []
        if section:
            verb, path = _VERBS[section[1]], clean_path(section[2])
        elif move:
            target = clean_path(move[1])
        elif line.startswith("+"):
            added.append(line[1:])
    close()
    return found


def _unified(lines: list[str]) -> list[Touch]:
    found: list[Touch] = []
    old = renamed_from = ""
    added: list[str] = []
    for index, line in enumerate(lines):
        if line.startswith("rename from "):
            renamed_from = clean_path(line[12:])
        elif line.startswith("rename to ") and renamed_from:
            if target := clean_path(line[10:]):
                found.append(Touch("rename", target, old_path=renamed_from))
            renamed_from = ""
        elif line.startswith("--- ") and "".join(lines[index + 1 : index + 2]).startswith("+++ "):
            old = _side(line[4:])
        elif line.startswith("+++ ") and index and lines[index - 1].startswith("--- "):
            new, added = _side(line[4:]), []
            found.extend(_file_touch(old, new))
        elif line.startswith("+") and found and found[-1].verb in {"write", "edit"}:
            added.append(line[1:])
            if not found[-1].detail and len(added) <= 50:
                last = found[-1]
                found[-1] = replace(last, detail=line_detail([line[1:]]))
    return found


def _side(text: str) -> str:
    path = text.split("\t")[0].strip()
    if path == "/dev/null":
        return path
    return clean_path(re.sub(r"^[ab]/", "", path))


def _file_touch(old: str, new: str) -> list[Touch]:
    if new == "/dev/null":
        return [Touch("delete", old)] if old and old != new else []
    if not new:
        return []
    added = old == "/dev/null"
    return [Touch("write" if added else "edit", new, new=added)]


def replacement_lines(blocks: str) -> list[str]:
    """The lines that SEARCH/REPLACE blocks insert, without those that they search for."""
    searched: set[str] = set()
    found: list[str] = []
    side = ""
    for line in blocks[:_MAX_PATCH_CHARACTERS].splitlines():
        if _BLOCK_START.match(line):
            side = "search"
        elif line.startswith("=======") and side == "search":
            side = "replace"
        elif _BLOCK_END.match(line):
            side = ""
        elif side == "search":
            searched.add(line.strip())
        elif side == "replace" and line.strip() not in searched:
            found.append(line)
    return found
