"""What a tool call would do to one file, and the most telling line of a change."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
    """One file and what a call would do to it; ``old_path`` is for a rename or a copy.

    ``new`` says that the call itself names the file as one that it adds.
    """

    verb: Verb
    path: str
    detail: str = ""
    old_path: str = ""
    new: bool = False


def clean_path(value: object) -> str:
    """The path without quotes, white space around it and a leading ``./``.

    Empty for anything that cannot be the path of one file: another type, a URL, a
    pattern, a device, control or invisible characters, or more than 1,000 characters.
    """
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
    """The first definition or assignment, else the first meaningful line, that only ``new`` has.

    At most 80 characters, always a part of one line of ``new``; empty if no new line is
    meaningful.
    """
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
    for line in _meaningful(lines):
        if is_definition(line) or (_ASSIGNMENT.match(line) and not _IMPORT.match(line)):
            return shortened(line)
        if _IMPORT.match(line):
            imported = imported or line
        elif len(line) >= _MIN_PLAIN_CHARACTERS:
            plain = plain or line
    return shortened(plain or imported)


def _meaningful(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        stripped = _LIST_MARK.sub("", line.strip()[: MAX_DETAIL_CHARACTERS * 4], count=1)
        if _LETTER.search(stripped) and not _COMMENT.match(stripped):
            yield stripped


def shortened(line: str) -> str:
    """One line of at most 80 characters, cut between words, without an opening brace at its end."""
    line = _CONTROL.sub(" ", line[: MAX_DETAIL_CHARACTERS * 4]).strip()
    if len(line) > MAX_DETAIL_CHARACTERS:
        head = line[: MAX_DETAIL_CHARACTERS + 1]
        cut = max(head.rfind(" "), head.rfind("("), head.rfind(","))
        line = head[: cut if cut > MAX_DETAIL_CHARACTERS // 2 else MAX_DETAIL_CHARACTERS]
    return line.rstrip(" {(,;:=>").strip() if len(line) > 2 else ""
