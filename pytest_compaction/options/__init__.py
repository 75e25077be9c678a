"""The options of the command line and the ini keys, and the settings made from them."""

from pytest_compaction.options.names import (
    check_keys,
    old_key_sentences,
    refuse_removed,
    refuse_unknown,
)
from pytest_compaction.options.run_settings import named_compactors, newly_gone, read_settings
from pytest_compaction.options.table import (
    COMPLETES,
    OLD_KEYS,
    OPTIONS,
    PREFIX,
    add_options,
    option_of,
    range_of,
)
from pytest_compaction.options.values import EarlyReader

__all__ = [
    "COMPLETES",
    "OLD_KEYS",
    "OPTIONS",
    "PREFIX",
    "EarlyReader",
    "add_options",
    "check_keys",
    "named_compactors",
    "newly_gone",
    "old_key_sentences",
    "option_of",
    "range_of",
    "read_settings",
    "refuse_removed",
    "refuse_unknown",
]
