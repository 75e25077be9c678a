"""The verdict on a forced choice: read from its letter, without a judge."""

from __future__ import annotations

from typing import Final

from pytest_compaction.case.case import Probe
from pytest_compaction.case.kinds import Choice, read_letter
from pytest_compaction.judges.verdict import Verdict, verdict_from_reply
from pytest_compaction.metrics.dimensions import choice_score
from pytest_compaction.metrics.facts.survival import Readings, Source
from pytest_compaction.models.protocol import JudgeReply
from pytest_compaction.text import printable

_SHOWN: Final = 60


def choice_verdict(
    probe: Probe, choice: Choice, reply: str, view: Readings, pass_score: float, leads: Source
) -> Verdict:
    """5 or 0 for the constraint, and no other score; unscored without a single letter.

    ``view`` and ``leads`` are those of
    :func:`~pytest_compaction.judges.verdict.verdict_from_reply`. A choice that complies counts
    as one that uses the constraint.
    """
    complies = complied(choice, reply)
    if complies is None:
        read = JudgeReply(unscored=unreadable(reply))
    else:
        said = "keeps to the constraint" if complies else "breaks the constraint"
        taken = choice.complying if complies else choice.other
        score = choice_score(complies, f"{said}: {printable(taken, _SHOWN)}")
        read = JudgeReply((score,), (complies,) * len(probe.facts))
    return verdict_from_reply(read, probe, view, reply, pass_score, leads=leads)


def complied(choice: Choice, reply: str) -> bool | None:
    """Whether a reply takes the complying option; ``None`` if it is not one letter."""
    letter = read_letter(reply)
    return None if letter is None else letter == choice.letter


def unreadable(reply: str) -> str:
    """Why a reply is no choice."""
    shown = printable(reply.strip(), _SHOWN)
    return f"the reply is not one letter, A or B: {shown!r}" if shown else "the reply is empty"
