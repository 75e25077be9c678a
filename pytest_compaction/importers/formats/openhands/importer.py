"""Event streams of OpenHands: actions and observations, or the typed events of its SDK.

Supported are outputs of its evaluations (one instance per line, with events under
``history``), lists of events (JSON, or one event per line), a saved trajectory, and the
``events`` folder of a conversation, one file per event. Each instance is a conversation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.formats.openhands.events import EventReader, is_event
from pytest_compaction.importers.protocol import ImportFormatError, Tally, Transcript
from pytest_compaction.importers.reading.documents import (
    PlacedValue,
    head_values,
    json_values,
    read_document,
)
from pytest_compaction.importers.reading.fields import NESTED_LISTS, mapping
from pytest_compaction.importers.reading.numbered import numbered
from pytest_compaction.importers.reading.streamed import is_list
from pytest_compaction.text.words import printable

_LISTS: Final = ("history", "events", "trajectory")
_NAMES: Final = ("instance_id", "conversation_id", "id")
_EVENTS: Final = "events"
_EVENT_FILE: Final = re.compile(r"(?:event-)?(\d+)(?:-[\w-]+)?\.json")


class OpenHandsImporter:
    """Reads what OpenHands and its SDK record of a conversation."""

    name = "openhands"
    description = "OpenHands: evaluation output, event lists, events folder (JSON, JSONL)"

    def recognises(self, head: str) -> bool:
        """Look for an event, a list of events under a known key, or the header of an evaluation."""
        return any(_recognised(value) for value in head_values(head))

    def recognises_folder(self, folder: Path) -> bool:
        """Look for files with the number of an event as their name, there or under ``events``."""
        return any(_EVENT_FILE.fullmatch(path.name) for path in _events_of(folder).iterdir())

    def read(self, path: Path) -> Iterator[Transcript]:
        """The conversations of a file, one by one, or the single one of a folder."""
        if path.is_dir():
            whole = path.parent if path.name == _EVENTS else path
            yield _conversation(PlacedValue(str(path), list(_folder(_events_of(path)))), whole)
            return
        lost = Tally()
        found = False
        for number, instance, last in numbered(_instances(path, lost)):
            found = True
            name = _name(instance.value, number) if number else ""
            yield _conversation(instance, path, name, lost if last else None)
        if not found:
            raise ImportFormatError(
                f"{path}: no OpenHands event was recognised; expected events with an action, "
                "an observation or a kind. Name another format with --format"
            )


IMPORTER: Final = OpenHandsImporter


def _recognised(value: Any, lists: int = NESTED_LISTS) -> bool:
    if isinstance(value, list):
        return lists > 0 and any(_recognised(item, lists - 1) for item in value[:5])
    given = mapping(value)
    if is_event(given):
        return True
    if any(_are_events(given.get(key)) for key in _LISTS):
        return True
    return "instance_id" in given and "agent_class" in mapping(given.get("metadata"))


def _are_events(value: Any) -> bool:
    return is_list(value) and any(is_event(event) for event in _flat(value[:5]))


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
    for place, value in json_values(path):
        items = value if is_list(value) and not _are_events(value) else [value]
        for item in items:
            if is_event(mapping(item)):
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
                lost.left_out["value without an event"] += 1
    if alone:
        yield PlacedValue(str(path), alone)


def _events_of(folder: Path) -> Path:
    below = folder / _EVENTS
    return below if below.is_dir() else folder


def _folder(folder: Path) -> Iterator[Any]:
    numbered = sorted(
        (int(match[1]), path)
        for path in folder.iterdir()
        if (match := _EVENT_FILE.fullmatch(path.name))
    )
    if not numbered:
        raise ImportFormatError(
            f"{folder}: no event file in the folder; expected 0.json or event-00000-….json"
        )
    for _, path in numbered:
        yield read_document(path)


def _name(value: Any, number: int) -> str:
    given = mapping(value)
    named = next((given[key] for key in _NAMES if isinstance(given.get(key), str)), "")
    return named or f"{number:04d}"


def _conversation(
    found: PlacedValue, path: Path, name: str = "", lost: Tally | None = None
) -> Transcript:
    given: Mapping[str, Any] = mapping(found.value)
    events = found.value
    if given:
        events = next(given[key] for key in _LISTS if _are_events(given.get(key)))
    reading = EventReader(found.place, lost)
    for event in _flat(events):
        reading.add(event)
    error = given.get("error")
    if isinstance(error, str) and error:
        reading.ended(error)
    return reading.transcript(path.as_posix(), name)
