"""Names that are meant to be options or ini keys of the table, and those of earlier versions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from pytest_compaction.options.table import OLD_KEYS, OPTIONS, PREFIX
from pytest_compaction.options.values import Reader
from pytest_compaction.settings import OptionError

REMOVED: Final = {
    "--compaction-processes": "pytest-xdist does work in parallel; give its -n N",
    "--compaction-executor=processes://": "pytest-xdist does work in parallel; give its -n N",
    **{
        f"{option}=reference": (
            "the words of its run answered prompts that no strategy sends any more; the summaries "
            "of a large language model are those of --compaction-model=recorded"
        )
        for option in ("--compaction-model", "--compaction-responder", "--compaction-judge")
    },
    "profile=": (
        "each strategy has one form, which is mended where an endpoint would refuse its messages; "
        "leave profile out"
    ),
}
"""Sentences on an option by its flag, which stands for its ini key too; on a value of an option
by what both begin with; on a parameter of
strategies by its name with ``=``, of one strategy with that before it.

They are looked up for what nobody takes any more, so a row may stand here before it is true.
"""


def refuse_removed(written: Iterable[str]) -> None:
    """Raise :class:`OptionError` for the first text that begins like a row of the table.

    An ini key is written as its flag, and a flag has its value behind it or none.
    """
    for text in written:
        for old, instead in REMOVED.items():
            if text == old or text.startswith(old if "=" in old else f"{old}="):
                raise OptionError(f"this version has no {old}: {instead}")


def check_keys(unknown: Iterable[str]) -> None:
    """Refuse keys of the ini file that look like those of this plugin and are none of them."""
    unknown = sorted(unknown)
    refuse_removed(f"--{key.replace('_', '-')}" for key in unknown)
    known = [option.ini_key for option in OPTIONS]
    for key in unknown:
        if key.startswith(("compactor", "compaction_", "compaction-")):
            whole = key if key.startswith("compaction") else f"compaction_{key}"
            hint = _near(whole, known)
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

            hint = _near(name, [option.flag for option in OPTIONS])
            raise OptionError(
                f"there is no option {printable(name, 80)}; {hint}pytest --help lists those of the "
                "benchmark"
            )


def _near(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, 1)
    return f"did you mean {near[0]}? " if near else ""
