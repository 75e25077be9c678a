"""The one JSON object of a model's reply, where the reply is to be read as data."""

from __future__ import annotations

import json
from typing import Any, Final

from pytest_compaction.text import printable

MAX_CHARACTERS: Final = 400_000
"""The longest reply that is read as data: far more than a limit of tokens lets through."""
MAX_DEPTH: Final = 100
"""The most levels of a reply that is read as data: what goes through it or quotes it recurses."""


class NoObjectError(ValueError):
    """A reply is not one JSON object; the text says what is wrong, as in "it holds no …"."""


def only_object(text: str) -> dict[str, Any]:
    """The JSON object of a reply: alone, in a Markdown fence, or with words around it.

    Raises :class:`NoObjectError` if there is none or anything else in braces: whoever quotes
    one object and then writes another may mean either. No member may be given twice.
    """
    if len(text) > MAX_CHARACTERS:
        raise NoObjectError(f"it is longer than {MAX_CHARACTERS:,} characters")
    start = text.find("{")
    if start < 0:
        raise NoObjectError("it holds no JSON object")
    try:
        value, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise NoObjectError("its JSON is nested too deep") from None
    except json.JSONDecodeError as error:
        raise NoObjectError(f"its JSON is broken ({error})") from None
    except NoObjectError:
        raise
    except ValueError:
        # Python refuses to read a whole number of more than 4,300 digits.
        raise NoObjectError("its JSON holds a number with too many digits") from None
    rest = text[end:]
    if "{" in rest:
        raise NoObjectError("it holds more than one JSON object")
    if "}" in rest or "}" in text[:start]:
        raise NoObjectError("it holds a brace that belongs to no JSON object")
    if _is_deep(value):
        raise NoObjectError("its JSON is nested too deep")
    found: dict[str, Any] = value
    return found


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for each in level
            if isinstance(each, dict | list)
            for member in (each.values() if isinstance(each, dict) else each)
        ]
    return bool(level)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NoObjectError(f"it gives {printable(name, 60)} twice")
        found[name] = value
    return found


def _no_constant(name: str) -> Any:
    raise NoObjectError(f"it holds {name}, which is not a number")


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_without_duplicates, parse_constant=_no_constant
)
