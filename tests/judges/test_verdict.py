"""The sentences of a verdict on a response that fell short, and why one is unscored."""

import asyncio

import pytest
from support.builders import build_case
from support.judged import judged
from support.typed_case import typed_case

from pytest_compaction.judges import ModelJudge, PanelJudge, log_digest, verdict_from_reply
from pytest_compaction.metrics import read
from pytest_compaction.models import JudgeReply, JudgeRequest, ModelError, OfflineModel
from pytest_compaction.models.calls.spending_limit import SpentError
from pytest_compaction.models.offline.judge import judge
from pytest_compaction.models.protocol import CriterionScore
from pytest_compaction.run.loop import RequestLimit
from pytest_compaction.text import TextIndex


def read_in(text, probe):
    """What a view with this text does with the facts of a probe."""
    return read(probe.facts, probe.traps, TextIndex(text))


def shortfall(*criteria):
    """The lines on a response with these scores."""
    case = build_case()
    probe = case.probes[0]
    reply = JudgeReply(criteria, tuple(False for _ in probe.facts))
    verdict = verdict_from_reply(reply, probe, read_in("", probe), "I do not know.", 3.5)
    return "\n".join(verdict.shortfall())


def test_a_reasoning_that_only_lists_facts_is_not_said_beside_the_facts():
    score = CriterionScore("completeness_coverage", 0.0, "missing: the timeout", lists_facts=True)
    assert "completeness_coverage\n" in shortfall(score)


def test_a_reasoning_of_a_model_is_said_whatever_word_it_begins_with():
    score = CriterionScore("completeness_coverage", 0.0, "missing: any sign of the log")
    assert "completeness_coverage (missing: any sign of the log)" in shortfall(score)


def test_the_offline_judge_tells_which_of_its_reasonings_only_list_facts():
    case = build_case()
    probe = case.probes[0]
    digest = log_digest(case, probe.point)
    reply = judge(
        JudgeRequest(probe.kind, probe.question, "Maybe.", probe.facts, (), probe.answer, digest)
    )
    said = {score.reasoning.partition(":")[0] for score in reply.criteria if score.lists_facts}
    rest = {score.reasoning.partition(":")[0] for score in reply.criteria if not score.lists_facts}
    assert said == {"missing", "not known completely"}
    assert rest
    assert not said & rest


class Failing:
    """A model whose judgements end in an error."""

    name = "failing"

    def __init__(self, error):
        self._error = error

    async def judge(self, request):
        raise self._error


@pytest.mark.parametrize(
    ("errors", "unpaid"),
    [
        ([SpentError("not paid for: no room")], True),
        ([ModelError("not paid for: says the model")], False),
        ([ModelError("it is down"), SpentError("not paid for: no room")], True),
        ([ModelError("it is down"), ModelError("it is down")], False),
    ],
)
def test_a_response_is_unpaid_because_of_the_limit_and_not_of_a_word(errors, unpaid):
    case = build_case()
    probe = case.probes[0]

    async def work():
        judges = [ModelJudge(Failing(error)) for error in errors]
        panel = PanelJudge(judges, 3.5, RequestLimit(2).at(0))
        return await judged(panel, case, probe, "45", read_in("45 seconds", probe))

    verdict = asyncio.run(work())
    assert verdict.unscored
    assert verdict.unpaid == unpaid


PROBE = typed_case().probes[0]
"""Three facts: two values, one of them with a stale counterpart, and a state."""
BOTH = "The batch size is 750. The import takes 12 seconds. All 44 tests pass."


def verdict_on(view, answer, leads):
    case = typed_case()
    panel = PanelJudge([ModelJudge(OfflineModel())], 3.5, RequestLimit(2).at(0))
    return asyncio.run(judged(panel, case, PROBE, answer, read_in(view, PROBE), leads))


def test_where_the_view_leads_an_answer_that_finds_nothing_is_a_remark():
    verdict = verdict_on(BOTH, "I do not know.", "view")
    assert (verdict.overall, verdict.passed, verdict.second.overall) == (5.0, True, 0.0)
    assert {fact.loss for fact in verdict.facts} == {"unused"}
    verdict.check()
    partly = verdict_on(BOTH.partition(". ")[0], "I do not know.", "view")
    said = "\n".join(partly.shortfall())
    assert "dropped (not in the view), value: the import takes 12 seconds" in said
    assert "dropped (not in the view), state: all 44 tests pass" in said
    assert "unused (remark: in the view, but not found by the answer), value: the batch" in said
    assert "remark: the answer alone scores 0.00" in said


def test_where_the_answer_leads_the_view_explains_what_it_lacks():
    verdict = verdict_on(BOTH.partition(". ")[0], "I do not know.", "answer")
    assert (verdict.overall, verdict.passed) == (0.0, False)
    assert verdict.second.dimensions["accuracy"] == 2.5
    said = "\n".join(verdict.shortfall())
    assert "unused (in the view, not in the answer), value: the batch size is 750" in said
    assert "dropped (not in the view), state: all 44 tests pass" in said
    assert "remark" not in said


def test_a_stale_view_is_contradicted_and_says_so():
    verdict = verdict_on("The batch size is 200.", BOTH, "view")
    assert verdict.facts[0].view.outcome == "contradicted"
    assert [hit for _, hit in verdict.traps] == [True]
    assert [hit for _, hit in verdict.judged.traps] == [False]
    said = "\n".join(verdict.shortfall())
    assert "value: the batch size is 750 (contradicted); the import takes" in said
    assert "stale: the batch size is 200" in said


@pytest.mark.parametrize("leads", ["view", "answer"])
def test_without_a_judgement_nothing_is_scored_whatever_the_view_says(leads):
    case = typed_case()

    async def work():
        panel = PanelJudge([ModelJudge(Failing(ModelError("down")))], 3.5, RequestLimit(2).at(0))
        return await judged(panel, case, PROBE, BOTH, read_in(BOTH, PROBE), leads)

    verdict = asyncio.run(work())
    assert (verdict.unscored, verdict.overall, verdict.second) == ("down", None, None)
    assert verdict.dimensions == {}
