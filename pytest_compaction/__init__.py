"""Measure what a context-compaction strategy makes an LLM agent forget.

Code outside the package may rely on the names below. They are loaded when first used,
because every pytest run imports the plugin. Authors of strategies import from
:mod:`pytest_compaction.compactors`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_compaction.case.case import Case, Probe
    from pytest_compaction.compactors.protocol import (
        Compactor,
        Context,
        Outcome,
        Span,
        Traits,
        View,
    )
    from pytest_compaction.conversation.messages import Message
    from pytest_compaction.judges.verdict import Verdict
    from pytest_compaction.models.protocol import Model
    from pytest_compaction.records.run_file import Run, load_run
    from pytest_compaction.run.compaction import Compaction
    from pytest_compaction.run.response import Response

__all__ = [
    "Case",
    "Compaction",
    "Compactor",
    "Context",
    "Message",
    "Model",
    "Outcome",
    "Probe",
    "Response",
    "Run",
    "Span",
    "Traits",
    "Verdict",
    "View",
    "load_run",
]

_HOMES = {
    "Case": "case.case",
    "Compaction": "run.compaction",
    "Compactor": "compactors.protocol",
    "Context": "compactors.protocol",
    "Message": "conversation.messages",
    "Model": "models.protocol",
    "Outcome": "compactors.protocol",
    "Probe": "case.case",
    "Response": "run.response",
    "Run": "records.run_file",
    "Span": "compactors.protocol",
    "Traits": "compactors.protocol",
    "Verdict": "judges.verdict",
    "View": "compactors.protocol",
    "load_run": "records.run_file",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
