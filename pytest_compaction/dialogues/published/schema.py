"""The shapes of result files, checked against their JSON Schema."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

from pytest_compaction.case.validation import CaseFault, schema_faults


def shape_faults(shape: str, data: Any) -> list[CaseFault]:
    """Where the data departs from a definition of ``results.schema.json``, by its name."""
    return schema_faults(data, _validator(shape))


@lru_cache(maxsize=8)
def _validator(shape: str) -> Any:
    from jsonschema import Draft202012Validator

    text = resources.files(__package__).joinpath("results.schema.json").read_text("utf-8")
    schema = json.loads(text)
    return Draft202012Validator({**schema, "$ref": f"#/$defs/{shape}"})
