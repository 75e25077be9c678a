"""Prices that a user gives in a file, for gateways and models that no list price is known of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.validation import CaseFault, schema_faults
from pytest_compaction.models.calls.prices import PriceTable, price_of, table_name
from pytest_compaction.secrets.keys import scrubbed
from pytest_compaction.settings import OptionError
from pytest_compaction.text import printable

_SCHEMA: Final = "price_file.schema.json"


def with_file(table: PriceTable, path: Path | None, shown: str = "") -> PriceTable:
    """A price table in which the prices of a file come first; the table itself without a file.

    ``shown`` is how the file is named to the user. Raises :class:`OptionError` with the file, the
    JSON pointer and what was expected.
    """
    if path is None:
        return table
    data = _read(path, shown)
    models = {table_name(model["name"]): price_of(model) for model in data["models"]}
    source = shown + (f" ({data['source']})" if "source" in data else "")
    if table.models:
        source += f"; other models: {table.source}, {table.as_of}"
    return replace(
        table, as_of=data["as_of"], source=scrubbed(source), models={**table.models, **models}
    )


def _read(path: Path, shown: str) -> Mapping[str, Any]:
    """The content of a price file, checked."""
    try:
        data = json.loads(path.read_text("utf-8"), parse_constant=_no_constant)
    except OSError as error:
        raise _unusable(shown, f"cannot be read: {error.strerror or error}") from None
    except RecursionError:
        raise _unusable(shown, "is not valid JSON: it is nested too deep") from None
    except ValueError as error:
        raise _unusable(shown, f"is not valid JSON: {error}") from None
    faults = schema_faults(data, __package__, _SCHEMA) or _repeated(data)
    if faults:
        more = f", and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise _unusable(shown, f"{faults[0]}{more}")
    found: Mapping[str, Any] = data
    return found


def _repeated(data: Mapping[str, Any]) -> list[CaseFault]:
    """Models that are named twice: nobody knows which price holds."""
    names = [table_name(model["name"]) for model in data["models"]]
    counts = Counter(names)
    return [
        CaseFault(f"/models/{number}/name", f"{name!r} again", "each model once")
        for number, name in enumerate(names)
        if counts[name] > 1 and names.index(name) != number
    ]


def _unusable(shown: str, why: str) -> OptionError:
    return OptionError(
        f"--compaction-prices={shown} {printable(why, 300)}; write "
        '{"as_of": "2026-01-31", "models": [{"name": "my-model", "input": 3, "output": 15}]}, '
        "in US dollars per million tokens"
    )


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a price")
