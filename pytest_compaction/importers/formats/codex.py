"""Rollout files of Codex CLI: JSON lines with the items of a session, and its compactions.

The conversation is in ``response_item`` lines; ``event_msg`` lines repeat it for the screen. A
``compacted`` line has in ``replacement_history`` what Codex continued with; without one, Codex
rebuilds it from the summary and the newest user messages within 20,000 tokens, and so does this.
A compaction for which the user asked has a turn of its own, which begins with it; any other belongs
to a turn that works.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message, newest_that_fit, text_message
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.conversation.formats.requests import COMPACTIONS, ENCRYPTED
from pytest_compaction.importers.formats.openai_responses import (
    UNDONE_COMPACTION,
    ItemReader,
    count_compactions,
)
from pytest_compaction.importers.json_files import head_values, json_lines
from pytest_compaction.importers.protocol import (
    BEFORE_FIRST_MESSAGE,
    ENCRYPTED_CONTENT,
    SUMMARY_IN_RECORD,
    Boundary,
    ImportFormatError,
    Tally,
    Transcript,
    counted_tokens,
    seconds_between,
    unknown,
)
from pytest_compaction.importers.registry import Format
from pytest_compaction.importers.threads import in_terms_of
from pytest_compaction.text import printable

# The limit of Codex for the user messages that it keeps, and its estimate of a token.
USER_TOKENS: Final = 20_000
BYTES_A_TOKEN: Final = 4

_TYPES: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
_ITEMS: Final = ("message", "reasoning", "function_call", "function_call_output")
# Rollouts before envelopes: an item stands alone in its line, known by its type.
_ITEM_ENDINGS: Final = ("_call", "_output")
_TURN_BEGINS: Final = ("task_started", "turn_started")
_TURN_ENDS: Final = ("task_complete", "turn_complete")


def _recognises(head: str) -> bool:
    values = [mapping(value) for value in head_values(head)]
    if any(v.get("type") in _TYPES and isinstance(v.get("payload"), dict) for v in values):
        return True
    return len(values) > 1 and _is_old_header(values[0]) and _is_item(values[1])


def _is_old_header(value: Mapping[str, Any]) -> bool:
    return "id" in value and "timestamp" in value and "type" not in value


def _is_item(value: Mapping[str, Any]) -> bool:
    kind = value.get("type")
    return value.get("record_type") is not None or (
        isinstance(kind, str) and (kind in _ITEMS or kind.endswith(_ITEM_ENDINGS))
    )


class _RolloutReader:
    def __init__(self) -> None:
        self._tally = Tally()
        self._items = ItemReader(self._tally)
        self._boundaries: list[Boundary] = []
        self._model = ""
        self._tokens: int | None = None
        self._window: int | None = None
        self._recognised = 0
        self._turn: Mapping[str, Any] | None = None
        """The line at which the turn began."""
        self._works = False
        """Whether the turn has called a tool."""
        self._alone: Mapping[str, Any] | None = None
        """The line of the last compaction while the turn has done nothing else."""

    def transcript(self, path: Path) -> Transcript:
        for number, record in json_lines(path, self._tally):
            self._tally.records += 1
            self._record(record, f"{path}, line {number}")
        if not self._recognised:
            self._tally.refuse_all(path, "Codex item")
        messages = self._items.messages
        boundaries = (*self._items.boundaries, *self._boundaries)
        count_compactions(boundaries, self._tally)
        empty = f"{path}: a Codex rollout without a message; there is nothing to import"
        return self._tally.transcript(messages, path, empty, self._model, boundaries)

    def _record(self, record: Mapping[str, Any], place: str) -> None:
        kind, payload = record.get("type"), record.get("payload")
        if kind in _TYPES and not isinstance(payload, dict):
            raise ImportFormatError(
                f"{place}: a line of type {kind!r} without a payload; fix or remove the line"
            )
        given = mapping(payload)
        item = kind == "message" or (_is_item(record) and "record_type" not in record)
        if kind == "event_msg":
            self._event(given, record)
        elif kind == "turn_context":
            self._model = string(given.get("model")) or self._model
            self._tally.left_out["turn settings"] += 1
        elif kind == "session_meta" or _is_old_header(record):
            self._tally.left_out["session header with the program's instructions"] += 1
        elif kind in ("response_item", "compacted") or item:
            self._recognised += 1
            if kind == "compacted":
                self._compacted(given, record, place)
            else:
                self._note_work(given if kind == "response_item" else record)
                self._items.add(payload if kind == "response_item" else record, place)
        else:
            self._tally.skip(unknown("record type", kind or record.get("record_type")), record)

    def _note_work(self, item: Mapping[str, Any]) -> None:
        kind = string(item.get("type"))
        calls = kind.endswith(_ITEM_ENDINGS)
        self._works = self._works or calls
        if self._alone and (calls or kind == "reasoning" or item.get("role") == "assistant"):
            self._triggered("auto")

    def _triggered(self, trigger: str, seconds: float | None = None) -> None:
        self._boundaries[-1:] = [
            replace(last, trigger=trigger, seconds=seconds) for last in self._boundaries[-1:]
        ]
        self._alone = None

    def _event(self, event: Mapping[str, Any], record: Mapping[str, Any]) -> None:
        if event.get("type") == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))
            return
        if event.get("type") in _TURN_BEGINS:
            self._turn, self._works, self._alone = record, False, None
        elif event.get("type") in _TURN_ENDS:
            if self._turn and self._alone:
                self._triggered("manual", seconds_between(self._turn, self._alone))
            self._turn = None
        if event.get("type") == "token_count":
            info = mapping(event.get("info"))
            total = counted_tokens(mapping(info.get("last_token_usage")).get("total_tokens"))
            window = counted_tokens(info.get("model_context_window"))
            self._tokens = self._tokens if total is None else total
            self._window = self._window if window is None else window
            for last in self._boundaries[-1:] if total is not None else ():
                if last.tokens_after is None:
                    self._boundaries[-1] = replace(last, tokens_after=total)
        shown = printable(str(event.get("type")), 40)
        self._tally.left_out[f"screen event: {shown}"] += 1

    def _roll_back(self, turns: Any) -> None:
        """Remove the last turns and the compactions in them, as Codex does."""
        log = self._items.messages
        typed = [place for place, message in enumerate(log) if message.role == "user"]
        count = turns if isinstance(turns, int) and turns > 0 else 0
        self._tally.left_out["record that the last turns were undone"] += 1
        if not count or not typed:
            return
        place = typed[max(0, len(typed) - count)]
        lost = {message.id for message in log[place:]}
        self._tally.left_out["message in a turn that the user undid"] += self._items.cut(place)
        for boundary in self._boundaries:
            self._tally.left_out[UNDONE_COMPACTION] += boundary.after in lost
        self._alone = None
        self._boundaries = [one for one in self._boundaries if one.after not in lost]

    def _compacted(self, payload: Mapping[str, Any], record: Mapping[str, Any], place: str) -> None:
        summary = string(payload.get("message"))
        if summary and self._items.take_back(summary.strip()):
            self._tally.left_out[SUMMARY_IN_RECORD] += 1
        if not self._tally.has_room(self._boundaries):
            return
        log = self._items.messages
        if not log:
            self._tally.left_out[BEFORE_FIRST_MESSAGE] += 1
            return
        name = f"recorded-{len(self._boundaries) + 1}"
        history = payload.get("replacement_history")
        view: tuple[Message, ...] = ()
        missing = "its line holds neither a summary nor the new history"
        if isinstance(history, list):
            encrypted = sum(mapping(item).get("type") in COMPACTIONS for item in history)
            self._tally.left_out[ENCRYPTED_CONTENT] += encrypted
            if encrypted:
                missing = ENCRYPTED
            else:
                reading = ItemReader(Tally())
                for index, item in enumerate(history):
                    reading.add(item, f"{place}, replacement_history {index}")
                said = [message for message in log if not message.calls and not message.results]
                view = in_terms_of(said, reading.messages, name)
        elif summary:  # behind the newest user messages that fit the limit as a whole
            typed = [message for message in log if message.role == "user"]
            sizes = [-(-len(m.text.encode("utf-8", "replace")) // BYTES_A_TOKEN) for m in typed]
            kept = typed[newest_that_fit(sizes, USER_TOKENS) :]
            view = (*kept, text_message(name, "user", summary, "synthetic"))
        missing = "" if view else missing
        self._boundaries.append(
            Boundary(
                log[-1].id,
                tokens_before=self._tokens,
                messages=view,
                missing=missing,
                window=self._window,
                trigger="auto" if self._turn and self._works else "",
            )
        )
        self._alone = None if self._works else self._turn and record


IMPORTER: Final = Format(
    "codex",
    "Codex CLI, rollout JSONL",
    _recognises,
    lambda path: _RolloutReader().transcript(path),
)
