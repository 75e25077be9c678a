"""Chat histories of aider: Markdown with the user's prompts, program notices, and answers.

Each start of the program begins a conversation. Aider has no tool calls: an edit that was applied
also becomes a call ``apply_edit``, unless ``/undo`` took it back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


def _recognises(head: str) -> bool:
    return bool(_HEADING.match(head) or (_PROMPT.search(head) and _COST.search(head)))


def _transcripts(path: Path) -> Iterator[Transcript]:
    """The chats of a history, one by one; the entries of those without an answer are left out."""
    lost = Tally()

    def answered() -> Iterator[tuple[str, list[_Entry]]]:
        for time, entries in _chats(path):
            if any(entry.kind == "answer" for entry in entries):
                yield time, entries
            else:
                count = sum(bool(entry.text.strip()) for entry in entries)
                lost.records += count
                lost.left_out["entry of a chat without an answer"] += count

    number = -1
    for number, (time, entries), last in numbered(answered()):
        reading = _ChatReader(entries, lost if last else Tally())
        begun = re.sub(r"\D+", "-", time).strip("-")
        yield reading.transcript(path, (begun or f"{number:04d}") if number else "")
    if number < 0:
        raise ImportFormatError(
            f"{path}: no answer in an aider chat history; expected prompts after '####' with "
            "answers below them. Name another format with --format"
        )


def _lines(path: Path) -> Iterator[str]:
    for number, raw in all_lines(path):
        try:
            yield raw.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise ImportFormatError(
                f"{path}, line {number}: byte {error.start} is not UTF-8; fix or remove the line"
            ) from None


def _chats(path: Path) -> Iterator[tuple[str, list[_Entry]]]:
    """The time of each start of the program, and what was said from there to the next one."""
    time, fenced = "", False
    entries: list[_Entry] = []
    # Aider ends prompts and notices in two blanks, unless an editor removed them.
    marked = any(line.startswith("#### ") and line.endswith("  ") for line in _lines(path))
    for line in _lines(path):
        if start := _START.match(line):
            yield time, entries
            time, fenced, entries = start["time"].strip(), False, []
            continue
        ended = line.endswith("  ") or not marked
        kind: Kind = "answer"
        if line.startswith("#### ") and ended and (marked or not fenced):
            kind, line, fenced = "user", line[4:].strip(), False
        elif line.startswith(">") and not line.startswith(">>") and (ended or line == ">"):
            notice = line[1:].strip()
            if not fenced or notice.startswith("Tokens: "):
                kind, line = "notice", notice
        if kind == "answer" and _FENCE.match(line):
            fenced = not fenced
        last = entries[-1] if entries else None
        if kind == "answer" and not line.strip() and (last is None or last.kind != "answer"):
            if last is not None and last.kind == "user":  # an empty line ends a prompt
                entries.append(_Entry("notice", []))
        elif last is not None and last.kind == kind:
            last.lines.append(line)
        else:
            entries.append(_Entry(kind, [line]))
    yield time, entries


class _ChatReader:
    def __init__(self, entries: Sequence[_Entry], tally: Tally) -> None:
        self._model = ""
        self._tally = tally
        self._thread = ThreadBuilder(tally)
        self._entries = [entry for entry in entries if entry.text.strip()]
        notices = (line for entry in entries if entry.kind == "notice" for line in entry.lines)
        self._undone = {found["hash"] for line in notices if (found := _REMOVED.match(line))}

    def transcript(self, path: Path, name: str) -> Transcript:
        self._tally.records += len(self._entries)
        waiting = [*reversed(self._entries)]
        while waiting:
            entry = waiting.pop()
            if entry.kind == "notice":
                self._notice(self._kept(entry.lines))
                continue
            behind = waiting.pop() if waiting and waiting[-1].kind == "notice" else None
            notices = self._kept(behind.lines) if behind else []
            following = waiting[-1] if waiting else None
            if entry.kind == "answer":
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
        else:
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
        applied = (match["path"].strip() for line in notices if (match := _APPLIED.match(line)))
        paths = list(dict.fromkeys(applied))
        commits = [match["hash"] for line in notices if (match := _COMMIT.match(line))]
        if paths and self._undone.intersection(commits[-1:]):
            self._tally.repaired["edit that was undone later, kept as a notice"] += len(paths)
            return []
        return paths


IMPORTER: Final = Format("aider", "aider, chat history (Markdown)", _recognises, _transcripts)
