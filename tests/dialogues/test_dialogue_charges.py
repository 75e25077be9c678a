"""The usage of a replayed dialogue is counted by role, also when it was stopped half-way."""

import pytest
from support import stub_endpoint
from support.replaying import Writer, judge, judgement, last_only, replay, strategy, summarised
from support.scenarios import records, run, set_up
from support.stub_endpoint import PRICED
from support.talks import talk, write
from support.worker_counts import BOTH

from pytest_compaction.models import ModelError, NotAskedError, Usage
from pytest_compaction.run.feeder import CompactionError

ANSWER = Usage(1, 10, 2, 5)
SUMMARY = Usage(1, 100, 0, 20)
"""The usage of a summary of :class:`replaying.Writer`."""
TALKS = "--compaction-cases=talks.jsonl"


def times(count, usage):
    return sum([usage] * count, Usage())


class FailsAtTheEnd(Writer):
    """Fails to answer the last turn; its useless reply is charged for."""

    def fails(self, request):
        return request.question.startswith("In which room")

    async def answer(self, request):
        if self.fails(request):
            raise ModelError("the reply is no answer", spent={"responder": ANSWER})
        return await super().answer(request)


class FailsAtTheEndOfTrial2(FailsAtTheEnd):
    def fails(self, request):
        return self.trial == 2 and super().fails(request)


def error_of(kind, create, **settings):
    with pytest.raises(kind) as found:
        replay(create, **settings)
    return found.value


def test_both_arms_and_the_summaries_are_accounted_for():
    judges = judge(judgement())
    replayed = replay(strategy(summarised), responder=Writer(ANSWER), judges=judges)
    assert replayed.usage == {
        "compaction": SUMMARY,
        "baseline": times(4, ANSWER),
        "responder": times(4, ANSWER),
        "judge": times(2, Usage(1, 10, 0, 5)),
    }
    replies = replayed.comparison.baseline[0].replies
    assert [reply.cached_tokens for reply in replies] == [2, 2, 2, 2]


def test_each_judge_has_an_account():
    judges = judge(judgement(), judgement(0.5))
    judges[1].name = "other"
    replayed = replay(strategy(last_only), responder=Writer(ANSWER), judges=judges)
    two = times(2, Usage(1, 10, 0, 5))
    assert replayed.judging == (("writer", two), ("other", two))


def test_a_dialogue_that_a_model_left_half_way_says_what_it_used_until_then():
    error = error_of(ModelError, strategy(summarised), responder=FailsAtTheEnd(ANSWER))
    assert str(error) == "the reply is no answer"
    assert error.spent == {
        "compaction": SUMMARY,
        "baseline": times(4, ANSWER),
        "responder": times(4, ANSWER),
    }


def test_a_trial_that_was_stopped_hides_nothing_of_the_others():
    judges = judge(judgement())
    responder = FailsAtTheEndOfTrial2(ANSWER)
    error = error_of(ModelError, strategy(last_only), responder=responder, judges=judges, trials=2)
    assert error.spent["baseline"] == error.spent["responder"] == times(8, ANSWER)
    assert error.spent["judge"] == times(2, Usage(1, 10, 0, 5))


async def raises_after_a_summary(messages, budget, model):
    await summarised(messages, budget, model)
    raise ValueError("cannot read the summary")


def test_a_strategy_that_raises_after_its_summary_is_charged_for_it():
    error = error_of(CompactionError, strategy(raises_after_a_summary), responder=Writer(ANSWER))
    assert error.spent["compaction"] == SUMMARY
    assert error.spent["responder"] == times(2, ANSWER)


class StopsAtTheSecond(Writer):
    """A judge whose second call is not made."""

    async def answer(self, request):
        if self.asked:
            raise NotAskedError("the store has no such call")
        return await super().answer(request)


def test_where_a_judge_could_not_be_asked_what_went_before_is_accounted_for():
    judges = (StopsAtTheSecond(ANSWER, answers=lambda request: judgement()),)
    error = error_of(NotAskedError, strategy(last_only), responder=Writer(ANSWER), judges=judges)
    assert error.spent["baseline"] == error.spent["responder"] == times(4, ANSWER)
    assert error.spent["judge"] == ANSWER


class Spoilt(Writer):
    """A judge whose reply is lost and charged for."""

    async def answer(self, request):
        raise ModelError("the reply was cut off", spent={"judge": ANSWER})


def test_a_judgement_of_no_use_is_charged_for():
    replayed = replay(strategy(last_only), responder=Writer(ANSWER), judges=(Spoilt(),))
    assert replayed.unscored == "turn 3: the reply was cut off"
    assert replayed.usage["judge"] == ANSWER


# --- in a run ------------------------------------------------------------------------

PAYS_AND_RAISES = """
from pytest_compaction.models.protocol import SummaryRequest
from pytest_compaction.models.structured_summary import Section


async def pays_and_raises(messages, budget, model):
    from pytest_compaction.conversation.formats.chat import from_chat

    notes = (Section("notes", "Notes", "What matters.", ("intent",)),)
    await model.summarize(SummaryRequest(from_chat(messages), notes, budget))
    raise ValueError("cannot read the summary")
"""


@pytest.fixture
def endpoint(pytester, monkeypatch):
    """A priced endpoint that answers every request, also for judgements of dialogues."""
    set_up(pytester, "first")
    pytester.makeconftest(PRICED)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(stub_endpoint, "plain_reply_to", stub_endpoint.reply_to, raising=False)
    monkeypatch.setattr(stub_endpoint, "reply_to", _reply_to)
    with stub_endpoint.serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        yield stub


def _reply_to(body):
    reply = stub_endpoint.plain_reply_to(body)
    if '"similarity"' in str(body["messages"][-1]["content"]):
        reply["choices"][0]["message"]["content"] = judgement()
    return reply


def real(pytester, *arguments):
    """A run over dialogues with a model that has a price."""
    write(pytester.path, talk(1, 6), talk(2, 5, "GR"))
    given = (TALKS, "--compaction-model=gpt-4o", "--compaction-trigger=turns:1")
    return run(pytester, *given, "--compaction-dialogue-budget=0.3", *arguments, compactor=None)


def table(result):
    """Calls, input, cached, output and dollars by role, as the summary shows them."""
    lines = [line.split() for line in str(result.stdout).partition("model use")[2].splitlines()]
    roles = {"compaction", "baseline", "responder", "judge", "total"}
    return {
        line[0]: [float(figure.replace(",", "")) for figure in line[1:]]
        for line in lines
        if len(line) == 6 and line[0] in roles
    }


@BOTH
def test_the_table_of_model_use_has_all_roles_of_dialogues_and_the_baseline_once(
    pytester, endpoint, workers
):
    shown = table(real(pytester, workers, "--compactor=anchored,truncate"))
    assert list(shown) == ["compaction", "baseline", "responder", "judge", "total"]
    assert shown["baseline"][0] == 11
    assert shown["responder"][0] == 2 * 11
    for calls, read, cached, written, dollars in shown.values():
        assert min(calls, read, cached, written, dollars) > 0
    parts = [sum(figures) for figures in zip(*list(shown.values())[:-1], strict=True)]
    assert parts == pytest.approx(shown["total"], abs=0.0003)


def test_dialogues_for_which_there_is_no_money_left_are_counted(pytester, endpoint):
    result = real(pytester, "--compactor=anchored,truncate", "--compaction-max-cost=0.03")
    unscored = result.parseoutcomes()["unscored"]
    assert unscored > 0
    assert f"{unscored} items were not paid for" in " ".join(str(result.stdout).split())


@pytest.mark.parametrize("arguments", [[], [TALKS]], ids=["cases", "dialogues"])
def test_a_strategy_that_pays_and_then_raises_is_an_error_with_its_usage(
    pytester, endpoint, arguments
):
    pytester.makepyfile(paying=PAYS_AND_RAISES)
    write(pytester.path, talk(1, 6))
    model = ("--compaction-model=gpt-4o", "--compaction-trigger=turns:1")
    run(pytester, *model, *arguments, "--compactor=paying:pays_and_raises", compactor=None)
    found = records(pytester).records
    assert {record["status"] for record in found} == {"error"}
    for record in found:
        assert "cannot read the summary" in record["reason"]
        assert record["usage"]["compaction"]["calls"] >= 1
        assert record["usd"]["compaction"] > 0
