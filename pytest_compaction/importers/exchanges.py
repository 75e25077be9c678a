"""Conversations from logged requests and responses of a model's interface, each with its name.

Requests whose messages begin with all messages of an earlier request, or that name an earlier
response, belong to its conversation; the latest request holds all of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.conversation import Message, canonical_json
from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.json_files import PlacedValue, is_list, json_values
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally, Transcript

T = TypeVar("T")


def numbered(items: Iterable[T]) -> Iterator[tuple[int, T, bool]]:
    """The number of each item from 1, the item, and whether it is the last."""
    number = 0
    held: list[T] = []
    for item in items:
        if held:
            number += 1
            yield number, held.pop(), False
        held.append(item)
    for item in held:
        yield (number + 1 if number else 0), item, True


MAX_OPEN: Final = 64
"""The number of conversations kept open for a later request; bounds the memory for a log."""

REPEATED: Final = "message repeated in a later request"
_REQUEST: Final = ("request", "body")
_NAMES: Final = ("custom_id", "conversation_id", "session_id", "id", "name")
_VOLATILE: Final = ("cache_control", "id", "status")
"""Fields that may differ when a message is sent again: cache marks move, replies gain ids."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its response; ``logged`` when it may continue an earlier request.

    ``system`` holds instructions beside the messages. ``id`` is the id of the response,
    ``previous`` the id of the response that the request continues.
    """

    place: str
    request: Sequence[Any]
    response: Sequence[Any] = field(default_factory=list)
    system: Any = None
    name: str = ""
    model: str = ""
    id: str = ""
    previous: str = ""
    logged: bool = False
    tally: Tally = field(default_factory=Tally)


def unwrapped(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Request and response of one line of a log; a plain body counts as the request."""
    outer = mapping(value)
    request = next((outer[key] for key in _REQUEST if isinstance(outer.get(key), Mapping)), outer)
    response = mapping(outer.get("response"))
    return mapping(request), mapping(response.get("body", response))


def name_of(value: Any) -> str:
    """The name that a conversation gives itself, such as its id; empty if it gives none."""
    given = mapping(value)
    if "task_id" in given and "trial" in given:
        return f"task{given['task_id']}-trial{given['trial']}"
    for key in _NAMES:
        if isinstance(given.get(key), str | int) and str(given[key]).strip():
            return str(given[key])
    return ""


def _items(found: PlacedValue, is_message: Callable[[Any], bool]) -> Iterator[PlacedValue]:
    """The value, or the items of a list of several conversations."""
    place, value = found
    if is_list(value) and value and not any(is_message(item) for item in value):
        for number, item in enumerate(value):
            yield PlacedValue(f"{place}, item {number}", item)
    else:
        yield found


def is_chat_message(value: Any) -> bool:
    """Whether a value is a message by a role, or by a type without messages below it."""
    given = mapping(value)
    return isinstance(given.get("role"), str) or (
        isinstance(given.get("type"), str) and "messages" not in given
    )


def transcripts_of(
    path: Path,
    read: Callable[[PlacedValue], Exchange | None],
    make: Callable[[Exchange, Path], Transcript],
    expected: str,
    is_message: Callable[[Any], bool] = is_chat_message,
    split: Callable[[PlacedValue], Iterable[PlacedValue]] | None = None,
    beside: Callable[[Any], str] = lambda value: "",
) -> Iterator[Transcript]:
    """The conversations of a file.

    ``read`` reads one value of the file as a conversation or a request, ``make`` turns a whole
    conversation into a transcript. Bare messages make one together. ``split`` divides a value into
    several. ``beside`` gives the reason to leave out a value that is known to be no conversation.
    Without any, raises :class:`ImportFormatError` with the text ``expected``.
    """
    lost = Tally()
    found = False
    divided = split or partial(_items, is_message=is_message)
    items = (item for value in json_values(path, lost) for item in divided(value))
    for exchange in conversations_of(_exchanges(items, read, is_message, path, lost, beside), lost):
        found = True
        yield make(exchange, path)
    if not found:
        raise ImportFormatError(f"{path}: {expected}. Name another format with --format")


def finished(
    exchange: Exchange,
    path: Path,
    messages: Sequence[Message],
    boundaries: Sequence[Boundary] = (),
) -> Transcript:
    """The transcript of a conversation; raises :class:`ImportFormatError` if it is empty."""
    empty = f"{exchange.place}: no message in the conversation"
    return exchange.tally.transcript(
        messages, path, empty, exchange.model, boundaries, exchange.name
    )


def _exchanges(
    items: Iterable[PlacedValue],
    read: Callable[[PlacedValue], Exchange | None],
    is_message: Callable[[Any], bool],
    path: Path,
    lost: Tally,
    beside: Callable[[Any], str],
) -> Iterator[Exchange]:
    """One exchange per conversation or request; all bare messages together make one more."""
    alone: list[Any] = []
    for item in items:
        exchange = read(item)
        if exchange is not None:
            exchange.tally.records += len(exchange.request) + len(exchange.response)
            yield exchange
        elif is_message(item.value):
            alone.append(item.value)
        elif reason := beside(item.value):
            lost.records += 1
            lost.left_out[reason] += 1
        else:
            lost.records += 1
            lost.skip("value that is not a conversation", item.value)
    if alone:
        yield Exchange(str(path), alone, tally=Tally(records=len(alone)))


def conversations_of(exchanges: Iterable[Exchange], lost: Tally) -> Iterator[Exchange]:
    """The conversations with distinct names; the requests of a log are joined first."""
    used: set[str] = set()
    for number, exchange, last in numbered(_joined(exchanges)):
        if last:
            exchange.tally.records += lost.records
            exchange.tally.left_out.update(lost.left_out)
            exchange.tally.repaired.update(lost.repaired)
            exchange.tally.unread.update(lost.unread)
        yield _named(exchange, number, used) if number else replace(exchange, name="")


def _named(exchange: Exchange, number: int, used: set[str]) -> Exchange:
    name = exchange.name or f"{number:04d}"
    if name in used:
        name = f"{name}-{number:04d}"
    used.add(name)
    return replace(exchange, name=name)


def _joined(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    opened: list[tuple[Exchange, list[bytes]]] = []
    for exchange in exchanges:
        if not exchange.logged:
            yield exchange
            continue
        keys = [_comparable(item) for item in exchange.request]
        place = next(
            (i for i, (old, known) in enumerate(opened) if _continues(exchange, keys, old, known)),
            None,
        )
        if place is None:
            opened.append((exchange, keys))
            if len(opened) > MAX_OPEN:
                yield opened.pop(0)[0]
            continue
        joined = _grown(opened[place][0], exchange)
        opened[place] = (joined, [_comparable(item) for item in joined.request])
    for exchange, _ in opened:
        yield exchange


def _continues(new: Exchange, keys: list[bytes], old: Exchange, known: list[bytes]) -> bool:
    if new.previous:
        return new.previous == old.id
    return len(keys) >= len(known) > 0 and keys[: len(known)] == known


def _grown(old: Exchange, new: Exchange) -> Exchange:
    tally = old.tally
    tally.records += new.tally.records
    tally.unread.update(new.tally.unread)
    if new.previous:
        request: Sequence[Any] = [*old.request, *old.response, *new.request]
    else:
        request = new.request
        tally.left_out[REPEATED] += len(old.request)
        again = len(new.request) == len(old.request)
        if old.response and again:
            tally.left_out["response to a request that was sent again"] += len(old.response)
        elif old.response:
            tally.left_out[REPEATED] += len(old.response)
    return replace(new, request=request, tally=tally, name=old.name, system=new.system)


def _comparable(item: Any) -> bytes:
    """A digest of an item that ignores what may change from request to request."""
    if mapping(item).get("role") in ("system", "developer"):
        return b"system"
    return hashlib.sha256(canonical_json(_without_volatile(item)).encode()).digest()


def _without_volatile(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _without_volatile(item)
            for key, item in value.items()
            if key not in _VOLATILE and item is not None
        }
    if is_list(value):
        return [_without_volatile(item) for item in value]
    return value
