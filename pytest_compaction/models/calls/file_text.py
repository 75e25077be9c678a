"""The text of a file of the store: JSON that can be read in a review, written fast.

The package json has fast code for JSON without line breaks alone. And what is the same in the
requests of many calls, such as the schema of a judgement, is scrubbed and written once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Final

from pytest_compaction.conversation.messages import canonical_json
from pytest_compaction.secrets.keys import scrubbed_json

CIPHERTEXT: Final = frozenset({"encrypted_content", "signature"})
"""Members in which anything can look like a key by chance: only known secrets are replaced."""
_REMEMBERED: Final = 512
"""The most objects that are remembered; a run has about one for each of its probes."""


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a scrubbed value within a JSON value."""

    text: str


def written_request(body: Mapping[str, Any], secrets: tuple[str, ...]) -> Written:
    """The text of a request without keys, for :func:`file_bytes`.

    ``secrets`` are keys whatever their shape. Raises :class:`ValueError` for a value that JSON
    does not know.
    """
    request = {
        name: _written(canonical_json(value), secrets) if isinstance(value, dict) else value
        for name, value in body.items()
    }
    return Written(_indented(scrubbed_json(request, CIPHERTEXT, secrets), "\n"))


@lru_cache(maxsize=_REMEMBERED)
def _written(text: str, secrets: tuple[str, ...]) -> Written:
    """The object with this JSON, scrubbed."""
    return Written(_indented(scrubbed_json(json.loads(text), CIPHERTEXT, secrets), "\n"))


def file_bytes(data: dict[str, Any]) -> bytes:
    """The bytes of a store file: sorted members, one value per line, a newline at the end.

    Raises :class:`ValueError` for a value that JSON does not know, such as NaN.
    """
    text = _indented(data, "\n")
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        # Half a surrogate pair has no UTF-8 form, but it can be escaped.
        text = json.dumps(data, default=_value, sort_keys=True, indent=1, allow_nan=False)
        return f"{text}\n".encode()


def _indented(value: Any, line: str) -> str:
    """What ``json.dumps`` makes of sorted members and an indent of 1; ``line`` begins a line."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, Written):
        return value.text.replace("\n", line)
    inner = f"{line} "
    if isinstance(value, dict):
        members = [
            f"{encode_basestring(name)}: {_indented(member, inner)}"
            for name, member in sorted(value.items())
        ]
        return f"{{{inner}{f',{inner}'.join(members)}{line}}}" if members else "{}"
    if isinstance(value, list | tuple):
        items = [_indented(item, inner) for item in value]
        return f"[{inner}{f',{inner}'.join(items)}{line}]" if items else "[]"
    return json.dumps(value, allow_nan=False)


def _value(written: Written) -> Any:
    return json.loads(written.text)
