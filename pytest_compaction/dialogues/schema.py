"""Dialogues and their results, checked against the JSON Schemas of their files."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from pytest_compaction.case.validation import CaseFault, schema_faults

DIALOGUE_SCHEMA: Final = "dialogue.schema.json"
RESULTS_SCHEMA: Final = "results.schema.json"


def shape_faults(
    shape: str, data: Any, schema: str = RESULTS_SCHEMA, at: str = ""
) -> list[CaseFault]:
    """Where the data, which stands ``at`` a place, departs from a definition under ``$defs``."""
    faults = schema_faults(data, __package__, schema, f"#/$defs/{shape}")
    return [replace(fault, pointer=at + fault.pointer) for fault in faults]
