"""The turns of a conversation as messages: batches of turns of messages, or fewer levels.

A batch is an object with ``turns``, or the list of them; a turn is a list of messages. A long
conversation is split over plans: one file each, or one file with the plans by name. Where ids
begin anew in a plan they go on counting, as those in the questions do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from pytest_compaction.case.long_memory.shapes import ShapeError, at, shown
from pytest_compaction.conversation.messages import Message, Text

MARKER: Final = "->->"
"""With this a user's turn ends in the set, followed by the place of its plan: ``->-> 1,2``."""
_MARKED: Final = re.compile(r"->->\s*\d+\s*,")
ROLES: Final = ("user", "assistant")
_PLAN: Final = re.compile(r"plan-(\d{1,9})")


class Turns:
    """The messages of a conversation, plan after plan.

    ``ids`` are those of the messages, in the numbering of the whole conversation: a message
    without text is none, and nothing can be its evidence.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.ids: set[int] = set()
        self._taken: set[int] = set()
        self._next = 0

    def add(self, value: Any) -> None:
        """Take in what a file holds. Raises :class:`ShapeError` with the first place that is wrong.

        A file holds batches, or the plans of a long conversation by name.
        """
        for pointer, batches in _plans(value):
            self._take(pointer, batches)

    def _take(self, pointer: str, batches: list[Any]) -> None:
        """The batches of one plan, whose ids may begin anew."""
        shift: int | None = None
        for place, said in _messages(pointer, batches):
            id = said.get("id")
            if id is None:
                id = self._next - (shift or 0)
            if not isinstance(id, int) or isinstance(id, bool) or id < 0:
                raise ShapeError(at(place, "id"), shown(said["id"]), "a whole number from 0 on")
            if shift is None:
                shift = self._next if id < self._next else 0
            number = id + shift
            if number in self._taken:
                found = f"the id {id} a second time"
                raise ShapeError(at(place, "id"), found, "an id for each message")
            self._taken.add(number)
            self._next = max(self._next, number + 1)
            text = _text(place, said)
            if text:
                self.ids.add(number)
                self.messages.append(Message(str(number), said["role"], (Text(text),)))


def _plans(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """The batches of each plan in the order of their numbers, with their place."""
    if isinstance(value, dict) and _names_plans(value):
        parts = [("", value)]
    elif not isinstance(value, list):
        raise ShapeError("", shown(value), "a list of batches, or of plans by name")
    elif value and all(isinstance(one, dict) and _names_plans(one) for one in value):
        parts = [(f"/{number}", one) for number, one in enumerate(value)]
    else:
        yield "", value
        return
    named = [
        (_plan_number(name), at(place, name), batches)
        for place, plans in parts
        for name, batches in plans.items()
        if batches is not None  # a table has a column for each plan
    ]
    for _, pointer, batches in sorted(named, key=lambda plan: plan[0]):
        if not isinstance(batches, list):
            raise ShapeError(pointer, shown(batches), "a list of batches")
        yield pointer, batches


def _names_plans(value: dict[str, Any]) -> bool:
    return bool(value) and all(_PLAN.fullmatch(name) for name in value)


def _plan_number(name: str) -> int:
    return int(name.partition("-")[2])


def _messages(pointer: str, batches: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, batch in enumerate(batches):
        place = f"{pointer}/{number}"
        turns = batch
        if isinstance(batch, dict) and "role" not in batch:
            if "turns" not in batch:
                raise ShapeError(place, shown(batch), "an object with the key 'turns'")
            place, turns = f"{place}/turns", batch["turns"]
            if not isinstance(turns, list):
                raise ShapeError(place, shown(turns), "a list of turns")
        yield from _said(place, turns)


def _said(pointer: str, value: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of lists in lists, three deep at most."""
    levels = [(pointer, value, 3)]
    while levels:
        place, here, deep = levels.pop()
        if isinstance(here, dict):
            if here.get("role") not in ROLES:
                expected = "a message with the role user or assistant"
                raise ShapeError(at(place, "role"), shown(here.get("role")), expected)
            yield place, here
        elif isinstance(here, list) and deep:
            numbered = [(f"{place}/{i}", each, deep - 1) for i, each in enumerate(here)]
            levels.extend(reversed(numbered))
        else:
            raise ShapeError(place, shown(here), "a turn, which is a list of messages")


def _text(place: str, said: dict[str, Any]) -> str:
    content = said.get("content")
    if not isinstance(content, str):
        raise ShapeError(at(place, "content"), shown(content), "the text of the message")
    if MARKER not in content:
        return content
    return unmarked(content) if said["role"] == "user" else _without_last_marker(content)


def unmarked(text: str) -> str:
    """A user's text without the marker at its end, and without the notes that may follow it."""
    match = _MARKED.search(text)
    return text[: match.start()].rstrip() if match else text


def _without_last_marker(text: str) -> str:
    """An assistant's text without a marker that it repeats in its last line."""
    end = len(text.rstrip())
    start = text.rfind("\n", 0, end) + 1
    match = _MARKED.search(text, start)
    return text[: match.start()].rstrip() if match else text
