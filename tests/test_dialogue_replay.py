"""Replay: two arms answer the same turns, and only what the strategy left differs."""

import asyncio
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from replaying import (
    TOKENS,
    Writer,
    a_dialogue,
    judge,
    judgement,
    last_only,
    replay,
    replaying,
    shout,
    strategy,
    summarised,
)

from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors.composition import asks_model
from pytest_compaction.compactors.none import STRATEGY as KEEP_ALL
from pytest_compaction.compactors.registry import Registry, parse_spec
from pytest_compaction.compactors.truncate import Truncate
from pytest_compaction.conversation import structure_faults, text_message
from pytest_compaction.dialogues.dialogue import Dialogue, RecordedCall, Turn
from pytest_compaction.dialogues.figures import consistency_of, figures_of
from pytest_compaction.dialogues.history import LEAST_BUDGET, exchange, view_budget
from pytest_compaction.dialogues.replay import history_mode, trigger_for_dialogues
from pytest_compaction.dialogues.replayed import BelowConsistencyError
from pytest_compaction.dialogues.similarity import MAX_ITEMS, material, read_judgement
from pytest_compaction.feeding import CompactionError
from pytest_compaction.judges.verdict import UnscoredError
from pytest_compaction.models.calls import CallReply
from pytest_compaction.models.chat import ChatModel
from pytest_compaction.models.protocol import (
    AnswerRequest,
    ModelError,
    NotAskedError,
)
from pytest_compaction.models.usage import Usage
from pytest_compaction.triggers import Trigger, expected_saving, parse_trigger

CALLS = (
    (
        RecordedCall("search", '{"to": "PER"}', "flights 7 and 8"),
        RecordedCall("rank", "{}", "8 is cheaper"),
    ),
    (RecordedCall("book", '{"flight": 8}', "seats are gone", True),),
)


def in_force(replayed, trial=0):
    return [reply.summarised for reply in replayed.comparison.summary[trial].replies]


def test_both_arms_are_asked_the_same_turns_by_the_same_model():
    writer = Writer()
    replay(strategy(last_only), responder=writer)
    asked = [question for _, _, question in writer.asked]
    turns = [turn.user for turn in a_dialogue().turns]
    assert sorted(asked) == sorted(turns * 2)


def test_the_baseline_reads_everything_and_the_other_arm_what_the_strategy_left():
    writer = Writer()
    replayed = replay(strategy(last_only), responder=writer)
    sizes = sorted(len(view) for _, view, _ in writer.asked)
    assert sizes == [0, 0, 1, 2, 2, 3, 4, 6]
    baseline, summary = replayed.comparison.baseline[0], replayed.comparison.summary[0]
    assert [reply.text.split()[3] for reply in baseline.replies] == ["0", "2", "4", "6"]
    assert [reply.text.split()[3] for reply in summary.replies] == ["0", "2", "1", "3"]
    assert in_force(replayed) == [False, False, True, True]


@pytest.mark.parametrize(
    ("history", "begins"), [("own", "own answer from"), ("recorded", "Lisbon is stop 0")]
)
def test_an_arm_goes_on_with_its_own_answers_or_with_those_on_record(history, begins):
    writer = Writer()
    replay(lambda name: KEEP_ALL(), responder=writer, history=history)
    second = a_dialogue().turns[1].user
    views = [view for _, view, question in writer.asked if question == second]
    assert len(views) == 2
    assert all(view[-1].text.startswith(begins) for view in views)


@pytest.mark.parametrize(
    ("asked", "responder", "mode"),
    [
        ("auto", "offline", "recorded"),
        ("auto", "gpt-x", "own"),
        ("own", "offline", "own"),
        ("recorded", "gpt-x", "recorded"),
    ],
)
def test_whose_answers_are_history_can_be_chosen(asked, responder, mode):
    assert history_mode(asked, responder) == mode


@pytest.mark.parametrize(
    ("trigger", "expected"),
    [
        ("turns:1", [False, True, True, True]),
        ("turns:2", [False, False, True, True]),
        ("turns:3", [False, False, False, True]),
        ("tokens:1", [False, True, True, True]),
        ("tokens:200", [False, False, False, True]),
        ("tokens:100000", [False] * 4),
        ("window:0.001", [False, True, True, True]),
        ("window:1", [False] * 4),
        ("auto", [False] * 4),
    ],
)
def test_a_trigger_decides_before_which_turn_it_is_compacted(trigger, expected):
    assert in_force(replay(strategy(last_only), trigger=parse_trigger(trigger))) == expected


def test_auto_compacts_when_the_strategy_says_so():
    assert in_force(replay(strategy(last_only), trigger=Trigger("auto"), window=200))[3] is True


def test_case_means_every_two_turns_because_a_dialogue_has_no_points():
    assert trigger_for_dialogues(parse_trigger("case")) == parse_trigger("turns:2")
    assert str(trigger_for_dialogues(parse_trigger("case"))) == "turns:2"
    for text in ("auto", "adaptive", "tokens:300", "window:0.5", "turns:3"):
        assert str(trigger_for_dialogues(parse_trigger(text))) == text


def test_nothing_is_compacted_after_the_last_turn():
    replayed = replay(strategy(summarised), a_dialogue(2), compaction=Writer())
    assert replayed.steps == {}
    assert replayed.comparison.summary[0].generation_calls == 0
    assert replayed.comparison.summarised is False


def test_making_summaries_is_counted_apart_from_answering():
    replayed = replay(strategy(summarised), compaction=Writer())
    summary = replayed.comparison.summary[0]
    assert (summary.generation_tokens, summary.generation_calls) == (120, 1)
    assert replayed.comparison.baseline[0].generation_tokens == 0
    assert replayed.usage["compaction"] == Usage(1, 100, 0, 20)
    assert replayed.usage["responder"].calls == replayed.usage["baseline"].calls == 4
    assert summary.prompt_tokens < replayed.comparison.baseline[0].prompt_tokens


def test_tokens_are_those_the_endpoint_charged_and_counted_where_it_says_nothing():
    charged = replay(strategy(last_only), responder=Writer(Usage(1, 1000, 0, 50)))
    assert {
        (r.prompt_tokens, r.completion_tokens) for r in charged.comparison.baseline[0].replies
    } == {(1000, 50)}
    counted = replay(strategy(last_only), responder=Writer())
    replies = counted.comparison.baseline[0].replies
    question = text_message("q", "user", a_dialogue().turns[0].user)
    assert replies[0].prompt_tokens == TOKENS.message(question)
    assert replies[0].completion_tokens == TOKENS.text("own answer from 0 messages")


def test_offline_the_lengths_are_those_on_record():
    replayed = replay(strategy(last_only))
    recorded = [TOKENS.text(turn.reference) for turn in a_dialogue().turns]
    for arm in (replayed.comparison.baseline, replayed.comparison.summary):
        assert [reply.completion_tokens for reply in arm[0].replies] == recorded


def test_every_trial_is_one_of_both_arms_and_asked_anew():
    writer = Writer()
    replayed = replay(strategy(last_only), responder=writer, trials=3)
    assert [len(arm) for arm in (replayed.comparison.baseline, replayed.comparison.summary)] == [
        3,
        3,
    ]
    assert len(replayed.comparison.agreements) == 3
    assert [trial for trial, _, _ in writer.asked].count(3) == 8


def test_the_baseline_is_answered_once_for_all_strategies():
    writer = Writer()
    with replaying(strategy(last_only), writer) as replayer:
        first = replayer.replayed(a_dialogue(), "one")
        second = replayer.replayed(a_dialogue(), "two")
    assert first.comparison.baseline is not None
    assert first.comparison.baseline == second.comparison.baseline
    assert len(writer.asked) == 4 * 3


def test_the_same_input_gives_the_same_comparison():
    texts = {json.dumps(replay(lambda name: Truncate()).comparison.as_json()) for _ in range(3)}
    assert len(texts) == 1


def test_a_strategy_that_keeps_everything_is_never_in_force_and_changes_nothing():
    replayed = replay(lambda name: KEEP_ALL(), trigger=Trigger("turns", 1))
    assert replayed.comparison.summarised is False
    assert replayed.consistency == 1.0
    assert replayed.comparison.baseline == replayed.comparison.summary
    assert replayed.steps == {"noop": 3}


def test_what_compaction_loses_is_lost_in_the_answers():
    replayed = replay(strategy(last_only))
    assert replayed.comparison.summarised is True
    assert replayed.consistency < 0.8
    assert replay(strategy(last_only), pass_at=0.99).passed is False
    with pytest.raises(BelowConsistencyError) as caught:
        replay(strategy(last_only), pass_at=0.99).check()
    lines = str(caught.value).split("\n")
    assert lines[0] == f"consistency {replayed.consistency:.2f} is below 0.99"
    assert re.fullmatch(r"  least in turn [34] of 4: 0\.\d\d", lines[1])
    assert lines[2].startswith("  full history: ")
    assert lines[3].startswith("  strategy: ")
    assert lines[4].startswith("  tokens ")


def test_a_failing_dialogue_whose_id_no_item_can_carry_is_named_as_in_its_file():
    named = Dialogue("CM_0a1b", "CM", a_dialogue().turns, "talks.jsonl:3", named="对话一")
    lines = replay(strategy(last_only), named, pass_at=0.99).shortfall()
    assert lines[1] == "  dialogue '对话一' of talks.jsonl:3"
    plain = Dialogue("CM_1", "CM", a_dialogue().turns, "talks.jsonl:3", named="1")
    assert "talks.jsonl" not in str(replay(strategy(last_only), plain, pass_at=0.99).shortfall())


def tools_in(view):
    """Names, arguments and results of the calls in a view, in order."""
    results = {result.call_id: result for message in view for result in message.results}
    return [
        RecordedCall(c.name, c.arguments, results[c.id].text, results[c.id].is_error)
        for message in view
        for c in message.calls
    ]


def test_recorded_tool_calls_are_replayed_with_arguments_and_results_in_both_arms():
    writer = Writer()
    replay(lambda name: KEEP_ALL(), a_dialogue(calls=CALLS), responder=writer)
    in_order = [call for step in CALLS for call in step]
    for number, turn in enumerate(a_dialogue().turns):
        views = [view for _, view, question in writer.asked if question == turn.user]
        assert len(views) == 2 and views[0] == views[1]
        assert not structure_faults(views[0])
        assert tools_in(views[0]) == in_order * (number + 1), "those of the turn itself as well"


def test_what_a_tool_gave_in_a_turn_is_there_uncompacted_when_the_turn_is_answered():
    writer = Writer()
    replayed = replay(strategy(last_only), a_dialogue(calls=CALLS), responder=writer)
    last = a_dialogue().turns[-1].user
    compacted = min((view for _, view, q in writer.asked if q == last), key=len)
    assert tools_in(compacted[-5:]) == [call for step in CALLS for call in step]
    assert in_force(replayed) == [False, False, True, True]


def test_tool_results_count_among_the_tokens_of_a_prompt():
    plain, with_calls = (
        replay(lambda name: KEEP_ALL(), a_dialogue(2, calls)).comparison for calls in ((), CALLS)
    )
    more = sum(TOKENS.message(message) for message in exchange(1, Turn("u", "", CALLS), "")[1:])
    assert [
        b.prompt_tokens - a.prompt_tokens
        for a, b in zip(plain.baseline[0].replies, with_calls.baseline[0].replies, strict=True)
    ] == [more, 2 * more]


def test_calls_on_record_give_no_dialogue_a_share_of_its_consistency():
    """They are the same in both arms, so a term for them could only be a constant."""
    nothing_alike = Writer(answers=lambda request: f"word{len(request.view)}")
    replayed = replay(strategy(last_only), a_dialogue(calls=CALLS), responder=nothing_alike)
    agreed = replayed.comparison.agreements[0]
    assert agreed.turns == (1.0, 1.0, 0.0, 0.0)
    assert all(not r.calls for arm in replayed.comparison.summary for r in arm.replies)


@pytest.mark.parametrize(
    "name", ["mask-observations:window=1", "opencode-prune:protect=100:minimum=0"]
)
def test_a_strategy_for_tool_results_has_something_to_do(name):
    long = " ".join(f"seat {number} is free," for number in range(400))
    calls = ((RecordedCall("seats", "{}", long),),)
    create = lambda _: Registry({}).create(parse_spec(name))  # noqa: E731
    replayed = replay(create, a_dialogue(calls=calls), trigger=Trigger("turns", 1))
    assert replayed.comparison.summarised is True
    (summary,), (baseline,) = replayed.comparison.summary, replayed.comparison.baseline
    assert summary.prompt_tokens < baseline.prompt_tokens
    assert summary.generation_tokens == 0


recorded_calls = st.builds(RecordedCall, st.text(min_size=1), st.text(), st.text(), st.booleans())
steps = st.lists(st.lists(recorded_calls, min_size=1, max_size=3).map(tuple), max_size=3)


@given(st.text(), st.text(min_size=1).filter(str.strip), steps)
def test_a_turn_becomes_messages_that_an_endpoint_takes(answer, user, calls):
    messages = exchange(1, Turn(user, answer, tuple(calls)), answer)
    assert not structure_faults(messages)
    assert tools_in(messages) == [call for step in calls for call in step]
    assert all(re.fullmatch(r"[A-Za-z0-9-]+", c.id) for m in messages for c in m.calls)


def test_the_system_prompt_stands_before_every_turn():
    writer = Writer()
    replay(lambda name: KEEP_ALL(), a_dialogue(system="You plan journeys."), responder=writer)
    assert len(writer.asked) == 8
    assert all(view[0].role == "system" for _, view, _ in writer.asked)


words = st.text("abcdef ", min_size=1, max_size=2000)


@given(st.lists(words, max_size=6), st.floats(0.01, 1), words)
def test_a_view_may_take_a_share_of_the_history_and_all_of_the_system_prompt(texts, share, system):
    log = [text_message(str(n), "user", text) for n, text in enumerate(texts)]
    head = text_message("s", "system", system)
    budget = view_budget(log, share, TOKENS)
    assert LEAST_BUDGET <= budget <= max(LEAST_BUDGET, TOKENS.messages(log))
    assert view_budget([head, *log], share, TOKENS) == budget + TOKENS.message(head)
    assert view_budget(log, share, TOKENS) <= view_budget(log, 1.0, TOKENS)


def test_a_strategy_that_raises_is_named_with_the_dialogue():
    with pytest.raises(
        CompactionError, match=r"strategy: compact raised ValueError.*dialogue CM_1"
    ):
        replay(strategy(shout))


class Dead(Writer):
    name = "dead"

    async def summarize(self, request):
        raise ModelError("the endpoint http://localhost:9 refused the connection")


async def gives_up(messages, budget, model):
    """Goes on with everything when the model is away."""
    try:
        return await summarised(messages, budget, model)
    except ModelError:
        return messages


class FailsQuietly(Truncate):
    """Says that it failed, as strategies with a summariser do."""

    async def compact(self, state, context):
        from pytest_compaction.compactors.history import unchanged
        from pytest_compaction.models.protocol import SummaryRequest

        try:
            await context.model.summarize(SummaryRequest((), (), context.budget))
        except ModelError as error:
            return unchanged(state, str(error))
        return unchanged(state, "there was nothing to say")


def test_where_the_model_could_not_summarise_the_dialogue_is_unscored():
    replayed = replay(lambda name: FailsQuietly(), compaction=Dead(), trigger=Trigger("turns", 3))
    assert replayed.consistency is None
    assert replayed.passed is None
    assert replayed.errors == ("the endpoint http://localhost:9 refused the connection",)
    with pytest.raises(UnscoredError, match=r"after turn 3 failed and left \d+ tokens .* refused"):
        replayed.check()


def test_a_strategy_that_finds_nothing_to_say_goes_on_with_full_history_and_is_scored():
    replayed = replay(lambda name: FailsQuietly(), compaction=Writer(), trigger=Trigger("turns", 3))
    assert replayed.consistency == 1.0
    assert replayed.steps == {"failed": 1}
    assert replayed.comparison.summarised is False


class NotRecorded(Writer):
    name = "store"

    async def summarize(self, request):
        raise NotAskedError("the store has no such call")


def test_a_call_that_was_not_made_is_no_result_whatever_the_strategy_made_of_it():
    with pytest.raises(NotAskedError, match="no such call"):
        replay(strategy(gives_up), compaction=NotRecorded())


class Unreachable(Writer):
    name = "unreachable"

    async def answer(self, request):
        raise ModelError("the endpoint http://localhost:9 refused the connection")


def test_a_responder_that_does_not_answer_is_an_error():
    with pytest.raises(ModelError, match="refused the connection"):
        replay(strategy(last_only), responder=Unreachable())


def test_a_model_judges_how_far_answers_agree_and_equal_ones_are_not_asked_about():
    judges = judge(judgement())
    replayed = replay(strategy(last_only), responder=Writer(), judges=judges)
    agreed = replayed.comparison.agreements[0]
    assert replayed.comparison.method == "model"
    assert agreed.turns == (1.0, 1.0, 0.8, 0.8)
    assert (agreed.consistency, agreed.retention) == (pytest.approx(0.9), pytest.approx(0.75))
    assert replayed.usage["judge"] == Usage(2, 20, 0, 10)
    assert len(judges[0].asked) == 2


def test_a_judge_sees_both_answers_and_not_which_arm_or_strategy_they_are_of():
    judges = judge(judgement())
    replay(strategy(last_only), responder=Writer(), judges=judges)
    _, view, question = judges[0].asked[0]
    data = json.loads(question[question.index('{"user"') :])
    assert view == ()
    assert data["first"] == "own answer from 4 messages"
    assert data["second"] == "own answer from 1 messages"
    assert not {"strategy", "summary arm", "compact", "baseline"} & set(question.split())


def test_several_judges_are_averaged():
    judges = judge(judgement(0.8, ()), judgement(0.4, (False,)))
    agreed = replay(strategy(last_only), responder=Writer(), judges=judges).comparison.agreements[0]
    assert agreed.turns[2:] == (pytest.approx(0.6), pytest.approx(0.6))
    assert agreed.retained[2:] == (0.5, 0.5)


class Wire:
    """Carries calls to nowhere and gives this reply to all of them."""

    def __init__(self, text):
        self.calls, self.text = [], text

    async def call(self, call):
        self.calls.append(call)
        message = {"role": "assistant", "content": self.text}
        return CallReply({"choices": [{"message": message, "finish_reason": "stop"}]})

    async def close(self):
        pass


def test_the_calls_of_a_judge_are_booked_as_judging_and_are_no_other_calls_for_that():
    answering, judging = Wire("an answer"), Wire(judgement())
    replay(
        strategy(last_only),
        responder=ChatModel("one-model", answering, TOKENS),
        judges=(ChatModel("one-model", judging, TOKENS),),
        history="recorded",
    )
    assert {call.role for call in answering.calls} == {"responder"}
    assert judging.calls == [], "equal answers need no judge"
    wire = Wire("x")
    model = ChatModel("one-model", wire, TOKENS)
    for role in ("responder", "judge"):
        asyncio.run(model.answer(AnswerRequest((), "?", AnswerSpec(), role=role)))
    first, second = wire.calls
    assert (first.role, second.role) == ("responder", "judge")
    assert first.digest == second.digest


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I would say 0.8.",
        "[0.8]",
        "{}",
        judgement(1.2),
        judgement(-0.1),
        judgement(float("nan")),
        judgement("five"),
        judgement(True),
        '{"similarity": 0.5}',
        '{"similarity": 0.5, "items": [{"text": "a"}]}',
        '{"similarity": 0.5, "items": [3]}',
        '{"similarity": 0.5, "items": "all"}',
        "{" * 5000 + "}" * 5000,
        "\x1b[2J",
    ],
)
def test_a_reply_that_is_no_judgement_leaves_the_dialogue_unscored(reply):
    with pytest.raises(ValueError, match="judge") as caught:
        read_judgement(reply)
    assert str(caught.value).isprintable()
    replayed = replay(strategy(last_only), responder=Writer(), judges=judge(reply))
    assert replayed.passed is None
    assert replayed.unscored.startswith("turn 3: the judge")


class FailsInTrial2(Writer):
    """A judge that fails in the second trial."""

    async def answer(self, request):
        if self.trial == 2:
            raise ModelError("the judge's endpoint is away")
        return await super().answer(request)


def test_a_dialogue_with_a_trial_that_was_not_scored_is_unscored_in_items_and_in_tables():
    judges = (FailsInTrial2(answers=lambda request: judgement()),)
    replayed = replay(strategy(last_only), responder=Writer(), judges=judges, trials=3)
    scored = [agreed.consistency is not None for agreed in replayed.comparison.agreements]
    assert scored == [True, False, True]
    assert (replayed.consistency, replayed.passed) == (None, None)
    assert replayed.unscored == "1 of 3 trials: turn 3: the judge's endpoint is away"
    assert consistency_of(replayed.comparison) is None
    figures = figures_of("CM", [replayed.comparison])
    assert (figures.dialogues, figures.scored, figures.unscored_trials) == (1, 0, 1)
    assert (figures.consistency, figures.retention, figures.passes) == (None, None, {})


def test_judging_is_asked_for_in_the_role_of_the_judge():
    seen = []
    answers = Writer(answers=lambda request: seen.append(("responder", request)) or "x")
    judges = (Writer(answers=lambda request: seen.append(("judge", request)) or judgement()),)
    replay(strategy(last_only), responder=answers, judges=judges)
    replay(strategy(last_only), responder=Writer(), judges=judges)
    assert {who for who, _ in seen} == {"responder", "judge"}
    assert all(request.role == who for who, request in seen)


def test_a_judgement_may_stand_in_a_fence_and_only_so_many_items_count():
    many = [True] * MAX_ITEMS + [False] * 10
    assert read_judgement(f"```json\n{judgement(0.5, many)}\n```") == (0.5, 1.0)


@given(st.text(), st.text(), st.text())
def test_no_text_ends_the_material_of_a_judge(user, first, second):
    line = material(user, first, second)
    assert "\n" not in line
    assert json.loads(line) == {"user": user, "first": first, "second": second}


sizes = st.integers(0, 100_000)


@given(sizes, sizes, st.integers(0, 1000))
def test_adaptive_never_compacts_where_no_saving_is_to_be_expected(view, budget, turns):
    fires = Trigger("adaptive").fires(view, 1, (), None, budget, turns)
    saving = turns * (view - budget) - (view + budget)
    assert fires is (view > budget and saving > 0)
    assert fires is (expected_saving(view, budget, turns) > 0)


@given(sizes, sizes, st.integers(0, 1000))
def test_adaptive_charges_a_strategy_that_asks_no_model_nothing(view, budget, turns):
    fires = Trigger("adaptive").fires(view, 1, (), None, budget, turns, asks=False)
    assert fires is (view > budget and turns > 0)
    assert expected_saving(view, budget, turns, asks=False) == turns * max(view - budget, 0)


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("none", False),
        ("truncate", False),
        ("mask-observations", False),
        ("cline:mode=classic", False),
        ("anchored", True),
        ("regenerate", True),
        ("openai-compact", True),
        ("truncate+ledger", False),
        ("mask-observations+anchored", True),
        (f"{__name__}:last_only", False),
        (f"{__name__}:summarised", True),
        (f"mask-observations+{__name__}:summarised", True),
        (f"mask-observations+{__name__}:last_only", False),
    ],
)
def test_whether_a_compaction_asks_a_model_is_known_of_every_strategy(name, asks):
    assert asks_model(Registry({}).create(parse_spec(name))) is asks


def test_adaptive_compacts_at_once_where_that_costs_nothing():
    adaptive = {"trigger": Trigger("adaptive"), "budget": 0.1}
    long = a_dialogue(8)
    free = replay(lambda name: Truncate(), long, **adaptive)
    paid = replay(strategy(summarised), long, compaction=Writer(), **adaptive)
    assert in_force(free).index(True) == 3, "the first view above the least budget"
    assert in_force(paid).index(True) > 3


@given(sizes, sizes, st.integers(0, 1000))
def test_more_turns_and_a_longer_view_never_speak_against_compacting(view, budget, turns):
    here = expected_saving(view, budget, turns)
    if view > budget:
        assert expected_saving(view, budget, turns + 1) > here
    if turns and view >= budget:
        assert expected_saving(view + 1, budget, turns) >= here


def test_adaptive_waits_until_compacting_pays_and_a_fixed_rule_does_not():
    long = Dialogue("CM_9", "CM", tuple(a_dialogue(4).turns[n % 3] for n in range(8)))
    adaptive = replay(strategy(summarised), long, compaction=Writer(), trigger=Trigger("adaptive"))
    fixed = replay(strategy(summarised), long, compaction=Writer(), trigger=Trigger("turns", 1))
    first = in_force(adaptive).index(True)
    assert first == 4
    assert in_force(fixed).index(True) == 1
    short = Dialogue("CM_8", "CM", long.turns[:4])
    paid = replay(strategy(summarised), short, compaction=Writer(), trigger=Trigger("adaptive"))
    assert in_force(paid) == [False] * 4


def test_dialogues_that_will_be_asked_for_are_begun_ahead():
    writer = Writer()
    others = [Dialogue(f"CM_{n}", "CM", a_dialogue().turns) for n in range(5)]
    with replaying(strategy(last_only), writer) as replayer:
        replayer.expect([(other, "strategy") for other in others], 2)
        replayer.replayed(others[0], "strategy")
        begun = replayer.replayed(others[2], "strategy")
    assert begun.comparison.dialogue_id == "CM_2"
    assert len(writer.asked) >= 8 * 2
