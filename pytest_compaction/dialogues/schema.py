"""Dialogues and their results, checked against the JSON Schemas of their files."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from pytest_compaction.case.validation import CaseFault, schema_faults

DIALOGUE_SCHEMA: Final = "dialogue.schema.json"
RESULTS_SCHEMA: Final = "published/results.schema.json"


def shape_faults(shape: str, data: Any, schema: str = RESULTS_SCHEMA) -> list[CaseFault]:
    """Where the data departs from a definition of a schema, by its name under ``$defs``."""
    return schema_faults(data, _validator(shape, schema))


@lru_cache(maxsize=8)
def _validator(shape: str, schema: str) -> Any:
    from jsonschema import Draft202012Validator

    text = resources.files(__package__).joinpath(schema).read_text("utf-8")
    return Draft202012Validator({**json.loads(text), "$ref": f"#/$defs/{shape}"})
