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

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.chat_messages import NESTED_LISTS
from pytest_compaction.importers.exchanges import numbered
from pytest_compaction.importers.formats.openhands_events import (
    EventReader,
    is_classic,
    is_sdk,
)
from pytest_compaction.importers.json_files import (
    PlacedValue,
    is_list,
    json_values,
    read_document,
)
from pytest_compaction.importers.protocol import ImportFormatError, Tally, Transcript
from pytest_compaction.importers.registry import Format, shown_by
from pytest_compaction.text import printable

_LISTS: Final = ("history", "events", "trajectory")
_NAMES: Final = ("instance_id", "conversation_id", "id")
_EVENTS: Final = "events"
_EVENT_FILE: Final = re.compile(r"(?:event-)?(\d+)(?:-[\w-]+)?\.json")


def _transcripts(path: Path) -> Iterator[Transcript]:
    if path.is_dir():
        whole = path.parent if path.name == _EVENTS else path
        files = _event_files(path)
        if not files:
            raise ImportFormatError(
                f"{path}: no event file in the folder, nor under events; expected 0.json or "
                "event-00000-….json"
            )
        yield _conversation(PlacedValue(str(path), [*map(read_document, files)]), whole, Tally())
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
    """The conversations of a file; all its single events, one per line, make one more."""
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


def _event_files(folder: Path) -> list[Path]:
    """The files with the number of an event as their name, there or under ``events``."""
    below = folder / _EVENTS
    files = (below if below.is_dir() else folder).iterdir()
    matches = ((_EVENT_FILE.fullmatch(path.name), path) for path in files)
    return [path for _, path in sorted((int(match[1]), path) for match, path in matches if match)]


def _conversation(found: PlacedValue, path: Path, tally: Tally, name: str = "") -> Transcript:
    given: Mapping[str, Any] = mapping(found.value)
    events = found.value
    if given:
        events = next(given[key] for key in _LISTS if _are_events(given.get(key)))
    reading = EventReader(found.place, tally)
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
    recognises_folder=lambda path: bool(_event_files(path)),
)
