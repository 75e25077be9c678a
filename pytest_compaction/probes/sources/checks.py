"""Continuation probes about the commands by which a session tests, builds and checks its work."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from pytest_compaction.artifacts.operations import commands
from pytest_compaction.artifacts.shell.commands import command_words
from pytest_compaction.probes.log import Candidate, Draft, ProbeLog
from pytest_compaction.probes.test_commands import runs_check

_WORD: Final = re.compile(r"[A-Za-z][\w:-]*")
_MAX_WORDS: Final = 4
_MAX_COMMANDS: Final = 3
_LEAST_RUNS: Final = 2


def check_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft: the checks that ran more than once, without their options and paths."""
    last = len(log.points) - 1
    asked = log.points[last]
    times: Counter[str] = Counter()
    for command in commands(log.messages):
        if log.position[command.message_id] <= asked:
            ran = {_named(words) for words in command_words(command.text) if runs_check(words)}
            times.update(sorted(name for name in ran if name))
    names = [name for name, count in times.most_common() if count >= _LEAST_RUNS]
    told = (Candidate(name, "command", ((name,),)) for name in names[:_MAX_COMMANDS])
    yield Draft(
        "continuation",
        "check-commands",
        "By which commands were the changes of the session tried out, more than once?",
        log.find_all(told, asked, most=len(log.messages), tail=True),
        last,
        0.3,
        least=1,
    )


def _named(words: Sequence[str]) -> str:
    """The program with its subcommands, such as ``npm run check``; empty if it is one word."""
    start = 2 if re.match(r"python[\d.]*$", words[0]) and words[1:2] == ["-m"] else 0
    plain = takewhile(_WORD.fullmatch, words[start : start + _MAX_WORDS])
    named = [*words[:start], *plain]
    return " ".join(named) if len(named) > 1 else ""
