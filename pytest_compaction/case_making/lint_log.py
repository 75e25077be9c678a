"""Checks of probes against the log: is it the last request or check, and are keys fillers?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.artifacts import commands
from pytest_compaction.case import Case, Probe
from pytest_compaction.case_making.keys import FILLERS
from pytest_compaction.case_making.lint_facts import Remark, quoted
from pytest_compaction.case_making.phrases import goes_on, of_the_program
from pytest_compaction.case_making.shell_evidence import may_check
from pytest_compaction.conversation import Message
from pytest_compaction.text import TextIndex, printable, stem

_LAST_REQUEST: Final = re.compile(
    r"\b(?:ask(?:ed)?(?: for)?|request(?:ed)?) last\b|\blast request\b"
)
_LAST_CHECK: Final = re.compile(
    r"\blast (?:test|build|check)\b[^`?]*`(?P<command>[^`]{3,})`", re.IGNORECASE
)
_MAX_COMMAND: Final = 100
_CUT: Final = " …."


def check_latest(case: Case) -> Iterator[Remark]:
    """Older requests and runs that pass for the last one, and keys that are fillers."""
    for number, probe in enumerate(case.probes):
        log, place = case.log_until(probe.point), f"/probes/{number}"
        if _LAST_REQUEST.search(probe.question):
            yield from _older_request(probe, log, place)
        if asked := _LAST_CHECK.search(probe.question):
            ran = [command for command in commands(log) if may_check(command)]
            shown = printable(ran[-1].text.replace("`", ""), _MAX_COMMAND) if ran else ""
            if ran and not shown.startswith(asked["command"].rstrip(_CUT)):
                last = ran[-1].message_id
                text = f"the last check before the question is {quoted(shown)} in {last}"
                yield Remark(f"{place}/question", "not-the-last", text)
        for index, fact in enumerate(probe.facts):
            fillers = [g[0] for g in fact.keys if len(g) == 1 and stem(g[0].casefold()) in FILLERS]
            if fillers and probe.kind == "continuation" and fact.type == "state":
                text = f"{quoted(fillers[0])} is a filler that a right answer easily leaves out"
                yield Remark(f"{place}/facts/{index}", "filler-key", text)


def _older_request(probe: Probe, log: Sequence[Message], place: str) -> Iterator[Remark]:
    turns = (message for message in reversed(log) if message.role == "user")
    said = (m for m in turns if m.text and not goes_on(m.text) and not of_the_program(m.text))
    if (last := next(said, None)) is None:
        return
    text_of_last = TextIndex(last.text)
    for index, fact in enumerate(probe.facts):
        if fact.type != "path" and not text_of_last.is_stated(fact.statement):
            text = (
                f"the last turn of the user, {last.id}, says {quoted(last.text)} and not "
                f"{quoted(fact.text)}"
            )
            yield Remark(f"{place}/facts/{index}", "not-the-last", text)
