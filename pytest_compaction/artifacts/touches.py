"""The effect of a tool call on one file, the line that tells of it, and patch texts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from pytest_compaction.text import is_definition, visible

Verb = Literal["write", "edit", "append", "read", "delete", "rename", "restore"]

MAX_PATH_CHARACTERS: Final = 1000
MAX_DETAIL_CHARACTERS: Final = 80
_MAX_TEXT_CHARACTERS: Final = 200_000
_MAX_LINES: Final = 2_000
"""Bounds the search for a telling line in a long text."""

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029]")
_ASSIGNMENT: Final = re.compile(
    r"(?:[\w.$\"'\[\]-]+\s*|(?:const|let|var|val)\s.+?)(?::=|=(?!=)|:\s*\S)"
)
_COMMENT: Final = re.compile(r"(?://|#(?!#|\s*(?:define|include)\b)|/?\*|<!--|--\s|;;|\"\"\"|''')")
_IMPORT: Final = re.compile(r"(?:import|from|use|using|require|#include|package)\b")
_LETTER: Final = re.compile(r"[^\W\d_]", re.UNICODE)
_LIST_MARK: Final = re.compile(r"\A(?:[|*+-]\s+)+")
_MIN_PLAIN_CHARACTERS: Final = 8


@dataclass(frozen=True, slots=True)
class Touch:
    """One file and what a call would do to it; ``old_path`` is for a rename or a copy."""

    verb: Verb
    path: str
    detail: str = ""
    old_path: str = ""
    new: bool = False


def clean_path(value: object) -> str:
    """The path without quotes, white space around it and a leading ``./``."""
    if not isinstance(value, str) or len(value) > MAX_PATH_CHARACTERS + 100:
        return ""
    path = value.strip().strip("\"'`").strip()
    if not path or len(path) > MAX_PATH_CHARACTERS or _CONTROL.search(path):
        return ""
    if visible(path) != path:
        return ""
    if "://" in path or "*" in path or path.startswith(("/dev/", "/proc/", "-")):
        return ""
    if "\\" in path and "/" not in path and not path.startswith("\\"):
        path = path.replace("\\", "/")
    path = posixpath.normpath(path) if not path.endswith("/") else posixpath.normpath(path) + "/"
    return "" if path.strip("./") == "" else path


def text_detail(new: object, old: object = "") -> str:
    """The first definition or assignment, else the first meaningful line, that only ``new`` has."""
    if not isinstance(new, str):
        return ""
    before = old if isinstance(old, str) else ""
    known = {_bare(line) for line in before[:_MAX_TEXT_CHARACTERS].splitlines()}
    lines = new[:_MAX_TEXT_CHARACTERS].splitlines()[:_MAX_LINES]
    return line_detail(line for line in lines if _bare(line) not in known)


def _bare(line: str) -> str:
    return line.strip().rstrip(",;")


def line_detail(lines: Iterable[str]) -> str:
    """The most telling of some new lines, as :func:`text_detail` chooses it."""
    plain = imported = ""
    for each in lines:
        line = _LIST_MARK.sub("", each.strip()[: MAX_DETAIL_CHARACTERS * 4], count=1)
        if not _LETTER.search(line) or _COMMENT.match(line):
            continue
        if is_definition(line) or (_ASSIGNMENT.match(line) and not _IMPORT.match(line)):
            return shortened(line)
        if _IMPORT.match(line):
            imported = imported or line
        elif len(line) >= _MIN_PLAIN_CHARACTERS:
            plain = plain or line
    return shortened(plain or imported)


def shortened(line: str) -> str:
    """One line of at most 80 characters, cut between words, without an opening brace at its end."""
    line = _CONTROL.sub(" ", line[: MAX_DETAIL_CHARACTERS * 4]).strip()
    if len(line) > MAX_DETAIL_CHARACTERS:
        head = line[: MAX_DETAIL_CHARACTERS + 1]
        cut = max(head.rfind(" "), head.rfind("("), head.rfind(","))
        line = head[: cut if cut > MAX_DETAIL_CHARACTERS // 2 else MAX_DETAIL_CHARACTERS]
    return line.rstrip(" {(,;:=>").strip() if len(line) > 2 else ""


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
