"""The published JSON Schema of a line of a run file, and of the files beside it."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final

NAME: Final = "record.schema.json"
RECORD_SCHEMA: Final[dict[str, Any]] = json.loads(
    resources.files(__package__).joinpath(NAME).read_text("utf-8")
)
"""Draft 2020-12. Under ``$defs`` are ``header``, ``probe``, ``dialogue``, ``view_file`` and
``log_file``."""


def schema_of(shape: str) -> dict[str, Any]:
    """The schema of one definition, such as ``probe`` or ``view_file``."""
    return {"$defs": RECORD_SCHEMA["$defs"], "$ref": f"#/$defs/{shape}"}
