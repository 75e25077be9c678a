"""Plain conversations: messages with a role and a content, and nothing else to know them by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.chat_messages import ROLES
from pytest_compaction.importers.exchanges import Exchange, exchange_format, name_of
from pytest_compaction.importers.formats.openai_chat import transcript_of
from pytest_compaction.importers.json_files import PlacedValue, is_list
from pytest_compaction.importers.protocol import BARE

LISTS: Final = ("messages", "conversation", "conversations", "history", "dialogue", "turns")


def _recognised(value: Any) -> bool:
    messages = _sample(value)
    return bool(messages) and all(_is_message(message) for message in messages[:20])


def _is_message(value: Any) -> bool:
    given = mapping(value)
    return str(given.get("role")).lower() in ROLES and "content" in given


def _listed(value: Any) -> Sequence[Any]:
    given = mapping(value)
    return next((given[key] for key in LISTS if is_list(given.get(key))), [])


def _sample(value: Any) -> Sequence[Any]:
    if isinstance(value, list):
        if value and not isinstance(value[0], list) and not _listed(value[0]):
            return value
        return _sample(value[0]) if value else []
    return _listed(value) or [value]


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    messages = value if is_list(value) else _listed(value)
    if not any(_is_message(message) for message in messages):
        return None
    return Exchange(place, messages, name=name_of(value))


IMPORTER: Final = exchange_format(
    "plain",
    "plain lists of {role, content} (JSON, JSONL)",
    _recognised,
    _exchange,
    transcript_of,
    BARE,
)
