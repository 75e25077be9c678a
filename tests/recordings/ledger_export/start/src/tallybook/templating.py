"""A very small template language for headings and footers.

``{{ name }}`` is replaced by a value, ``{{ name|filter }}`` by the value after a
filter. ``{% each rows %}…{% end %}`` repeats its body for every item of ``rows``;
inside it ``{{ .field }}`` is a field of the item. Loops do not nest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from tallybook.errors import LedgerError
from tallybook.money import Money, format_amount

_SLOT = re.compile(r"\{\{\s*(\.?)(\w+)(?:\|(\w+))?\s*\}\}")
_EACH = re.compile(r"\{%\s*each (\w+)\s*%\}\n?(.*?)\{%\s*end\s*%\}\n?", re.DOTALL)


def _amount(value: Any) -> str:
    if not isinstance(value, Money):
        raise LedgerError("TB-125", f"the filter amount needs money, not {type(value).__name__}")
    return format_amount(value)


FILTERS: dict[str, Callable[[Any], str]] = {
    "amount": _amount,
    "upper": lambda value: str(value).upper(),
    "iso": lambda value: value.isoformat(),
}


def render(template: str, values: Mapping[str, Any]) -> str:
    """Fill a template."""

    def each(match: re.Match[str]) -> str:
        rows = _value(values, match[1])
        return "".join(_fill(match[2], values, row) for row in rows)

    return _fill(_EACH.sub(each, template), values, None)


def _fill(text: str, values: Mapping[str, Any], row: Any) -> str:
    def slot(match: re.Match[str]) -> str:
        dot, name, filter_name = match.groups()
        value = _field(row, name) if dot else _value(values, name)
        if filter_name is None:
            return str(value)
        if filter_name not in FILTERS:
            raise LedgerError("TB-124", f"unknown filter {filter_name!r}")
        return FILTERS[filter_name](value)

    return _SLOT.sub(slot, text)


def _value(values: Mapping[str, Any], name: str) -> Any:
    try:
        return values[name]
    except KeyError:
        raise LedgerError("TB-123", f"the template asks for {name!r}, which is not given") from None


def _field(row: Any, name: str) -> Any:
    if row is None:
        raise LedgerError("TB-126", f"'.{name}' stands outside of a loop")
    return row[name] if isinstance(row, Mapping) else getattr(row, name)
