"""The verdict by nuggets: their mean, the order of events, published rounding, several judges."""

import asyncio

import pytest
from support.judged import judged

from pytest_compaction.case import Case, Nugget, Point, Probe
from pytest_compaction.case.long_memory.beam import probe_with
from pytest_compaction.conversation import Message, Text
from pytest_compaction.judges import BelowPassScoreError, ModelJudge, PanelJudge, UnscoredError
from pytest_compaction.metrics import NuggetScore, read
from pytest_compaction.models import NO_LOG, JudgeReply, ModelError, OfflineModel
from pytest_compaction.run.loop import RequestLimit
from pytest_compaction.text import TextIndex

SAID = Message("1", "user", (Text("The deposit is 1,450 euros."),))
NUGGETS = ("the deposit is 1,450 euros", "the lease was signed")


def probe(kind="information_extraction", *nuggets) -> Probe:
    return probe_with(kind, "asked", "What about the flat?", tuple(map(Nugget, nuggets or NUGGETS)))


class Says(OfflineModel):
    """A judge that gives these scores, and this order."""

    def __init__(self, *scores, events=None, fails=""):
        super().__init__()
        self._reply = JudgeReply(nuggets=tuple(NuggetScore(s, "because") for s in scores))
        self._events, self._fails = events, fails
        self.requests = []

    async def judge(self, request):
        self.requests.append(request)
        if self._fails:
            raise ModelError(self._fails)
        return JudgeReply(nuggets=self._reply.nuggets, events=self._events)


def verdict(*judges, asked=None, rounding=False, view=SAID.text, leads="view"):
    asked = asked or probe()
    case = Case("talk", "long-memory", 100, 50, (SAID,), (Point("end", 0),), (asked,))
    readings = read(asked.facts, (), TextIndex(view))

    async def work():
        models = [ModelJudge(judge) for judge in judges]
        panel = PanelJudge(models, 3.5, RequestLimit(4).at(0), rounding)
        return await judged(panel, case, asked, "An answer.", readings, leads)

    return asyncio.run(work())


def test_the_score_is_the_mean_over_the_nuggets_and_overall_five_times_as_much():
    found = verdict(Says(1.0, 0.5))
    assert (found.nuggets.figures.score, found.overall) == (0.75, 3.75)
    assert (found.criteria, found.dimensions, found.passed) == ((), {}, True)
    assert [n.score for _, n in found.nuggets.scored] == [1.0, 0.5]


def test_the_answer_leads_and_the_view_is_the_second_figure():
    found = verdict(Says(0.0, 0.0))
    assert (found.reading, found.overall, found.second.overall) == ("answer", 0, 2.5)
    assert [fact.loss for fact in found.facts] == ["unused", "dropped"]


@pytest.mark.parametrize(("scores", "expected"), [((1.0, 0.5), 0.5), ((0.5, 0.5), 0.0)])
def test_published_rounding_counts_halves_as_nothing(scores, expected):
    assert verdict(Says(*scores), rounding=True).nuggets.figures.score == expected


def test_the_order_of_events_is_not_rounded_and_scores_order_and_events():
    asked = probe("event_ordering", "lease", "course", "movers")
    judge = Says(1.0, 0.5, 0.0, events=(1, 0, None))
    for rounding in (False, True):
        found = verdict(judge, asked=asked, rounding=rounding).nuggets.figures
        assert found.ordering.recall == pytest.approx(2 / 3)
        assert found.score == pytest.approx(found.ordering.product)
        assert 0 < found.score < found.ordering.order < 1


def test_a_judge_of_nuggets_is_asked_once_and_sees_no_log():
    judge = Says(1.0, 1.0)
    verdict(judge)
    (request,) = judge.requests
    assert request.digest == NO_LOG
    assert request.criteria == ()
    assert tuple(nugget.text for nugget in request.nuggets) == NUGGETS


def test_several_judges_count_the_same_and_one_that_fails_is_named():
    found = verdict(Says(1.0, 1.0), Says(0.0, 0.5), Says(fails="no answer"))
    assert found.nuggets.figures.score == pytest.approx(0.625)
    assert [n.score for _, n in found.nuggets.scored] == [0.5, 0.75]
    assert [judge.overall for judge in found.judges] == [5.0, 1.25, None]
    assert found.judges[2].unscored == "no answer"


def test_the_figures_of_an_order_are_means_over_the_judges_as_the_score_is():
    asked = probe("event_ordering", "lease", "course", "movers")
    right = Says(1.0, 1.0, 1.0, events=(0, 1, 2))
    turned = Says(1.0, 1.0, 0.0, events=(1, 0))
    each = [verdict(judge, asked=asked).nuggets.figures.ordering for judge in (right, turned)]
    found = verdict(right, turned, asked=asked).nuggets.figures
    for name in ("precision", "recall", "f1", "order", "product"):
        mean = sum(getattr(one, name) for one in each) / 2
        assert getattr(found.ordering, name) == pytest.approx(mean)
    assert found.score == pytest.approx(found.ordering.product)
    assert each[0].order != each[1].order


def test_without_a_single_score_the_answer_is_unscored_with_the_reason():
    for judge, why in ((Says(fails="no answer"), "no answer"), (Says(1.0), "do not match")):
        found = verdict(judge)
        assert (found.overall, found.nuggets) == (None, None)
        with pytest.raises(UnscoredError, match=why):
            found.check()


def test_a_failure_names_the_nuggets_that_are_missing():
    with pytest.raises(BelowPassScoreError) as raised:
        verdict(Says(1.0, 0.0)).check()
    assert "  nugget 0: the lease was signed (because)" in str(raised.value).splitlines()
    assert "1,450" not in str(raised.value)


def test_a_failure_of_an_order_says_how_the_events_stand():
    asked = probe("event_ordering", "lease", "course", "movers")
    with pytest.raises(BelowPassScoreError) as raised:
        verdict(Says(1.0, 1.0, 1.0, events=(2, 1, 0)), asked=asked).check()
    said = "  order of the events 0.00, precision 1.00, recall 1.00"
    assert said in str(raised.value).splitlines()


def test_rules_read_the_view_or_the_answer_by_what_leads():
    by_view = verdict(OfflineModel())
    assert (by_view.reading, by_view.overall, by_view.second.overall) == ("view", 2.5, 0)
    assert [n.score for _, n in by_view.nuggets.scored] == [1, 0]
    assert [fact.loss for fact in by_view.facts] == ["unused", "dropped"]
    by_answer = verdict(OfflineModel(), leads="answer")
    assert (by_answer.reading, by_answer.overall, by_answer.second.overall) == ("answer", 0, 2.5)


def test_what_rules_cannot_judge_is_null_and_in_no_mean():
    asked = probe("knowledge_update", NUGGETS[0], "LLM response should not mention: the lease")
    found = verdict(OfflineModel(), asked=asked)
    assert [n.score for _, n in found.nuggets.scored] == [1, None]
    assert (found.overall, found.passed) == (5, True)
    found = verdict(OfflineModel(), asked=probe("abstention"))
    assert (found.overall, found.unscored, found.passed) == (None, None, None)
    with pytest.raises(UnscoredError, match="null: only an answer can satisfy its nuggets"):
        found.check()


def test_a_model_beside_rules_decides_what_they_leave_null():
    asked = probe("knowledge_update", NUGGETS[0], "LLM response should not mention: the lease")
    found = verdict(OfflineModel(), Says(1.0, 0.5), asked=asked)
    assert found.reading == "answer"
    assert [n.score for _, n in found.nuggets.scored] == [0.5, 0.5]


def test_a_model_that_scores_nothing_is_no_reader_by_rules():
    class Silent(OfflineModel):
        name = "silent"

        async def judge(self, request):
            return JudgeReply()

    found = verdict(Silent())
    assert (found.overall, found.unscored) == (None, "no nugget was scored")
