"""Caches: values in memory, bounded by size, and results of rules kept from run to run.

Other rooms import from here alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.cache.in_memory import *
    from pytest_compaction.cache.kept_results import *

_NAMES: Final = {
    "in_memory": "Latest SizedCache",
    "kept_results": "DataclassJson Form KeptResults RESULTS_FILE code_digest",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
