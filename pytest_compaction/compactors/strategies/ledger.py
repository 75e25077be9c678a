"""``ledger``: files, tests, commands and errors, kept by rule beside any summary.

Summaries lose track of artifacts: all published evaluations find it hardest to keep
which file was created, renamed or only read. This need not be summarised at all, because
the tool calls say it. The ledger follows every message of the log, keeps its entries
outside the conversation, and is written into the view anew at each compaction, so that
no summary can lose or distort it.

Alone it keeps system prompt, ledger and the newest part that fits. Composed, as
in ``anchored+ledger``, the other strategy works with the rest of the budget and leaves
files to the ledger.

The most important entries go in first and are left out last: every changed file with its
fate, and the last test run. The rest of the room is divided among the details of the
changes, error texts, files that were only read, and commands, the newest of each first. A
line says how many entries were left out. Error texts stand as they were printed; only
one of more than 400 characters is cut, and says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.artifacts import ASSERTION, CommandRun, FileState, Trail, trail_from_json
from pytest_compaction.compactors.base.summaries import summary_message
from pytest_compaction.compactors.composition import InsertionCompactor
from pytest_compaction.compactors.parameters import portion, whole
from pytest_compaction.compactors.protocol import Context, State, Traits
from pytest_compaction.conversation import Message
from pytest_compaction.conversation.formats.chat import from_chat, to_chat
from pytest_compaction.models import Source
from pytest_compaction.text import clipped

LEDGER_ID: Final = "ledger"
PREAMBLE: Final = (
    "Ledger of this session, kept by rule from all its tool calls. It is a record, not a request."
)
TITLES: Final = {
    "changed": "Files changed",
    "tests": "Last test run",
    "errors": "Errors as printed",
    "read": "Files only read",
    "commands": "Commands run",
}
_SHARES: Final = {"details": 0.4, "errors": 0.25, "read": 0.25, "commands": 0.1}
"""Shares of the room beside the changed files; what one kind leaves goes to the next."""
_LEAST: Final = 60
"""A ledger of fewer tokens is not worth its heading."""
_UNREAD: Final = 64
"""So many messages are read at once."""
_DETAILS: Final = 3
_DETAIL_CHARACTERS: Final = 70
_ENTRY_CHARACTERS: Final = 240
_ASSIGNED: Final = re.compile(
    r"^((?:const |let |var |export )*[\w.\"'\[\]-]+)\s*(?::=|=(?!=)|:)\s*\S"
)

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class _Entries:
    """Candidate entries of the ledger, the newest or most telling first.

    Only what has room is put into words: a long log has thousands of files.
    """

    changed: Sequence[FileState]
    tests: Sequence[str]
    errors: Sequence[str]
    read: Sequence[FileState]
    commands: Sequence[CommandRun]

    @classmethod
    def of(cls, trail: Trail) -> _Entries:
        """The entries of a trail."""
        last = {operation.message_id: place for place, operation in enumerate(trail.operations)}
        files = sorted(
            trail.files,
            key=lambda state: -max((last.get(id, 0) for id in state.message_ids), default=0),
        )
        return cls(
            [state for state in files if _changed(state)],
            [trail.tests] if trail.tests else [],
            _by_weight(trail.errors),
            [state for state in files if not _changed(state)],
            _that_matter(trail.runs),
        )

    def __len__(self) -> int:
        kinds = (self.changed, self.tests, self.errors, self.read, self.commands)
        return sum(map(len, kinds))

    def lines(self, kind: str) -> Iterator[str]:
        """The lines of a kind, those of files without details."""
        if kind in {"changed", "read"}:
            states = self.changed if kind == "changed" else self.read
            return (_file_text(state, False) for state in states)
        if kind == "commands":
            return map(_run_text, self.commands)
        return iter(self.tests if kind == "tests" else self.errors)

    def detailed(self, place: int) -> str:
        """The line of a changed file with what was changed."""
        return _file_text(self.changed[place], True)


@dataclass(eq=False)
class Ledger(InsertionCompactor):
    """Keeps system prompt, ledger and newest part; or stands in another strategy's view.

    ``share`` is the part of the budget that the ledger may take, ``limit`` the most
    entries that it may have.
    """

    name = "ledger"
    description = "files, tests, commands and errors by rule, beside any summary (composable)"
    traits = Traits(keeps_tail=True)
    covers: frozenset[Source] = frozenset({"files"})
    insertion_id = LEDGER_ID

    share: float = portion(0.2)
    limit: int = whole(100, 1)

    def begin(self) -> State:
        return {"trail": Trail().as_json(), "unread": []}

    def note(self, notes: State, new: Sequence[Message]) -> State:
        """Notes with the next messages of the log taken in.

        Some messages are kept unread, because writing the trail takes as long as the trail is.
        """
        unread = [*notes["unread"], *to_chat(new, ids=True)]
        if len(unread) < _UNREAD:
            return {**notes, "unread": unread}
        return {"trail": _trail({**notes, "unread": unread}).as_json(), "unread": []}

    def insertion(self, notes: State, context: Context) -> Message | None:
        room = int(context.budget * self.share)
        if room < _LEAST:
            return None
        text = written(_trail(notes), room, self.limit, context.tokens.text)
        return summary_message(LEDGER_ID, text, PREAMBLE) if text else None


def _trail(notes: State) -> Trail:
    return trail_from_json(notes["trail"]).followed_by(from_chat(notes["unread"]))


def written(trail: Trail, room: int, limit: int, count: Count) -> str:
    """The ledger's text within ``room`` tokens and ``limit`` entries; empty without entries."""
    entries = _Entries.of(trail)
    page = _Page(room - count(PREAMBLE) - _LEAST // 2, limit, count)
    page.fill("changed", entries.lines("changed"), page.left)
    page.fill("tests", entries.lines("tests"), page.left)
    free = page.left
    for kind in (*_SHARES, *_SHARES):
        most = page.left if kind in page.visited else int(free * _SHARES[kind])
        if kind == "details":
            page.extend("changed", entries.detailed, most)
        else:
            page.fill(kind, entries.lines(kind), most, kind == "errors")
        page.visited.add(kind)
    return page.text(len(entries))


class _Page:
    """Lines under headings within a number of tokens; the newest of a kind come first in."""

    def __init__(self, room: int, limit: int, count: Count) -> None:
        self.left = room
        self.visited: set[str] = set()
        self._limit = limit
        self._count = count
        self._lines: dict[str, dict[int, str]] = {kind: {} for kind in TITLES}

    def fill(self, kind: str, texts: Iterable[str], most: int, pass_over: bool = False) -> None:
        """Add lines that are not there yet, in order, until one does not fit ``most`` tokens.

        With ``pass_over`` the lines after it may still come in.
        """
        lines = self._lines[kind]
        for place, text in enumerate(texts):
            if place in lines:
                continue
            heading = 0 if lines else self._count(f"## {TITLES[kind]}\n\n")
            cost = self._count(f"- {text}\n") + heading
            full = sum(map(len, self._lines.values())) >= self._limit
            if full or (cost > min(most, self.left) and not pass_over):
                return
            if cost <= min(most, self.left):
                lines[place] = text
                self.left -= cost
                most -= cost

    def extend(self, kind: str, longer: Callable[[int], str], most: int) -> None:
        """Put longer texts in the place of lines, in order, while they fit ``most`` tokens."""
        lines = self._lines[kind]
        for place, line in sorted(lines.items()):
            text = longer(place)
            cost = self._count(f"- {text}\n") - self._count(f"- {line}\n")
            if cost > min(most, self.left):
                return
            lines[place] = text
            self.left -= cost
            most -= cost

    def text(self, total: int) -> str:
        """The page, the oldest line of a kind first; says how many of ``total`` are missing."""
        shown = sum(map(len, self._lines.values()))
        if not shown:
            return ""
        parts = [
            "\n".join(
                [f"## {TITLES[kind]}", *(f"- {lines[n]}" for n in sorted(lines, reverse=True))]
            )
            for kind, lines in self._lines.items()
            if lines
        ]
        if total > shown:
            parts.append(f"({total - shown} entries left out)")
        return "\n\n".join(parts)


def _changed(state: FileState) -> bool:
    return state.created or state.modified or state.deleted or bool(state.renamed_from)


def _file_text(state: FileState, detailed: bool) -> str:
    what = [
        name
        for name, happened in (
            ("created", state.created),
            (f"renamed from {state.renamed_from}", bool(state.renamed_from)),
            ("modified", state.modified and not state.created),
            ("deleted", state.deleted),
        )
        if happened
    ]
    text = f"`{state.path}` {', '.join(what or ['read'])}"
    details = _current(state.details) if detailed and not state.deleted else []
    return clipped(text + (f": {'; '.join(details)}" if details else ""), _ENTRY_CHARACTERS)


def _current(details: Sequence[str]) -> list[str]:
    """The newest changes; a later value of the same name takes the place of the earlier one."""
    latest: dict[str, str] = {}
    for detail in details:
        assigned = _ASSIGNED.match(detail)
        key = assigned[1] if assigned else detail
        latest.pop(key, None)
        latest[key] = clipped(detail, _DETAIL_CHARACTERS)
    return [detail for detail in latest.values() if detail][-_DETAILS:]


def _by_weight(errors: Sequence[str]) -> list[str]:
    """Newest first; failed assertions, which are of tests, after all others."""
    newest = errors[::-1]
    return sorted(newest, key=lambda text: ASSERTION in text)


def _that_matter(runs: Sequence[CommandRun]) -> list[CommandRun]:
    """Runs that change something, then repeated runs, then failed runs; newest first."""
    newest = [run for run in runs[::-1] if run.changing or run.times > 1 or run.failed]
    return sorted(newest, key=lambda run: 0 if run.changing else 1 if run.times > 1 else 2)


def _run_text(run: CommandRun) -> str:
    said = [f"`{run.text}`"]
    if run.times > 1:
        said.append(f"{run.times} times")
    if run.tests:
        said.append(run.tests)
    elif run.failed:
        said.append("failed")
    return ", ".join(said)
