"""Measure what a context-compaction strategy makes an LLM agent forget.

Code outside the package may rely on the names below. They are loaded when first used,
because every pytest run imports the plugin. Authors of strategies import from
:mod:`pytest_compaction.compactors`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # "as" exports a name to type checkers
    from pytest_compaction.case import Case as Case
    from pytest_compaction.case import Probe as Probe
    from pytest_compaction.compactors import Compactor as Compactor
    from pytest_compaction.compactors import Context as Context
    from pytest_compaction.compactors import Outcome as Outcome
    from pytest_compaction.compactors import Span as Span
    from pytest_compaction.compactors import Traits as Traits
    from pytest_compaction.compactors import View as View
    from pytest_compaction.conversation import Message as Message
    from pytest_compaction.judges import Verdict as Verdict
    from pytest_compaction.models import Model as Model
    from pytest_compaction.records import Run as Run
    from pytest_compaction.records import load_run as load_run
    from pytest_compaction.run import Compaction as Compaction
    from pytest_compaction.run import Response as Response

_HOMES = {
    "Case": "case.case",
    "Compaction": "run",
    "Compactor": "compactors",
    "Context": "compactors",
    "Message": "conversation.messages",
    "Model": "models",
    "Outcome": "compactors",
    "Probe": "case.case",
    "Response": "run",
    "Run": "records",
    "Span": "compactors",
    "Traits": "compactors",
    "Verdict": "judges",
    "View": "compactors",
    "load_run": "records",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
