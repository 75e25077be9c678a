"""Reads invoices from JSON files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from docketry.errors import LoadError
from docketry.invoice import Invoice, Party, Position

RATES = (0, 550, 900, 1900, 2100, 2500)


def load_invoice(path: Path) -> Invoice:
    """The invoice of a file. Raises LoadError."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise LoadError("DK-01", f"{path.name}: {error.strerror}") from error
    except ValueError as error:
        raise LoadError("DK-02", f"{path.name}: not JSON") from error
    if not isinstance(data, dict):
        raise LoadError("DK-03", f"{path.name}: not an object")
    return parse_invoice(data)


def parse_invoice(data: Mapping[str, Any]) -> Invoice:
    """The invoice that a JSON object describes."""
    number = _text(data, "number")
    stated = data.get("stated_tax")
    return Invoice(
        number=number,
        issued=_date(data, "issued"),
        terms=_integer(data, "terms", 14),
        seller=_party(data, "seller"),
        customer=_party(data, "customer"),
        positions=tuple(_position(item) for item in data.get("positions", ())),
        currency=str(data.get("currency", "EUR")),
        prepaid=_integer(data, "prepaid", 0),
        stated_tax=None if stated is None else _integer(data, "stated_tax", 0),
        note=str(data.get("note", "")),
        credit=bool(data.get("credit", False)),
    )


def _position(data: Mapping[str, Any]) -> Position:
    rate = _integer(data, "rate", 1900)
    if rate not in RATES:
        raise LoadError("DK-06", f"unknown tax rate {rate}")
    return Position(
        text=_text(data, "text"),
        quantity=_decimal(data, "quantity"),
        unit=str(data.get("unit", "")),
        price=_integer(data, "price", None),
        rate=rate,
    )


def _party(data: Mapping[str, Any], key: str) -> Party:
    party = data.get(key)
    if not isinstance(party, dict):
        raise LoadError("DK-04", f"no {key}")
    return Party(
        name=_text(party, "name"),
        street=_text(party, "street"),
        town=_text(party, "town"),
        tax_id=str(party.get("tax_id", "")),
    )


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise LoadError("DK-04", f"no {key}")
    return value.strip()


def _integer(data: Mapping[str, Any], key: str, default: int | None) -> int:
    value = data.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise LoadError("DK-05", f"{key} is not an integer: {value!r}")
    return value


def _decimal(data: Mapping[str, Any], key: str) -> Decimal:
    try:
        value = Decimal(str(data.get(key, "1")))
    except InvalidOperation as error:
        raise LoadError("DK-05", f"{key} is not a number: {data[key]!r}") from error
    if value != value.quantize(Decimal("0.001")):
        raise LoadError("DK-07", f"{key} has more than three decimals: {value}")
    return value


def _date(data: Mapping[str, Any], key: str) -> date:
    try:
        return date.fromisoformat(_text(data, key))
    except ValueError as error:
        raise LoadError("DK-05", f"{key} is not a date: {data[key]!r}") from error
