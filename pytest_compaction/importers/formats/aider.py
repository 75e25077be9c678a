"""Chat histories of aider: Markdown with the user's prompts, program notices, and answers.

Each start of the program begins a conversation. Aider has no tool calls: an edit that was applied
also becomes a call ``apply_edit``, unless ``/undo`` took it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from pytest_compaction.conversation import Text, ToolCall, ToolResult
from pytest_compaction.conversation.formats.parts import as_arguments
from pytest_compaction.importers.exchanges import numbered
from pytest_compaction.importers.json_files import all_lines
from pytest_compaction.importers.protocol import ImportFormatError, Tally, Transcript
from pytest_compaction.importers.registry import Format
from pytest_compaction.importers.threads import ThreadBuilder

_START: Final = re.compile(r"# aider chat started at (?P<time>[\d :.-]{8,40})\s*\Z")
_HEADING: Final = re.compile(r"\s*# aider chat started at \d{4}-")
_PROMPT: Final = re.compile(r"^#### \S", re.M)
_COST: Final = re.compile(r"^> Tokens: [\d.,]+[kM]? sent", re.M)
_FENCE: Final = re.compile(r"\s{0,3}(?:`{3,}|~{3,})")
_APPLIED: Final = re.compile(r"Applied edit to (?P<path>.+)")
_COMMIT: Final = re.compile(r"Commit (?P<hash>[0-9a-f]{6,40})\b")
_REMOVED: Final = re.compile(r"Removed: (?P<hash>[0-9a-f]{6,40})\b")
_MODEL: Final = re.compile(r"(?:Main )?[Mm]odels?: (?P<name>\S+)")
_LEFT_OUT: Final = (
    (re.compile(r"Tokens: "), "token and cost count"),
    (re.compile(r"You can use /undo|Use /help\b"), "hint about a command"),
    (re.compile(r"\^C\b"), "keyboard interrupt"),
)
# Aider logs such a command, and once more the prompt within it as what the user typed.
_REPEATING: Final = re.compile(r"/(?:ask|code|architect|context|help)\s+(?P<prompt>.+)\Z", re.S)

Kind = Literal["user", "notice", "answer"]


@dataclass(slots=True)
class _Entry:
    kind: Kind
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


@dataclass(slots=True)
class _Chat:
    """One run of the program: everything from its start to the next one."""

    time: str = ""
    entries: list[_Entry] = field(default_factory=list)

    @property
    def spoken(self) -> bool:
        return any(entry.kind == "answer" for entry in self.entries)


def _recognises(head: str) -> bool:
    return bool(_HEADING.match(head) or (_PROMPT.search(head) and _COST.search(head)))


def _transcripts(path: Path) -> Iterator[Transcript]:
    """The chats of a history, one by one; count chats without an answer as left out."""
    lost = Tally()
    found = False
    for number, chat, last in numbered(_answered_chats(path, lost)):
        found = True
        reading = _ChatReader(chat, lost if last else Tally())
        time = re.sub(r"\D+", "-", chat.time).strip("-")
        yield reading.transcript(path, (time or f"{number:04d}") if number else "")
    if not found:
        raise ImportFormatError(
            f"{path}: no answer in an aider chat history; expected prompts after '####' with "
            "answers below them. Name another format with --format"
        )


def _answered_chats(path: Path, lost: Tally) -> Iterator[_Chat]:
    """The chats with an answer; the entries of the others are counted in ``lost``."""
    for chat in _chats(path):
        if chat.spoken:
            yield chat
        elif count := sum(bool(entry.text.strip()) for entry in chat.entries):
            lost.records += count
            lost.left_out["entry of a chat without an answer"] += count


def _lines(path: Path) -> Iterator[str]:
    for number, raw in all_lines(path):
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise ImportFormatError(
                f"{path}, line {number}: byte {error.start} is not UTF-8; fix or remove the line"
            ) from None


def _chats(path: Path) -> Iterator[_Chat]:
    chat = _Chat()
    fenced = False
    marked = _marked(path)
    for line in _lines(path):
        start = _START.match(line)
        if start:
            yield chat
            chat, fenced = _Chat(start["time"].strip()), False
            continue
        kind, text = _kind_of(line, fenced, marked)
        if kind == "user":
            fenced = False
        elif kind == "answer" and _FENCE.match(line):
            fenced = not fenced
        _take(chat.entries, kind, text)
    yield chat


def _marked(path: Path) -> bool:
    """Whether prompts end in two blanks, as aider writes them."""
    return any(line.startswith("#### ") and line.endswith("  ") for line in _lines(path))


def _kind_of(line: str, fenced: bool, marked: bool) -> tuple[Kind, str]:
    """The kind of a line, and its text; ``marked`` if prompts and notices end in two blanks."""
    ended = line.endswith("  ") or not marked
    if line.startswith("#### ") and ended and (marked or not fenced):
        return "user", line[4:].strip()
    if line.startswith(">") and not line.startswith(">>") and (ended or line == ">"):
        text = line[1:].strip()
        if not fenced or text.startswith("Tokens: "):
            return "notice", text
    return "answer", line


def _take(entries: list[_Entry], kind: Kind, text: str) -> None:
    """Add a line; an empty line belongs to an answer, and ends a prompt."""
    last = entries[-1] if entries else None
    if kind == "answer" and not text.strip() and (last is None or last.kind != "answer"):
        if last is not None and last.kind == "user":
            entries.append(_Entry("notice", []))
    elif last is not None and last.kind == kind:
        last.lines.append(text)
    else:
        entries.append(_Entry(kind, [text]))


class _ChatReader:
    def __init__(self, chat: _Chat, tally: Tally) -> None:
        self._model = ""
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._entries = [entry for entry in chat.entries if entry.text.strip()]
        notices = (line for entry in chat.entries if entry.kind == "notice" for line in entry.lines)
        self._undone = {found["hash"] for line in notices if (found := _REMOVED.match(line))}

    def transcript(self, path: Path, name: str) -> Transcript:
        entries = iter(self._entries)
        following = next(entries, None)
        while (entry := following) is not None:
            self._tally.records += 1
            following = next(entries, None)
            notices: list[str] = []
            if entry.kind != "notice" and following is not None and following.kind == "notice":
                self._tally.records += 1
                notices = self._kept(following.lines)
                following = next(entries, None)
            if entry.kind == "notice":
                self._notice(self._kept(entry.lines))
            elif entry.kind == "answer":
                self._answer(entry.text, notices)
            else:
                self._prompt(entry.text, notices, following)
        messages, empty = self._thread.finished(), f"{path}: no message"
        return self._tally.transcript(messages, path, empty, self._model, (), name)

    def _kept(self, lines: Sequence[str]) -> list[str]:
        """The notices that tell something about the session; count the others as left out."""
        kept: list[str] = []
        for line in filter(None, lines):
            model = _MODEL.match(line)
            if model and not self._model:
                self._model = model["name"].rstrip(",")
            reason = next((reason for shape, reason in _LEFT_OUT if shape.match(line)), None)
            if reason:
                self._tally.left_out[f"notice: {reason}"] += 1
            else:
                kept.append(line)
        return kept

    def _notice(self, lines: Sequence[str]) -> None:
        if lines:
            self._tally.repaired["program notices, given as a system message"] += 1
            self._thread.add("system", [Text("\n".join(lines))])

    def _prompt(self, text: str, notices: Sequence[str], following: _Entry | None) -> None:
        """Add what the user typed; notices hold what the program answers to a command."""
        repeating = _REPEATING.match(text)
        again = following.text.strip() if following and following.kind == "user" else ""
        if repeating and again == repeating["prompt"].strip():
            self._tally.left_out["command whose prompt is repeated below it"] += 1
            self._notice(notices)
            return
        self._thread.add("user", [Text(text)])
        self._notice(notices)

    def _answer(self, text: str, notices: Sequence[str]) -> None:
        paths = self._applied(notices)
        if not paths:
            self._thread.add("assistant", [Text(text)])
            self._notice(notices)
            return
        calls = [
            ToolCall(self._thread.new_id("edit"), "apply_edit", as_arguments({"path": path}))
            for path in paths
        ]
        self._tally.repaired["applied edit, also given as a tool call"] += len(paths)
        self._thread.add("assistant", [Text(text), *calls])
        for call, path in zip(calls, paths, strict=True):
            said = notices if call is calls[-1] else [f"Applied edit to {path}"]
            self._thread.add_result(ToolResult(call.id, "\n".join(said)))

    def _applied(self, notices: Sequence[str]) -> list[str]:
        """The edited files; none if a later ``/undo`` took the commit back."""
        paths: dict[str, None] = {}
        last = ""
        for line in notices:
            applied, commit = _APPLIED.match(line), _COMMIT.match(line)
            if applied:
                paths[applied["path"].strip()] = None
            elif commit:
                last = commit["hash"]
        if last in self._undone and paths:
            self._tally.repaired["edit that was undone later, kept as a notice"] += len(paths)
            return []
        return list(paths)


IMPORTER: Final = Format("aider", "aider, chat history (Markdown)", _recognises, _transcripts)
