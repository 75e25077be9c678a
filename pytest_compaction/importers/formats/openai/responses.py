"""OpenAI Responses: request and response bodies, logs of them, lists of items.

A request that names an earlier response continues its conversation. So does a request
whose input begins with the input of an earlier one. Reasoning stays as it is. A compaction
item is a recorded compaction that only its provider can read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.formats.openai.items import (
    COMPACTIONS,
    ItemReader,
    count_compactions,
)
from pytest_compaction.importers.protocol import SHAPED, Transcript
from pytest_compaction.importers.reading.documents import PlacedValue, head_values
from pytest_compaction.importers.reading.exchanges import (
    Exchange,
    finished,
    name_of,
    transcripts_of,
    unwrapped,
)
from pytest_compaction.importers.reading.fields import mapping, string
from pytest_compaction.importers.reading.streamed import is_list

_MARKS: Final = (
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "reasoning",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "mcp_call",
    *COMPACTIONS,
)
_PARTS: Final = ("input_text", "output_text")


class OpenAIResponsesImporter:
    """Reads requests to and responses from ``/v1/responses``."""

    name = "openai-responses"
    description = "OpenAI Responses: bodies, logs, lists of items (JSON, JSONL)"
    specificity = SHAPED

    def recognises(self, head: str) -> bool:
        """Look for items of known types, or a body with ``input`` or ``output`` items."""
        return any(_recognised(value) for value in head_values(head))

    def read(self, path: Path) -> Iterator[Transcript]:
        """The conversations of the file; all requests of one conversation are joined."""
        expected = "no item of the Responses interface was recognised; expected input or output"
        return transcripts_of(path, _exchange, _transcript, expected)


IMPORTER: Final = OpenAIResponsesImporter


def _recognised(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_item(item) for item in value) or any(
            _recognised(item) for item in value[:5] if isinstance(item, Mapping)
        )
    request, response = unwrapped(value)
    if response.get("object") == "response" or request.get("object") == "response":
        return True
    given = request.get("input")
    if isinstance(given, list) and any(_is_item(item) or "role" in mapping(item) for item in given):
        return True
    if isinstance(given, str) and "model" in request and isinstance(response.get("output"), list):
        return True
    return _is_item(value)


def _is_item(value: Any) -> bool:
    given = mapping(value)
    content = given.get("content")
    return given.get("type") in _MARKS or (
        isinstance(content, list) and any(mapping(part).get("type") in _PARTS for part in content)
    )


def _exchange(item: PlacedValue) -> Exchange | None:
    place, value = item
    if is_list(value):
        return Exchange(place, value) if value else None
    if _is_item(value):
        return None
    request, response = unwrapped(value)
    body = response if "output" in response else request
    given, output = request.get("input"), body.get("output")
    if given is None and mapping(value).get("object") == "list":
        given = mapping(value).get("data")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    given = given if is_list(given) else []
    output = output if is_list(output) else []
    if not given and not output:
        return None
    return Exchange(
        place,
        given,
        output,
        request.get("instructions"),
        name_of(value) if "custom_id" in mapping(value) else "",
        string(request.get("model") or body.get("model")),
        string(body.get("id")),
        string(request.get("previous_response_id")),
        logged=True,
    )


def _transcript(exchange: Exchange, path: Path) -> Transcript:
    reading = ItemReader(exchange.tally)
    if exchange.system:
        reading.add({"role": "system", "content": exchange.system}, exchange.place)
    for number, item in enumerate(chain(exchange.request, exchange.response)):
        reading.add(item, f"{exchange.place}, item {number}")
    messages = reading.messages
    count_compactions(reading.boundaries, exchange.tally)
    return finished(exchange, path, messages, reading.boundaries)
