"""Options of earlier versions that are gone, each with its replacement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

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
