"""The options of the command line and the ini keys, and the settings made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pytest_compaction.facade import lazy

if TYPE_CHECKING:  # a star exports to type checkers what the modules define
    from pytest_compaction.options.names import *
    from pytest_compaction.options.run_settings import *
    from pytest_compaction.options.table import *
    from pytest_compaction.options.values import *

_NAMES: Final = {
    "names": "check_keys old_key_sentences refuse_removed refuse_unknown",
    "run_settings": "named_compactors newly_gone read_settings",
    "table": "COMPLETES OLD_KEYS OPTIONS PREFIX add_options option_of range_of",
    "values": "EarlyReader",
}

if not TYPE_CHECKING:
    __getattr__ = lazy(__name__, _NAMES)
