"""Entries from files that were read or written: assignments, table rows, rules.

Each line names its file. The newest reading of the same name in the same file is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts.operations import Invocation, invocations
from pytest_compaction.artifacts.tool_calls import call_touches, shell_script
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.cues import CONSTRAINT
from pytest_compaction.models.offline.entry import Entry, specificity
from pytest_compaction.models.offline.topics import Topics
from pytest_compaction.text import clipped, sentences

_NUMBERED: Final = re.compile(r"\s*\d+(?:[\t:|→-]| {2})(?P<line>.*)$")
_FOUND: Final = re.compile(r"(?P<path>[\w./-]+\.\w+)[:-]\d+[:-](?P<line>.*)$")
_ASSIGNED: Final = re.compile(
    r"(?P<name>[A-Za-z_][\w.-]*(?:\s*:\s{0,20}[\w\[\]., |]++)?)\s*(?:=(?!=)|:=)\s*"
    r"(?P<value>[\"'\d\[({-].*|true|false|True|False|None)$"
)
_KEYED: Final = re.compile(r"(?P<name>[A-Za-z][\w.-]*):\s+(?P<value>\S.*)$")
_SECTION: Final = re.compile(r"\[(?P<ini>[\w.\s\"-]+)\]$|#{1,4} (?P<md>\S.*)$")
_ROW: Final = re.compile(r"\|(?P<cells>.+)\|\s*$")
_RULE: Final = re.compile(r"[\s|:+=-]+$")
_ITEM: Final = re.compile(r"(?:[-*+]|\d+\.) (?P<item>\S.*)$")
_RECORD: Final = re.compile(r"\d{4}-\d\d-\d\d|\d\d:\d\d|\d+[\s,;]")
"""A line of a log or of data, one of many."""
_CONSTANT: Final = re.compile(
    r"(?:[A-Z][A-Z\d_]+|\w+: [\w\[\]., |]+) = (?:[\d\"'{(\[-].*|True|False|None)$"
)
_CODE: Final = re.compile(r"(?:def|class|return|if|elif|for|while|with|assert|import|from|raise)\b")
_LITERAL: Final = re.compile(r"[\d\"'(\[{]|True|False|true|false|None")
_CODE_SUFFIXES: Final = (".py", ".js", ".ts", ".go", ".rs", ".java", ".c", ".cpp", ".rb", ".sh")
_RECORD_SUFFIXES: Final = (".log", ".csv", ".tsv", ".jsonl")
_PROSE_SUFFIXES: Final = (".md", ".txt", ".rst")
_LINES: Final = 600
_CHARACTERS: Final = 160
_SET: Final = 2.5
_SHOWN: Final = 0.5
"""Worth of a value that was set in this session, and of one that was only shown."""


def value_entries(messages: Sequence[Message], topics: Topics) -> Iterator[Entry]:
    """Entries from what calls read from files and wrote to them, oldest first."""
    place = {message.id: order for order, message in enumerate(messages)}
    for invocation in invocations(messages):
        order = place.get(invocation.message_id, 0)
        for path, lines, bonus in _texts(invocation):
            yield from _entries(path, lines, order, bonus, topics)


def _texts(invocation: Invocation) -> Iterator[tuple[str, list[str], float]]:
    """The files of a call, with the lines that it shows or sets."""
    touches = call_touches(invocation.call)
    output = invocation.output.splitlines()[:_LINES]
    if len(touches) == 1 and touches[0].verb == "read":
        path = touches[0].path
        yield path, _whole(path, [_bare(line) for line in output]), _SHOWN
    elif len(touches) == 1 and touches[0].verb in {"write", "edit"}:
        arguments = invocation.call.parsed()
        old, new = _old_and_new(arguments)
        yield touches[0].path, [line for line in new if line not in old], _SET
    elif shell_script(invocation.call) is not None:
        yield from _listed(shell_script(invocation.call) or "", output)


def _listed(script: str, output: list[str]) -> Iterator[tuple[str, list[str], float]]:
    found: dict[str, list[str]] = {}
    for line in output:
        match = _FOUND.match(line)
        if match:
            found.setdefault(match["path"], []).append(match["line"])
    if found:
        yield from ((path, lines, _SHOWN) for path, lines in found.items())
        return
    shown = re.match(r"\s*(?:cat|head|tail|sed -n|nl)\b[^|;&]*?(?P<path>[\w./-]+\.\w+)\s*$", script)
    if shown:
        yield shown["path"], [_bare(line) for line in output], _SHOWN


def _old_and_new(arguments: dict[str, object]) -> tuple[set[str], list[str]]:
    texts = [(name.lower(), text) for name, text in arguments.items() if isinstance(text, str)]
    old = {line for name, text in texts if "old" in name for line in text.splitlines()}
    new = [
        line
        for name, text in texts
        if "old" not in name and "path" not in name and "file" not in name
        for line in text.splitlines()[:_LINES]
    ]
    return old, new


def _whole(path: str, lines: list[str]) -> list[str]:
    """The lines of a file; in prose, its sentences, although they were wrapped; of data none."""
    if path.endswith(_RECORD_SUFFIXES):
        return []
    if not path.endswith(_PROSE_SUFFIXES):
        return lines
    texts = (sentence.text for sentence in sentences("\n".join(lines)))
    return [f"| {text} |" if " | " in text else text for text in texts]


def _bare(line: str) -> str:
    match = _NUMBERED.match(line)
    return match["line"].strip(" ") if match else line


def _entries(
    path: str, lines: Sequence[str], order: int, bonus: float, topics: Topics
) -> Iterator[Entry]:
    section = ""
    code = path.endswith(_CODE_SUFFIXES)
    for line in lines:
        line = " ".join(line.split())
        if _RECORD.match(line):
            continue
        found = _SECTION.match(line)
        if found and not code:
            section = (found["ini"] or found["md"]).strip()
            continue
        name, text = _stated(line, code)
        if not text or not _LITERAL.search(text):
            continue
        subject = f"{path} {section} {name}"
        where = f"{section}: {text}" if section and name and not code else text
        worth = specificity(text) + bonus + topics.share(where)
        worth += 0.7 if not code and CONSTRAINT.search(text) else 0.0
        shown = f"{clipped(where, _CHARACTERS)} ({path})"
        yield Entry("value", shown, worth, order, subject=subject)


def _stated(line: str, code: bool) -> tuple[str, str]:
    """The name and the text of a line that states a value or a rule; empty for any other."""
    assigned = _ASSIGNED.match(line)
    if assigned:
        text = f"{assigned['name']} = {assigned['value']}"
        if code and not _CONSTANT.match(text):
            return "", ""
        return (assigned["name"].split(":")[0].strip(), text) if len(line) < 100 else ("", "")
    if code or _CODE.match(line):
        return "", ""
    row = _ROW.match(line)
    if row and not _RULE.match(line):
        cells = [cell.strip() for cell in row["cells"].split("|") if cell.strip()]
        return (cells[0], f"{cells[0]}: {', '.join(cells[1:])}") if len(cells) > 1 else ("", "")
    keyed = _KEYED.match(line)
    if keyed:
        return keyed["name"], line
    item = _ITEM.match(line)
    text = item["item"] if item else line
    return ("", text) if len(text.split()) >= 5 else ("", "")
