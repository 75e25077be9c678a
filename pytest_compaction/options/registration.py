"""Registers the options and ini keys of the table with pytest."""

from __future__ import annotations

import os
from typing import Any, Final

from pytest_compaction.options.table import LISTING_FLAG, OLD_KEYS, OPTIONS, Option

COMPLETES: Final = "_ARGCOMPLETE"
"""The environment variable with which argcomplete starts a program to complete its line."""


def add_options(parser: Any) -> None:
    """Register every option and its ini key with pytest's parser."""
    group = parser.getgroup("compaction", "context compaction benchmark")
    for option in OPTIONS:
        if option.ini_type == "bool":
            group.addoption(
                option.flag,
                dest=option.key,
                action="store_true",
                default=None,
                help=_plain(option.help),
            )
        else:
            group.addoption(
                option.flag,
                dest=option.key,
                action=_action(option),
                default=None,
                metavar=option.metavar,
                help=_plain(option.help),
            )
        # Without a default of pytest's, so that a key that is there and empty can be told.
        parser.addini(option.ini_key, option.help, type=option.ini_type, default=None)
        if option.ini_key in OLD_KEYS:
            old = f"the old name of {option.ini_key}"
            parser.addini(OLD_KEYS[option.ini_key], old, type=option.ini_type, default=None)
    group.addoption(
        LISTING_FLAG,
        dest="compactors",
        action="store_true",
        default=False,
        help="list the strategies with one line each and exit",
    )


def _action(option: Option) -> Any:
    """What argparse does with a value; while a shell completes a line, with a completer."""
    usual = "append" if option.repeatable else "store"
    if COMPLETES not in os.environ:
        return usual
    from pytest_compaction.completion import action

    return action(option.flag, option.repeatable) or usual


def _plain(text: str) -> str:
    """A text as argparse takes it, which reads a percent sign as the beginning of a field."""
    return text.replace("%", "%%")
