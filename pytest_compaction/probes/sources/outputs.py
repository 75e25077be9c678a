"""Recall probes about command output: how did the first run of the tests end?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.case.case import Trap
from pytest_compaction.probes.draft import Candidate, Draft
from pytest_compaction.probes.keys import Groups
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.phrases import shown_command
from pytest_compaction.probes.test_commands import ran_tests, result_of_tests

_COUNT: Final = re.compile(r"(?<!\d)(\d{1,9}) ([A-Za-z]+)")
_COUNT_AFTER: Final = re.compile(r"\b(tests|pass|fail) (\d{1,9})(?!\d)")
_COUNT_FORMS: Final = {
    "fail": (0, ("failed", "failures", "failing")),
    "erro": (1, ("errors",)),
    "pass": (2, ("passed", "passing")),
    "ok": (2, ()),
}
"""How much each count of a test result matters, smallest first, and its other forms."""
_OTHER: Final[tuple[int, tuple[str, ...]]] = (3, ())


def result_keys(summary: str) -> Groups:
    """The count that matters most in a test result such as ``2 failed, 31 passed``, in its forms.

    That is what failed, else what passed. One count stands for the run, because counts with
    commas between them are read as clauses of their own.
    """
    counts = [(number, word.lower()) for number, word in _COUNT.findall(summary)]
    counts += [(number, word) for word, number in _COUNT_AFTER.findall(summary)]
    held = [(n, word) for n, word in counts if int(n)] or counts
    ranked = sorted(held, key=lambda count: _COUNT_FORMS.get(count[1][:4], _OTHER)[0])
    if not ranked:
        return ((summary,),)
    number, word = ranked[0]
    forms = dict.fromkeys((word, *_COUNT_FORMS.get(word[:4], _OTHER)[1]))
    return (tuple(f"{number} {form}" for form in forms),)


def output_drafts(log: ProbeLog) -> Iterator[Draft]:
    """How did the first test run end? The different result of the last run is the trap."""
    last = len(log.points) - 1
    asked = log.points[last]
    ran = [c for c in log.commands if ran_tests(c) and log.position[c.message_id] <= asked]
    text = (result_of_tests(ran[0]) if ran else None) or ""
    later = [result for command in ran[1:] if (result := result_of_tests(command))]
    if not text or not later or text == later[-1]:
        return
    command, stale = ran[0], later[-1]
    first = log.find(Candidate(text, "command", result_keys(text)), asked)
    shown = shown_command(command.text)
    if first is None or not shown:
        return
    yield Draft(
        "recall",
        "first-tests",
        f"How did the first run of the tests by {shown} end? Give its counts.",
        (first,),
        last,
        0.27,
        (Trap(stale, keys=result_keys(stale), type="command", of=first.fact.text),),
        least=1,
    )
