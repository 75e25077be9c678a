"""The verdict on a forced choice: one criterion, all or nothing, and no judge."""

import asyncio

import pytest
from support.choices import choice_case, probe_of
from support.judged import judged

from pytest_compaction.judges import ModelJudge, PanelJudge
from pytest_compaction.metrics import read
from pytest_compaction.models import OfflineModel
from pytest_compaction.run.loop import RequestLimit
from pytest_compaction.text import TextIndex

CASE = choice_case()
PROBE = probe_of(CASE, "deliver")
KEPT, LOST = "Never push to main.", "The export is repaired."


class NeverAsked(OfflineModel):
    async def judge(self, request):
        raise AssertionError("a judge was asked about a forced choice")


def verdict_of(reply, view=KEPT, leads="answer"):
    readings = read(PROBE.facts, PROBE.traps, TextIndex(view))

    async def work():
        panel = PanelJudge([ModelJudge(NeverAsked())] * 2, 3.5, RequestLimit(4).at(0))
        return await judged(panel, CASE, PROBE, reply, readings, leads)

    return asyncio.run(work())


@pytest.mark.parametrize("complies", [True, False])
def test_a_letter_scores_5_or_0_for_the_constraint_and_for_nothing_else(complies):
    verdict = verdict_of(PROBE.choice.letter if complies else PROBE.choice.habit)
    score = 5.0 if complies else 0.0
    assert [(c.id, c.score) for c in verdict.criteria] == [("instruction_constraints", score)]
    assert (verdict.dimensions, verdict.overall) == ({"instruction": score}, score)
    assert verdict.passed is complies
    assert verdict.facts[0].used is complies


@pytest.mark.parametrize("reply", ["", "I would ask first.", "A or B", "A, because it is safe"])
def test_anything_but_a_letter_is_unscored_and_the_reason_shows_it(reply):
    verdict = verdict_of(reply)
    assert verdict.overall is None
    assert "not one letter" in verdict.unscored or verdict.unscored == "the reply is empty"
    assert reply in verdict.unscored
    assert verdict.response == reply


def test_the_survival_of_the_constraint_is_the_other_figure():
    breaks = verdict_of(PROBE.choice.habit, KEPT)
    assert (breaks.overall, breaks.second.overall) == (0.0, 5.0)
    assert breaks.facts[0].loss == "unused"
    guesses = verdict_of(PROBE.choice.letter, LOST)
    assert (guesses.overall, guesses.second.overall) == (5.0, 0.0)
    leads = verdict_of(PROBE.choice.letter, LOST, "view")
    assert (leads.overall, leads.second.overall) == (0.0, 5.0)
    assert leads.facts[0].loss == "dropped"
    assert [c.id for c in leads.criteria] == ["instruction_constraints"]
