"""Entries from tool calls: what commands printed, what stands in files, what happened to files.

A command that was run again tells only its last outcome. Progress bars, rules and diffs are
left out, and of a long output the lines that tell the most are kept. Of values (assignments, table
rows, rules) each line names its file, and the newest reading of a name in a file is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from pytest_compaction.artifacts import (
    Command,
    FileState,
    Invocation,
    call_touches,
    commands,
    error_kind,
    error_texts,
    file_operations,
    file_states,
    invocations,
    shell_script,
    telling_commands,
)
from pytest_compaction.artifacts import test_summary as summary_of_tests
from pytest_compaction.conversation import Message
from pytest_compaction.models.offline.cues import CONSTRAINT
from pytest_compaction.models.offline.entries import (
    MAX_ENTRY_CHARACTERS,
    Entry,
    Topics,
    specificity,
)
from pytest_compaction.text import clipped, is_definition, sentences

_NOISE: Final = re.compile(
    r"[\s.=_*~!#|+FEsx-]*+(?:\[ *\d+%\])?\s*$|={3,}|_{3,}|-{3,}|.* PASSED +\[ *\d+%\]|collecting"
    r"|platform |rootdir|cachedir|plugins?:|configfile|testpaths|\(no output\)|diff --git"
    r"|index \w+\."
    r"|@@ |--- |\+\+\+ |.*\|\s+\d+ [+-]+$|.*files? changed,|  +File \"|Traceback "
)
_COMMIT: Final = re.compile(
    r"(?:\[[\w/.-]+ (?P<short>[0-9a-f]{7,12})\]|(?P<hash>[0-9a-f]{7,12})) (?P<subject>\S.*)$"
)
_INLINE: Final = re.compile(r"^\S+ -(?:c\b|$)|…")
"""A command that does not tell what was run, so that another may look the same."""
_FAILED: Final = re.compile(r"^FAILED (\S+)(?: - (.+))?$", re.MULTILINE)
_NOT_PASSED: Final = re.compile(r"\b[1-9]\d* (?:failed|errors?|FAIL)\b|FAILED|no tests|fail [1-9]")
FILE_LINE: Final = re.compile(
    r"^`(?P<path>[^`\s]+)` (?P<what>(?:created|modified|deleted|read|renamed from \S+?)"
    r"(?:, (?:created|modified|deleted|read|renamed from \S+?))*)(?:: (?P<details>.+))?$"
)
LAST_RUN: Final = "Last test run: "
_OUTCOME_CHARACTERS: Final = 240
_COMMAND_CHARACTERS: Final = 90
_LINES: Final = 400
_WORTH: Final = 1.5
_ERRORS_OF_RUN: Final = 3


_NUMBERED: Final = re.compile(r"\s*\d+(?:[\t:|→-]| {2})(?P<line>.*)$")
_PRINTS_FILE: Final = re.compile(
    r"\s*(?:cat|head|tail|sed -n|nl)\b[^|;&]*?(?P<path>[\w./-]+\.\w+)\s*$"
)
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
_SHOWN_LINES: Final = 600
_VALUE_CHARACTERS: Final = 160
_SET: Final = 2.5
_SHOWN: Final = 0.5
"""Worth of a value that was set in this session, and of one that was only shown."""
_DETAIL_CHARACTERS: Final = 60
_DETAILS: Final = 2
_FILE_WORTH: Final = {"read": 1.0, "modified": 3.0}
_LARGEST: Final = 4.0
_PASSED: Final = 2.0
_PASSING: Final = re.compile(r"\.git/|/tmp/|/var/|.*\.(?:tmp|log|pyc)$")
"""Files that only served for a moment."""
_RENAMED: Final = re.compile(r"renamed from (\S+)")


def printed_entries(messages: Sequence[Message], topics: Topics) -> Iterator[Entry]:
    """Entries from the outputs of all commands, oldest first."""
    place = {message.id: order for order, message in enumerate(messages)}
    runs = [(run, summary_of_tests(run.output)) for run in commands(messages)]
    # Where tests ran and none failed, the errors of earlier test runs are settled.
    passed = (
        n
        for n, (_, tests) in enumerate(runs)
        if tests is not None and not _NOT_PASSED.search(tests)
    )
    green = max(passed, default=-1)
    for number, (run, tests) in enumerate(runs):
        order = place.get(run.message_id, 0)
        lines = run.output.splitlines()[:_LINES]
        for match in filter(None, map(_COMMIT.match, lines if "git" in run.text else ())):
            commit = match["short"] or match["hash"]
            text = clipped(f"Commit {commit}: {match['subject']}", 120)
            yield Entry("outcome", text, 2.0, order, subject=f"Commit {commit}")
        told = telling_commands(run.text)
        if not told:
            continue
        if tests:
            yield _tested(run, tests, order)
        if not (tests and number < green):
            for text in islice(error_texts(run.output, run.failed), _ERRORS_OF_RUN):
                worth = specificity(text) + 1.0 + topics.share(text)
                yield Entry("error", clipped(text, 200), worth, order, subject=error_kind(text))
        outcome = "" if tests else _outcome(lines, topics)
        if outcome:
            command = clipped("; ".join(told[:2]).replace("`", "'"), _COMMAND_CHARACTERS)
            yield outcome_entry(command, outcome, order, topics)


def outcome_entry(command: str, outcome: str, order: int, topics: Topics) -> Entry:
    """What a command printed."""
    worth = specificity(outcome) + _WORTH + topics.share(outcome)
    text = clipped(f"`{command}`: {outcome}", MAX_ENTRY_CHARACTERS)
    subject = "" if _INLINE.search(command) else f"`{command}`"
    return Entry("outcome", text, worth, order, subject=subject)


def _tested(run: Command, tests: str, order: int) -> Entry:
    command = next((line for line in run.text.splitlines() if "test" in line), run.text)
    command = re.split(r" ?&& ?git| ?; ?git", command)[0]
    failed = [match[1].rpartition("::")[2] for match in _FAILED.finditer(run.output)]
    what = f"{tests} (`{clipped(command, 60)}`)"
    what += f", failed: {', '.join(failed[:4])}" if failed else ""
    text = clipped(f"{LAST_RUN}{what}", MAX_ENTRY_CHARACTERS)
    return Entry("state", text, 6.0, order, subject=LAST_RUN)


def _outcome(printed: Sequence[str], topics: Topics) -> str:
    """The lines of an output that tell something, in order, as many as the limit allows."""
    telling = (" ".join(line.split()) for line in printed if not _NOISE.match(line))
    lines = list(dict.fromkeys(line.strip("[] ") for line in telling if not _COMMIT.match(line)))
    ranked = sorted(range(len(lines)), key=lambda n: (-topics.worth(lines[n]), n))
    room, kept = _OUTCOME_CHARACTERS, []
    whole = sum(len(line) + 2 for line in lines) <= room
    for number in range(len(lines)) if whole else ranked:
        if len(lines[number]) + 2 <= room:
            kept.append(number)
            room -= len(lines[number]) + 2
    return ", ".join(lines[number].rstrip(",;") for number in sorted(kept))


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
    output = invocation.output.splitlines()[:_SHOWN_LINES]
    if len(touches) == 1 and touches[0].verb == "read":
        path, lines = touches[0].path, list(map(_bare, output))
        if path.endswith(_PROSE_SUFFIXES):  # its sentences, although they were wrapped
            texts = (sentence.text for sentence in sentences("\n".join(lines)))
            lines = [f"| {text} |" if " | " in text else text for text in texts]
        yield path, [] if path.endswith(_RECORD_SUFFIXES) else lines, _SHOWN
    elif len(touches) == 1 and touches[0].verb in {"write", "edit"}:
        old: set[str] = set()
        new: list[str] = []
        for name, text in invocation.call.parsed().items():
            name = name.lower()
            if isinstance(text, str) and "old" in name:
                old.update(text.splitlines())
            elif isinstance(text, str) and "path" not in name and "file" not in name:
                new += text.splitlines()[:_SHOWN_LINES]
        yield touches[0].path, [line for line in new if line not in old], _SET
    elif (script := shell_script(invocation.call)) is not None:
        found: dict[str, list[str]] = {}
        for match in filter(None, map(_FOUND.match, output)):
            found.setdefault(match["path"], []).append(match["line"])
        yield from ((path, lines, _SHOWN) for path, lines in found.items())
        shown = None if found else _PRINTS_FILE.match(script)
        if shown:
            yield shown["path"], list(map(_bare, output)), _SHOWN


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
        shown = f"{clipped(where, _VALUE_CHARACTERS)} ({path})"
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


def file_entries(messages: Sequence[Message]) -> Iterator[Entry]:
    """One entry for each file that something happened to."""
    place = {message.id: order for order, message in enumerate(messages)}
    for state in file_states(file_operations(messages)):
        if state.touched:
            yield file_entry(state, max((place.get(id, 0) for id in state.message_ids), default=0))


def file_entry(state: FileState, order: int) -> Entry:
    """One line about a file, with what was defined in it last; values are entries of their own."""
    what = ["created"] if state.created else []
    what += [f"renamed from {state.renamed_from}"] if state.renamed_from else []
    what += ["modified"] if state.modified and not state.created else []
    what += ["deleted"] if state.deleted else []
    telling = [detail for detail in state.details if is_definition(detail)]
    details = "; ".join(clipped(detail, _DETAIL_CHARACTERS) for detail in telling[-_DETAILS:])
    return _entry(state.path, what or ["read"], details, order)


def carried_file(text: str, order: int) -> Entry | None:
    """The entry of a line of an earlier summary, ``None`` if it is not about a file."""
    match = FILE_LINE.match(text)
    if match is None:
        return None
    return _entry(match["path"], match["what"].split(", "), match["details"] or "", order)


def merged_files(entries: Iterable[Entry]) -> list[Entry]:
    """One entry for each path, with all that happened to it and the newest details."""
    merged: dict[str, Entry] = {}
    for entry in entries:
        before = merged.pop(entry.subject, None)
        merged[entry.subject] = entry if before is None else _united(before, entry)
    for entry in list(merged.values()):
        old = _RENAMED.search(entry.text)
        gone = merged.pop(old[1].rstrip(","), None) if old else None
        if gone is not None and "created" in _what(gone):
            merged[entry.subject] = _united(gone, entry, path=entry.subject)
    return list(merged.values())


def _united(earlier: Entry, later: Entry, path: str = "") -> Entry:
    verbs = dict.fromkeys([*_what(earlier), *_what(later)])
    if "created" in verbs:
        verbs.pop("modified", None)
    if _what(later) != ["deleted"] and "deleted" in verbs:
        verbs.pop("deleted")
    if len(verbs) > 1:
        verbs.pop("read", None)
    entry = _entry(path or later.subject, list(verbs), later.detail or earlier.detail, later.order)
    return replace(entry, worth=max(entry.worth, later.worth))


def _what(entry: Entry) -> list[str]:
    match = FILE_LINE.match(entry.text)
    return match["what"].split(", ") if match else []


def _entry(path: str, what: Sequence[str], details: str, order: int) -> Entry:
    text = f"`{path}` {', '.join(what)}"
    worth = _FILE_WORTH.get(what[0], _LARGEST) if len(what) == 1 else _LARGEST
    if _PASSING.match(path) or {"created", "deleted"} <= set(what):
        worth = _PASSED
    return Entry("file", text, worth, order, subject=path, detail=details)
