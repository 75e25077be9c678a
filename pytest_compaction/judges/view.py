"""The verdict on a view, where rules answer and nobody asked for their answers."""

from __future__ import annotations

from dataclasses import replace

from pytest_compaction.case.case import Probe
from pytest_compaction.judges.choice import choice_verdict
from pytest_compaction.judges.panel import nugget_verdict
from pytest_compaction.judges.verdict import Verdict, verdict_from_reply
from pytest_compaction.metrics.dimensions import probe_scores
from pytest_compaction.metrics.facts.survival import Readings
from pytest_compaction.models.offline.model import NAME as RULES
from pytest_compaction.models.protocol import JudgeReply


def view_verdict(
    probe: Probe, view: Readings, pass_score: float, letter: str, failure: str | None
) -> Verdict:
    """What the view states of the facts and traps of a probe, and nothing of an answer.

    ``letter`` is what rules choose in a forced choice by reading the view. ``failure`` says why
    there is no view to score.
    """
    if failure is not None:
        unscored = JudgeReply(unscored=failure)
        found = verdict_from_reply(unscored, probe, view, "", pass_score, leads="view")
    elif probe.choice is not None:
        found = choice_verdict(probe, probe.choice, letter, view, pass_score, "view")
    elif probe.nuggets:
        judged = [JudgeReply()], [(RULES, RULES)]
        found = nugget_verdict(*judged, probe, "", view, pass_score, leads="view")
    else:
        scored = JudgeReply(probe_scores(probe, view))
        found = verdict_from_reply(scored, probe, view, "", pass_score, leads="view")
    facts = tuple(replace(fact, answer=None) for fact in found.facts)
    return replace(found, facts=facts, second=None)
