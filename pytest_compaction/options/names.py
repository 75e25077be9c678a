"""Names that are meant to be options or ini keys of the table, and old names of ini keys."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from pytest_compaction.options.removed import refuse_removed
from pytest_compaction.options.table import OLD_KEYS, OPTIONS, PREFIX
from pytest_compaction.options.values import Reader
from pytest_compaction.settings import OptionError

_KEY_STARTS: Final = ("compactor", "compaction_", "compaction-")
_SHOWN_NAME: Final = 80


def check_keys(unknown: Iterable[str]) -> None:
    """Refuse keys of the ini file that look like those of this plugin and are none of them."""
    unknown = sorted(unknown)
    refuse_removed(f"--{key.replace('_', '-')}" for key in unknown)
    old = {old: new for new, old in OLD_KEYS.items()}
    known = [*(option.ini_key for option in OPTIONS), *old]
    for key in unknown:
        if key.startswith(_KEY_STARTS):
            near = [old.get(found, found) for found in difflib.get_close_matches(key, known, 1)]
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(f"there is no ini key {key}; {hint}pytest --help lists the keys")


def old_key_sentences(config: Reader) -> list[str]:
    """A sentence for each key of the ini file that is written by its old name."""
    return [
        f"compaction: the ini key {old} is now called {new}; the old name is read until version 1.0"
        for new, old in OLD_KEYS.items()
        if config.getini(old) is not None
    ]


def refuse_unknown(arguments: Iterable[str]) -> None:
    """Raise :class:`OptionError` for the first argument that is meant to be an option of these."""
    arguments = tuple(arguments)
    refuse_removed(arguments)
    for argument in arguments:
        name = argument.partition("=")[0]
        if name.startswith(PREFIX):
            from pytest_compaction.text import printable  # only for a mistake

            near = difflib.get_close_matches(name, [option.flag for option in OPTIONS], n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise OptionError(
                f"there is no option {printable(name, _SHOWN_NAME)}; {hint}pytest --help lists "
                "those of the benchmark"
            )
