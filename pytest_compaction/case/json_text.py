"""JSON texts of case files: decoded, parsed strictly, and safe to write again."""

from __future__ import annotations

import json
from typing import Any

from pytest_compaction.case.validation import CaseFault
from pytest_compaction.text import printable


def decoded(content: bytes, from_start: bool = True) -> str | CaseFault:
    """The text of a file, or of a part of it, which cannot start with a byte order mark."""
    try:
        return content.decode("utf-8-sig" if from_start else "utf-8")
    except UnicodeDecodeError as error:
        return CaseFault("", f"a byte at offset {error.start} that is not UTF-8", "UTF-8 text")


def read_json(text: str, what: str = "a case") -> Any:
    """The value of a JSON text, or a :class:`CaseFault` if it is not sound JSON."""
    try:
        return json.loads(
            text, object_pairs_hook=_without_duplicates, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        found = f"{error.msg} at line {error.lineno}, column {error.colno}"
        return CaseFault("", found, "valid JSON")
    except RecursionError:
        return CaseFault("", "nesting too deep", what)
    except ValueError as error:
        return CaseFault("", str(error), "valid JSON")


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"the key {printable(key, 60)!r} twice in one object")
        result[_clean(key)] = _clean(value)
    return result


def _clean(value: Any) -> Any:
    """Replace lone surrogates, which cannot be written as UTF-8, by ``?``."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_clean(item) for item in value]
    return value


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"the number {name}")
