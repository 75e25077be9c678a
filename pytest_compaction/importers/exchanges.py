"""Conversations from logged requests and responses of a model's interface, each with its name.

Requests whose messages begin with all messages of an earlier request, or that name an earlier
response, belong to its conversation; the latest request holds all of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.conversation import Message, canonical_json
from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.json_files import PlacedValue, is_list, json_values
from pytest_compaction.importers.protocol import Boundary, ImportFormatError, Tally, Transcript
from pytest_compaction.importers.registry import Format, shown_by

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

    def transcript(
        self,
        path: Path,
        messages: Sequence[Message],
        boundaries: Iterable[Boundary] = (),
        model: str = "",
    ) -> Transcript:
        """The transcript of the messages; raises :class:`ImportFormatError` if there is none."""
        empty = f"{self.place}: no message in the conversation"
        named = self.model or model
        return self.tally.transcript(messages, path, empty, named, boundaries, self.name)


def unwrapped(value: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Request and response of one line of a log; a plain body counts as the request."""
    outer = mapping(value)
    request = next(
        (outer[key] for key in ("request", "body") if isinstance(outer.get(key), Mapping)), outer
    )
    response = mapping(outer.get("response"))
    return mapping(request), mapping(response.get("body", response))


def name_of(value: Any) -> str:
    """The name that a conversation gives itself, such as its id; empty if it gives none."""
    given = mapping(value)
    if "task_id" in given and "trial" in given:
        return f"task{given['task_id']}-trial{given['trial']}"
    names = (str(given[key]) for key in _NAMES if isinstance(given.get(key), str | int))
    return next(filter(str.strip, names), "")


def is_chat_message(value: Any) -> bool:
    """Whether a value is a message by a role, or by a type without messages below it."""
    given = mapping(value)
    return isinstance(given.get("role"), str) or (
        isinstance(given.get("type"), str) and "messages" not in given
    )


def exchange_format(
    name: str,
    description: str,
    recognises: Callable[[Any], bool],
    read: Callable[[PlacedValue], Exchange | str | None],
    make: Callable[[Exchange, Path], Transcript],
    specificity: int,
    *,
    is_message: Callable[[Any], bool] = is_chat_message,
    split: Callable[[PlacedValue], Iterable[PlacedValue]] | None = None,
    named_only: bool = False,
) -> Format:
    """A format whose files hold conversations or requests; requests that continue one are joined.

    ``read`` reads one value of the file as a conversation or a request, or gives the reason why it
    is known to be none; ``make`` turns a whole conversation into a transcript. Bare messages make
    one together. ``split`` divides a value into several.
    """

    def items_of(found: PlacedValue) -> Iterable[PlacedValue]:
        """The value, or the items of a list of several conversations."""
        place, value = found
        if not is_list(value) or not value or any(is_message(item) for item in value):
            return (found,)
        return (PlacedValue(f"{place}, item {n}", item) for n, item in enumerate(value))

    def transcripts(path: Path) -> Iterator[Transcript]:
        """The conversations of a file with distinct names."""
        lost = Tally()
        used: set[str] = set()
        number = -1
        items = chain.from_iterable(map(split or items_of, json_values(path, lost)))
        exchanges = _exchanges(items, read, is_message, path, lost)
        for number, exchange, last in numbered(_joined(exchanges)):
            if last:
                exchange.tally.add(lost)
            own = (exchange.name or f"{number:04d}") if number else ""
            if own in used:
                own = f"{own}-{number:04d}"
            used.add(own)
            yield make(replace(exchange, name=own), path)
        if number < 0:
            raise ImportFormatError(
                f"{path}: no conversation of {name} was recognised. Name another format with "
                "--format"
            )

    shown = shown_by(recognises)
    return Format(name, description, shown, transcripts, specificity, named_only=named_only)


def _exchanges(
    items: Iterable[PlacedValue],
    read: Callable[[PlacedValue], Exchange | str | None],
    is_message: Callable[[Any], bool],
    path: Path,
    lost: Tally,
) -> Iterator[Exchange]:
    alone: list[Any] = []
    for item in items:
        exchange = read(item)
        if isinstance(exchange, Exchange):
            exchange.tally.records += len(exchange.request) + len(exchange.response)
            yield exchange
        elif is_message(item.value):
            alone.append(item.value)
        elif exchange:
            lost.records += 1
            lost.left_out[exchange] += 1
        else:
            lost.records += 1
            lost.skip("value that is not a conversation", item.value)
    if alone:
        yield Exchange(str(path), alone, tally=Tally(records=len(alone)))


def _joined(exchanges: Iterable[Exchange]) -> Iterator[Exchange]:
    opened: list[tuple[Exchange, list[bytes]]] = []
    for new in exchanges:
        if not new.logged:
            yield new
            continue
        keys = [_comparable(item) for item in new.request]
        for place, (old, known) in enumerate(opened):
            if new.previous:
                continues = new.previous == old.id
            else:
                continues = len(keys) >= len(known) > 0 and keys[: len(known)] == known
            if continues:
                joined = _grown(old, new)
                opened[place] = (joined, [_comparable(item) for item in joined.request])
                break
        else:
            opened.append((new, keys))
            if len(opened) > MAX_OPEN:
                yield opened.pop(0)[0]
    for exchange, _ in opened:
        yield exchange


def _grown(old: Exchange, new: Exchange) -> Exchange:
    tally = old.tally
    tally.records += new.tally.records
    tally.unread.update(new.tally.unread)
    request = new.request
    if new.previous:
        request = [*old.request, *old.response, *request]
    else:
        tally.left_out[REPEATED] += len(old.request)
        if old.response:
            again = len(request) == len(old.request)
            reason = "response to a request that was sent again" if again else REPEATED
            tally.left_out[reason] += len(old.response)
    return replace(new, request=request, tally=tally, name=old.name, system=new.system)


def _comparable(item: Any) -> bytes:
    """A digest of an item that ignores what may change from request to request."""
    if mapping(item).get("role") in ("system", "developer"):
        return b"system"
    return hashlib.sha256(canonical_json(_without_volatile(item)).encode()).digest()


def _without_volatile(value: Any) -> Any:
    if isinstance(value, Mapping):
        kept = {k: v for k, v in value.items() if k not in _VOLATILE and v is not None}
        return {key: _without_volatile(item) for key, item in kept.items()}
    return [_without_volatile(item) for item in value] if is_list(value) else value
