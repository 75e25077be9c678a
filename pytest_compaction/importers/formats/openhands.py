"""Event streams of OpenHands: actions and observations, or the typed events of its SDK.

Supported are outputs of its evaluations (one instance per line, with events under
``history``), lists of events (JSON, or one event per line), a saved trajectory, and the
``events`` folder of a conversation, one file per event. Each instance is a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_compaction.conversation import Message, Part, ToolCall, text_message
from pytest_compaction.conversation.formats.parts import mapping, string
from pytest_compaction.importers.chat_messages import NESTED_LISTS
from pytest_compaction.importers.exchanges import numbered
from pytest_compaction.importers.formats.openhands_events import (
    Called,
    ClassicEvents,
    Condensed,
    LeftOut,
    Observed,
    Step,
    is_classic,
    is_sdk,
    sdk_steps,
)
from pytest_compaction.importers.json_files import (
    PlacedValue,
    is_list,
    json_values,
    read_document,
)
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally, Transcript
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.importers.threads import ThreadBuilder
from pytest_compaction.text import printable


class _EventReader:
    """Reads the events of one stream in order into one conversation."""

    def __init__(self, place: str, tally: Tally) -> None:
        self._place = place
        self._tally = tally
        self._thread = ThreadBuilder(self._tally)
        self._classic = ClassicEvents(self._tally)
        self._ids: list[str] = []
        self._viewed: list[bool] = []
        self._held: tuple[str, list[Part], int] | None = None
        self._condensations: list[tuple[int, Condensed]] = []
        """Each with the number of events before it."""
        self._model = ""

    def add(self, event: Any) -> None:
        """Read one event; count anything else as left out."""
        self._tally.records += 1
        given = mapping(event)
        number = len(self._ids)
        self._ids.append(str(given.get("id", "")))
        self._viewed.append(False)
        if is_classic(given):
            response = mapping(mapping(given.get("tool_call_metadata")).get("model_response"))
            self._model = string(response.get("model")) or self._model
            steps = self._classic.steps(given)
        elif is_sdk(given):
            steps = sdk_steps(given, self._tally)
        else:
            self._tally.skip("value that is not an event")
            return
        for step in steps:
            self._take(step, number)

    def transcript(self, path: Path, name: str) -> Transcript:
        """The conversation; call this once, at the end. Raises :class:`ImportFormatError`."""
        self._settle()
        messages = self._thread.finished()
        empty = f"{self._place}: no message among {len(self._ids)} events"
        boundaries = self._boundaries(messages)
        return self._tally.transcript(messages, path, empty, self._model, boundaries, name)

    def _take(self, step: Step, number: int) -> None:
        self._viewed[number] = not isinstance(step, LeftOut) or step.viewed
        if isinstance(step, Called):
            if self._held is None or self._held[0] != step.response:
                self._settle()
                self._held = (step.response, list(step.parts), number)
            self._held[1].extend(step.calls)
            return
        self._settle()
        if isinstance(step, Condensed):
            self._viewed[number] = False
            self._condensations.append((number, step))
        elif isinstance(step, LeftOut):
            self._tally.left_out[step.reason] += 1
        elif isinstance(step, Observed):
            self._thread.add_result(step.result, step.rest)
        else:
            self._thread.add_unless_empty(step.role, step.parts, number)

    def _settle(self) -> None:
        """Add the response whose calls have been collected."""
        if self._held is not None:
            _, parts, number = self._held
            self._held = None
            texts = [part for part in parts if not isinstance(part, ToolCall)]
            calls = [part for part in parts if isinstance(part, ToolCall)]
            self._thread.add("assistant", [*texts, *calls], number)

    def _boundaries(self, messages: Sequence[Message]) -> Iterator[Boundary]:
        forgotten: set[str] = set()
        for number, (end, step) in enumerate(self._condensations, start=1):
            forgotten |= step.forgotten
            count = sum(origin < end for origin in self._thread.origins)
            if count:
                view = tuple(self._view(messages[:count], end, step, forgotten, number))
                missing = "" if view else "everything was forgotten and nothing put in its place"
                yield Boundary(messages[count - 1].id, messages=view, missing=missing)
            else:
                self._tally.left_out["condensation before the first message"] += 1

    def _view(
        self, log: Sequence[Message], end: int, step: Condensed, forgotten: set[str], number: int
    ) -> Iterator[Message]:
        """The messages not forgotten, with the summary among them."""
        events = [
            place
            for place in range(end)
            if self._viewed[place] and self._ids[place] not in forgotten
        ]
        first = events[step.offset] if step.offset < len(events) else len(self._ids)
        kept = [
            (origin, message)
            for origin, message in zip(self._thread.origins, log, strict=False)
            if self._ids[origin] not in forgotten
        ]
        yield from (message for origin, message in kept if origin < first)
        if step.summary:
            yield text_message(f"recorded-{number}", "user", step.summary, "synthetic")
        yield from (message for origin, message in kept if origin >= first)


_LISTS: Final = ("history", "events", "trajectory")
_NAMES: Final = ("instance_id", "conversation_id", "id")
_EVENTS: Final = "events"
_EVENT_FILE: Final = re.compile(r"(?:event-)?(\d+)(?:-[\w-]+)?\.json")


def _transcripts(path: Path) -> Iterator[Transcript]:
    """The conversations of a file, one by one, or the single one of a folder."""
    if path.is_dir():
        whole = path.parent if path.name == _EVENTS else path
        yield _conversation(PlacedValue(str(path), _read_folder(path)), whole, Tally())
        return
    lost = Tally()
    found = False
    for number, instance, last in numbered(_instances(path, lost)):
        found = True
        given = mapping(instance.value)
        named = next((given[key] for key in _NAMES if isinstance(given.get(key), str)), "")
        name = (named or f"{number:04d}") if number else ""
        yield _conversation(instance, path, lost if last else Tally(), name)
    if not found:
        raise ImportFormatError(
            f"{path}: no OpenHands event was recognised; expected events with an action, "
            "an observation or a kind. Name another format with --format"
        )


def _recognised(value: Any, lists: int = NESTED_LISTS) -> bool:
    """Look for an event, a list of events under a known key, or the header of an evaluation."""
    if isinstance(value, list):
        return lists > 0 and any(_recognised(item, lists - 1) for item in value[:5])
    given = mapping(value)
    header = "instance_id" in given and "agent_class" in mapping(given.get("metadata"))
    return _is_event(given) or any(_are_events(given.get(key)) for key in _LISTS) or header


def _is_event(value: Any) -> bool:
    given = mapping(value)
    return is_classic(given) or is_sdk(given)


def _are_events(value: Any) -> bool:
    return is_list(value) and any(_is_event(event) for event in _flat(value[:5]))


def _flat(events: Iterable[Any]) -> Iterator[Any]:
    """The events of a list; older outputs pair each action with its observation."""
    for event in events:
        if isinstance(event, list):
            yield from event
        else:
            yield event


def _instances(path: Path, lost: Tally) -> Iterator[PlacedValue]:
    """The conversations of a file; all its single events, one per line, make one more.

    Any other value is counted in ``lost``.
    """
    alone: list[Any] = []
    for place, value in json_values(path, lost):
        items = value if is_list(value) and not _are_events(value) else [value]
        for item in items:
            if _is_event(item):
                alone.append(item)
            elif is_list(item) or any(_are_events(mapping(item).get(k)) for k in _LISTS):
                yield PlacedValue(place, item)
            elif _recognised(item):
                raise ImportFormatError(
                    f"{place}: an OpenHands instance without events; remove it, its run failed "
                    f"before it began ({printable(str(mapping(item).get('error')), 120)})"
                )
            else:
                lost.records += 1
                lost.skip("value without an event")
    if alone:
        yield PlacedValue(str(path), alone)


def _event_files(folder: Path) -> list[tuple[int, Path]]:
    """The files with the number of an event as their name, there or under ``events``."""
    below = folder / _EVENTS
    return sorted(
        (int(match[1]), path)
        for path in (below if below.is_dir() else folder).iterdir()
        if (match := _EVENT_FILE.fullmatch(path.name))
    )


def _recognises_folder(folder: Path) -> bool:
    return bool(_event_files(folder))


def _read_folder(folder: Path) -> list[Any]:
    files = _event_files(folder)
    if not files:
        below = folder / _EVENTS
        raise ImportFormatError(
            f"{below if below.is_dir() else folder}: no event file in the folder; expected "
            "0.json or event-00000-….json"
        )
    return [read_document(path) for _, path in files]


def _conversation(found: PlacedValue, path: Path, tally: Tally, name: str = "") -> Transcript:
    given: Mapping[str, Any] = mapping(found.value)
    events = found.value
    if given:
        events = next(given[key] for key in _LISTS if _are_events(given.get(key)))
    reading = _EventReader(found.place, tally)
    for event in _flat(events):
        reading.add(event)
    error = given.get("error")
    if isinstance(error, str) and error:
        tally.left_out[f"end of the run: {printable(error, 100)}"] += 1
    return reading.transcript(path, name)


IMPORTER: Final = Format(
    "openhands",
    "OpenHands: evaluation output, event lists, events folder (JSON, JSONL)",
    shown_by(_recognised),
    _transcripts,
    recognises_folder=_recognises_folder,
)
