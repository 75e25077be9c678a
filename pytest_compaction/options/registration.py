"""Registers the options and ini keys of the table with pytest."""

from __future__ import annotations

import os
from typing import Any, Final

from pytest_compaction.options.table import GROUPS, LISTING_FLAG, OLD_KEYS, Option

COMPLETES: Final = "_ARGCOMPLETE"
"""The environment variable with which argcomplete starts a program to complete its line."""


def add_options(parser: Any) -> None:
    """Register every option and its ini key with pytest's parser, and ``--compactors``."""
    for title, options in GROUPS.items():
        group = parser.getgroup(title)
        for option in options:
            how = {"action": _action(option)}
            if option.ini_type != "bool":
                how["metavar"] = option.metavar
            # argparse reads a percent sign as the beginning of a field.
            described = option.help.replace("%", "%%")
            group.addoption(option.flag, dest=option.key, default=None, help=described, **how)
            # Without a default of pytest's, so that a key that is there and empty can be told.
            parser.addini(option.ini_key, option.help, type=option.ini_type, default=None)
            if option.ini_key in OLD_KEYS:
                old = f"the old name of {option.ini_key}"
                parser.addini(OLD_KEYS[option.ini_key], old, type=option.ini_type, default=None)
    parser.getgroup(next(iter(GROUPS))).addoption(
        LISTING_FLAG,
        dest="compactors",
        action="store_true",
        default=False,
        help="list the strategies with one line each and exit",
    )


def _action(option: Option) -> Any:
    if option.ini_type == "bool":
        return "store_true"
    usual = "append" if option.repeatable else "store"
    if COMPLETES not in os.environ:
        return usual
    from pytest_compaction.options.completion import action

    return action(option) or usual
