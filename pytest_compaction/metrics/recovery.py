"""Whether what a view dropped can be read again: a view still names the file or the command."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from pytest_compaction.artifacts import LogPlaces, Places
from pytest_compaction.case import Fact
from pytest_compaction.conversation import Message


def is_recoverable(
    fact: Fact,
    places: LogPlaces,
    until: int,
    view: str,
    states: Callable[[Message, Fact], bool],
) -> bool:
    """Whether an agent that reads the view can read a fact again that the view dropped.

    So it is if the view still names the file or the command of a tool call whose result is evidence
    of the fact, or that wrote it. What was only said is gone, and so is a deleted file. ``until``
    is the position of the last message of the log.
    """
    if any(_leads_to(view, places.of_results(id, until)) for id in fact.evidence):
        return True
    return any(
        _leads_to(view, written.places) and states(written.call, fact)
        for id in fact.evidence
        for written in places.of_written(id, until)
    )


def _leads_to(view: str, places: Places) -> bool:
    return any(names_path(view, path) for path in places.paths) or any(
        names_command(view, command) for command in places.commands
    )


def names_path(text: str, path: str) -> bool:
    """Whether a text names a path: by its last folder and its name at least, as a whole word."""
    parts = [part for part in path.split("/") if part not in {"", "."}]
    if not parts:
        return False
    return _stands_in(text, "/".join(parts[-2:]), r"(?<![\w.~-])", r"(?![\w/-]|\.\w)")


def names_command(text: str, command: str) -> bool:
    """Whether a text has a command; one of a single word only where it stands as code."""
    command = command.strip()
    if not command:
        return False
    if len(command.split()) > 1:
        return _stands_in(text, command, r"(?<![\w/.-])", r"(?![\w/-]|\.\w)")
    return _stands_in(text, command, r"(?:`|\$ |^\w+ |^)", r"(?:`|$)")


def _stands_in(text: str, wanted: str, before: str, after: str) -> bool:
    return wanted in text and bool(_bounded(wanted, before, after).search(text))


@lru_cache(maxsize=2048)
def _bounded(wanted: str, before: str, after: str) -> re.Pattern[str]:
    return re.compile(f"{before}{re.escape(wanted)}{after}", re.M)
