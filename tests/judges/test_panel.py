"""Several judges: averages, votes, their own scores in the record, and their agreement."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders
from support.judged import judged
from support.scenarios import last_line, records, run, set_up
from support.worker_counts import BOTH

from pytest_compaction.judges import ModelJudge, PanelJudge, combined
from pytest_compaction.metrics import read
from pytest_compaction.models import (
    JudgeReply,
    ModelError,
    NotRecordedError,
    OfflineModel,
    Usage,
    current_slot,
)
from pytest_compaction.models.protocol import CriterionScore
from pytest_compaction.reports.usage import agreement_lines
from pytest_compaction.rubric import asked_of_models
from pytest_compaction.run.loop import RequestLimit
from pytest_compaction.text import TextIndex

RECALL = [criterion.id for criterion in asked_of_models("recall")]


class Fixed(OfflineModel):
    """A judge that gives all criteria one score, and all facts and traps one vote."""

    def __init__(self, name, score=None, stated=True, hit=False, error=None):
        super().__init__()
        self.name = name
        self._reply = score, stated, hit
        self._error = error

    async def judge(self, request):
        if self._error is not None:
            raise self._error
        score, stated, hit = self._reply
        if score is None:
            return JudgeReply(unscored="the reply was no JSON", usage=Usage(1, 10, 0, 1))
        return JudgeReply(
            tuple(CriterionScore(c.id, score, "so it seems") for c in request.criteria),
            (stated,) * len(request.facts),
            (hit,) * len(request.traps),
            flags=(f"flag of {self.name}",),
            usage=Usage(1, 100, 20, 30),
        )


def verdict_of(*models, limit=8):
    case = builders.build_case()
    probe = case.probes[0]
    view = read(probe.facts, probe.traps, TextIndex("The timeout is 45 seconds."))

    async def work():
        turn = RequestLimit(limit).at(0)
        panel = PanelJudge([ModelJudge(m) for m in models], 3.5, turn)
        return await judged(panel, case, probe, "45 seconds", view)

    return asyncio.run(work())


def test_one_judge_is_no_panel():
    alone = verdict_of(Fixed("a", 4.0))
    assert alone.judges == ()
    assert alone.overall == 4.0
    assert {c.reasoning for c in alone.criteria} == {"so it seems"}


def test_criteria_are_averaged_and_what_each_judge_said_stays():
    both = verdict_of(Fixed("a", 5.0), Fixed("b", 2.0))
    assert both.overall == 3.5
    assert both.passed
    assert {c.score for c in both.criteria} == {3.5}
    assert both.criteria[0].reasoning == "a 5: so it seems; b 2: so it seems"
    assert [(j.name, j.overall, j.unscored) for j in both.judges] == [
        ("a", 5.0, None),
        ("b", 2.0, None),
    ]
    assert both.usage == Usage(2, 200, 40, 60)
    assert both.flags == ("flag of a", "flag of b")


def test_a_judge_that_cannot_score_is_left_out_and_named():
    verdict = verdict_of(Fixed("a", 4.0), Fixed("b"), Fixed("c", error=ModelError("no answer")))
    assert verdict.overall == 4.0
    assert [judge.unscored for judge in verdict.judges] == [
        None,
        "the reply was no JSON",
        "no answer",
    ]
    assert verdict.usage == Usage(2, 110, 20, 31), "what it cost is paid all the same"


def test_without_any_score_the_response_is_unscored_with_every_reason():
    verdict = verdict_of(Fixed("a"), Fixed("b", error=ModelError("no answer")), Fixed("c"))
    assert verdict.overall is None
    assert verdict.passed is None
    assert verdict.unscored == "a, c: the reply was no JSON; b: no answer"


def test_what_a_replay_lacks_is_raised_and_not_averaged_away():
    missing = NotRecordedError("this request is not in the store")
    with pytest.raises(NotRecordedError):
        verdict_of(Fixed("a", 4.0), Fixed("b", error=missing))


class Slow(Fixed):
    """A judge that takes its time; ``done`` tells whether it came to the end."""

    done = False

    async def judge(self, request):
        await asyncio.sleep(0.05)
        self.done = True
        return await super().judge(request)


def test_a_judge_that_a_replay_lacks_does_not_cut_off_the_others():
    slow = Slow("slow", 4.0)
    with pytest.raises(NotRecordedError):
        verdict_of(Fixed("a", error=NotRecordedError("not in the store")), slow)
    assert slow.done


@pytest.mark.parametrize(
    ("votes", "stated", "hit"),
    [
        ([True, True, False], True, True),
        ([True, False, False], False, False),
        ([True, False], False, True),
        ([True, True], True, True),
        ([False, False], False, False),
    ],
)
def test_facts_and_traps_go_by_majority_and_a_tie_goes_against_the_answer(votes, stated, hit):
    judges = [Fixed(f"j{n}", 4.0, stated=vote, hit=vote) for n, vote in enumerate(votes)]
    verdict = verdict_of(*judges)
    assert [fact.used for fact in verdict.facts] == [stated]
    assert [caught for _, caught in verdict.traps] == [hit]


def test_a_judge_without_an_opinion_on_facts_does_not_vote():
    silent = JudgeReply((CriterionScore(RECALL[0], 3.0, "x"),))
    sure = JudgeReply((CriterionScore(RECALL[0], 5.0, "x"),), (True,), (True,))
    reply = combined([("a", silent), ("b", sure)])
    assert (reply.stated, reply.hit) == ((True,), (True,))


given_scores = st.lists(
    st.none() | st.dictionaries(st.sampled_from(RECALL), st.integers(0, 5), min_size=1),
    min_size=2,
    max_size=4,
)


@given(given_scores)
def test_a_mean_lies_between_what_was_given_and_no_order_of_judges_matters(table):
    replies = [
        (
            f"j{n}",
            JudgeReply(unscored="x")
            if scores is None
            else JudgeReply(tuple(CriterionScore(id, s, "") for id, s in scores.items())),
        )
        for n, scores in enumerate(table)
    ]
    found = {c.id: c.score for c in combined(replies).criteria}
    backwards = {c.id: c.score for c in combined(replies[::-1]).criteria}
    assert found == pytest.approx(backwards)
    for id, mean in found.items():
        values = [scores[id] for scores in table if scores and id in scores]
        assert min(values) <= mean <= max(values)
        assert mean == pytest.approx(sum(values) / len(values))


def test_at_most_as_many_judges_as_requests_are_allowed_ask_at_once():
    now, most = 0, 0

    class Slow(Fixed):
        async def judge(self, request):
            nonlocal now, most
            async with current_slot():
                now += 1
                most = max(most, now)
                await asyncio.sleep(0)
                now -= 1
            return await super().judge(request)

    verdict_of(*(Slow(f"j{n}", 4.0) for n in range(6)), limit=2)
    assert most == 2


@BOTH
def test_a_run_with_several_judges_keeps_their_scores_and_prints_how_far_they_agree(
    pytester, workers
):
    set_up(pytester, "first")
    result = run(
        pytester,
        workers,
        "--compaction-judge=offline,refuses_files",
        "--compaction-judge=refuses",
        compactor="forget_limit",
    )
    result.assert_outcomes(passed=2, failed=2 + 1)
    by_probe = {record["probe"]: record for record in records(pytester).records}
    judges = by_probe["limit"]["judges"]
    assert [judge["name"] for judge in judges] == ["offline", "refuses_files", "refuses"]
    assert judges[0]["overall"] == judges[1]["overall"] == by_probe["limit"]["answer"]["overall"]
    answered = by_probe["limit"]["answer"]["criteria"]
    assert judges[0]["criteria"] == {c["id"]: c["score"] for c in answered}
    assert judges[2] == {
        "name": "refuses",
        "overall": None,
        "criteria": {},
        "unscored": "the reply was no JSON",
    }
    result.stdout.fnmatch_lines(
        [
            "judges",
            "  offline * mean 2.50 (4 of 4 items)",
            "  refuses_files * mean 1.67 (3 of 4 items)",
            "    unscored 1: the reply was no JSON",
            "  refuses * no score (0 of 4 items)",
            "    unscored 4: the reply was no JSON",
            "  Krippendorff's alpha 1.00 (3 overall scores)",
            "  Krippendorff's alpha 1.00 (* criterion scores)",
            "  how far they agree: pytest-compaction agree RUN",
        ]
    )


@BOTH
def test_a_judge_of_several_that_scores_nothing_is_red_and_says_why(pytester, workers):
    set_up(pytester, "first")
    judges = ["--compaction-judge=offline,dead", "--compaction-max-unscored=9"]
    result = run(pytester, workers, *judges, "--compaction-threshold=overall>=1")
    result.assert_outcomes(passed=4 + 1, failed=1)
    assert result.ret == 1
    assert last_line(result) == ("GATE FAILED judge dead: scored none of 4 items · on 4 of 4 items")
    result.stdout.fnmatch_lines(
        [
            "  dead * no score (0 of 4 items)",
            "    unscored 4: the endpoint http://localhost:9 refused the connection",
            "  Krippendorff's alpha is not defined: no item was scored by two judges",
            "  Krippendorff's alpha is not defined: no criterion of an item was scored by two*",
        ]
    )


def said_by(name, overall=None, unscored=None):
    criteria = {} if overall is None else {"a": overall}
    return {"name": name, "overall": overall, "criteria": criteria, "unscored": unscored}


def test_the_most_frequent_reason_is_shown_and_the_others_are_counted():
    reasons = ["it refused", "\x1b[2J no JSON", "\x1b[2J no JSON", "it is down"]
    panels = [[said_by("a", 4.0), said_by("b", unscored=reason)] for reason in reasons]
    records = [builders.record(probe=f"p{n}", judges=panel) for n, panel in enumerate(panels)]
    lines = [line.text for line in agreement_lines(records)]
    assert r"    unscored 2: \x1b[2J no JSON; 2 more for other reasons" in lines


def test_one_judge_says_nothing_of_agreement(pytester):
    set_up(pytester, "first")
    result = run(pytester, "-k", "limit")
    assert "how far they agree" not in str(result.stdout)
    assert records(pytester).records[0]["judges"] == []


def test_judges_who_never_differ_in_score_have_no_alpha():
    panel = [
        {"name": name, "overall": 4.0, "criteria": {"a": 4.0}, "unscored": None} for name in "ab"
    ]
    lines = [line.text for line in agreement_lines([builders.record(judges=panel)])]
    assert lines[-3:-1] == [
        "  Krippendorff's alpha is not defined: nothing varies (1 overall scores)",
        "  Krippendorff's alpha is not defined: nothing varies (1 criterion scores)",
    ]


def test_judges_of_nuggets_are_not_said_to_lack_criteria():
    panel = [
        {"name": name, "overall": overall, "criteria": {}, "unscored": None}
        for name, overall in (("a", 5.0), ("b", 2.5))
    ]
    nuggets = [{"text": "the lease", "score": 0.75}]
    records = [builders.record(case, judges=panel, nuggets=nuggets) for case in "ab"]
    text = "\n".join(line.text for line in agreement_lines(records))
    assert "(2 overall scores)" in text
    assert "criterion" not in text
