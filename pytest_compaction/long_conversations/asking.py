"""Asks the model that writes a conversation; a reply of another form is asked for again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar

from pytest_compaction.case import MARKER
from pytest_compaction.models import (
    Call,
    Caller,
    ModelError,
    NoObjectError,
    only_object,
    read_reply,
)
from pytest_compaction.text import printable

REPLY_TOKENS: Final = 8_000
"""Room for the longest reply, and for the reasoning that some models spend before it."""
TRIALS: Final = 3
_AT_ONCE: Final = 16
_MARKED: Final = re.compile(
    rf"{re.escape(MARKER)}(?:\s{{0,9}}\d{{1,9}}\s{{0,9}},\s{{0,9}}\d{{1,9}})?"
)
"""A reader of the set cuts what follows a marker."""
_CONTROL: Final = re.compile(
    r"\x1b\[[0-9;?]{0,32}[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]"
)
"""Escapes of terminals, and characters that turn the direction of text."""

T = TypeVar("T")
Messages = Sequence[Mapping[str, Any]]
TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
FLAG: Final = {"type": "boolean"}


def listed(items: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": dict(items)}


def members(**schemas: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object that has these members and no other."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in schemas.items()},
        "required": list(schemas),
        "additionalProperties": False,
    }


def plain(text: str) -> str:
    """The text without what would change how it is read or shown."""
    return _CONTROL.sub("", _MARKED.sub("", text)).strip()


class Author:
    def __init__(self, model: str, caller: Caller) -> None:
        self._model = model
        self._caller = caller
        self._free = asyncio.Semaphore(_AT_ONCE)

    async def text(self, what: str, messages: Messages) -> str:
        """The reply as text; ``what`` names it in an error."""

        def read(reply: str) -> str:
            found = plain(reply)
            if not found:
                raise ValueError("the reply is empty")
            return found

        return await self._used(what, messages, read, {})

    async def data(
        self,
        what: str,
        messages: Messages,
        schema: Mapping[str, Any],
        fault: Callable[[dict[str, Any]], str] = lambda data: "",
    ) -> dict[str, Any]:
        """The reply as an object of a JSON schema; ``fault`` says what else is wrong with it."""
        from jsonschema import Draft202012Validator  # takes long to import

        def read(reply: str) -> dict[str, Any]:
            try:
                data = only_object(reply)
            except NoObjectError as error:
                raise ValueError(f"the reply is no JSON object: {error}") from None
            errors = Draft202012Validator(schema).iter_errors(data)
            first = min(errors, key=lambda each: list(map(str, each.absolute_path)), default=None)
            if first is not None:
                place = ".".join(map(str, first.absolute_path)) or "the object"
                raise ValueError(f"{place}: {first.message}")
            if why := fault(data):
                raise ValueError(why)
            return data

        form = {"name": "reply", "strict": True, "schema": dict(schema)}
        extra = {"response_format": {"type": "json_schema", "json_schema": form}}
        return await self._used(what, messages, read, extra)

    async def _used(
        self, what: str, messages: Messages, read: Callable[[str], T], extra: Mapping[str, Any]
    ) -> T:
        why = ""
        for trial in range(1, TRIALS + 1):
            again = f"Your reply could not be used: {why}. Write it again, in the form asked for."
            asked = [*messages, *([{"role": "user", "content": again}] if why else [])]
            body = {"model": self._model, "messages": asked, "max_tokens": REPLY_TOKENS, **extra}
            async with self._free:
                answered = await self._caller.call(Call("chat.completions", body, trial=trial))
            reply = read_reply("chat.completions", answered.body)
            try:
                if reply.problem:
                    raise ValueError(reply.problem)
                return read(reply.text)
            except ValueError as error:
                why = printable(str(error), 200)
        raise ModelError(f"{self._model} did not write {what} in {TRIALS} trials: {why}")
