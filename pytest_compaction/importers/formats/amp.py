"""Threads of Amp: Anthropic's blocks, with results by ``toolUseID`` below ``run``.

The form is known from documentation and other readers alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.conversation.formats.parts import mapping
from pytest_compaction.importers.shapes import Shape, any_part, shaped, under


def _recognised(value: Any) -> bool:
    return any_part(mapping(value).get("messages"), _is_result)


def _is_result(part: Mapping[str, Any]) -> bool:
    return "toolUseID" in part and isinstance(part.get("run"), Mapping)


IMPORTER: Final = shaped(
    "amp",
    "Amp, thread (JSON)",
    Shape(),
    _recognised,
    under("messages"),
    named_only=True,
)
