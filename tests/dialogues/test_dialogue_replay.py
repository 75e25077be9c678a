"""Replay: two arms answer the same turns; only the history left by the strategy differs."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.replaying import (
    TOKENS,
    Writer,
    a_dialogue,
    in_force,
    last_only,
    replay,
    replaying,
    shout,
    strategy,
    summarised,
)

from pytest_compaction.compactors.strategies.plain import NoCompaction, Truncate
from pytest_compaction.conversation import text_message
from pytest_compaction.dialogues import Dialogue, history_mode, trigger_for_dialogues
from pytest_compaction.dialogues.history import LEAST_BUDGET, view_budget
from pytest_compaction.dialogues.replayed import BelowConsistencyError
from pytest_compaction.judges import UnscoredError
from pytest_compaction.models import ModelError, NotAskedError, Usage
from pytest_compaction.run.feeder import CompactionError
from pytest_compaction.run.triggers import Trigger, parse_trigger


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
    replay(lambda name: NoCompaction(), responder=writer, history=history)
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
    replayed = replay(lambda name: NoCompaction(), trigger=Trigger("turns", 1))
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


def test_the_system_prompt_stands_before_every_turn():
    writer = Writer()
    replay(lambda name: NoCompaction(), a_dialogue(system="You plan journeys."), responder=writer)
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
    """Keeps everything if the model cannot be reached."""
    try:
        return await summarised(messages, budget, model)
    except ModelError:
        return messages


class FailsQuietly(Truncate):
    """Reports that it failed, as strategies with a summariser do."""

    async def compact(self, state, context):
        from pytest_compaction.compactors.base.history import unchanged
        from pytest_compaction.models import SummaryRequest

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


def test_no_turn_is_answered_from_a_view_that_lacks_its_summary():
    responder = Writer()
    with pytest.raises(NotAskedError, match="no such call"):
        replay(strategy(gives_up), responder=responder, compaction=NotRecorded())
    read = sorted(len(view) for _, view, _ in responder.asked)
    baseline, before_the_compaction = [0, 2, 4, 6], [0, 2]
    assert read == sorted([*baseline, *before_the_compaction])


class Unreachable(Writer):
    name = "unreachable"

    async def answer(self, request):
        raise ModelError("the endpoint http://localhost:9 refused the connection")


def test_a_responder_that_does_not_answer_is_an_error():
    with pytest.raises(ModelError, match="refused the connection"):
        replay(strategy(last_only), responder=Unreachable())


def test_dialogues_that_will_be_asked_for_are_begun_ahead():
    writer = Writer()
    others = [Dialogue(f"CM_{n}", "CM", a_dialogue().turns) for n in range(5)]
    with replaying(strategy(last_only), writer) as replayer:
        replayer.expect([(other, "strategy") for other in others], 2)
        replayer.replayed(others[0], "strategy")
        begun = replayer.replayed(others[2], "strategy")
    assert begun.comparison.dialogue_id == "CM_2"
    assert len(writer.asked) >= 8 * 2
