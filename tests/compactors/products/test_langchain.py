"""``langchain``: the cut, the input of the summariser, and its failures.

``deepagents``: long arguments first, then a summary that is written from all of the log.
"""

from dataclasses import replace

import pytest
from support.builders import (
    COUNTER,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    tool,
    user,
)
from support.compacting import (
    SpyModel,
    compacted,
    ids,
    messages_of,
    observed,
    roles,
    tokens,
)

from pytest_compaction.compactors.products.langchain import (
    CUT,
    OFFLOADED,
    PREAMBLE,
    TOO_LONG,
    DeepAgents,
    LangChain,
    trimmed,
    without_middle_part,
)
from pytest_compaction.conversation import structure_faults
from pytest_compaction.models import AnswerReply, ModelError


def talk(turns, words=30):
    chat = [system()]
    for turn in range(turns):
        chat.append(user(f"Question {turn}: " + f"ask{turn} " * words))
        chat.append(assistant(f"Answer {turn}: " + f"say{turn} " * words))
    return chat


class RefusingModel(SpyModel):
    """Fails a number of times, then answers."""

    def __init__(self, times):
        super().__init__()
        self.times = times

    async def summarize(self, request):
        if len(self.requests) < self.times:
            self.requests.append(request)
            raise ModelError("overloaded")
        return await super().summarize(request)


def test_the_last_twenty_messages_stay_behind_system_prompt_and_summary():
    chat = talk(15)
    outcome, view = compacted(LangChain(), chat, context_of(400))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "langchain-summary-1", *(f"m{i}" for i in range(11, 31))]
    assert roles(view)[:2] == ["system", "user"]
    assert view[1].origin == "synthetic"
    assert view[1].text.startswith(PREAMBLE)
    assert [span.fate for span in outcome.spans] == ["kept", "replaced", "kept"]


def test_a_cut_among_tool_results_is_moved_back_to_the_calls():
    calls = assistant("look", ("a", "bash", {}), ("b", "bash", {}), ("c", "bash", {}))
    chat = [*talk(4), calls, tool("a", "x"), tool("b", "x"), tool("c", "x"), user("and?")]
    for keep, first in ((1, "m13"), (2, "m9"), (3, "m9"), (4, "m9"), (5, "m9"), (6, "m8")):
        _, view = compacted(LangChain(keep), chat, context_of(300))
        assert ids(view)[2] == first


def test_a_conversation_of_no_more_than_it_keeps_is_left_alone():
    compactor, context = LangChain(), context_of(400)
    outcome, _ = compacted(compactor, talk(10), context)
    assert outcome.status == "noop"
    outcome, _ = compacted(compactor, [*talk(10), user("more")], context)
    assert outcome.status == "compacted"


def test_what_stays_can_be_tokens_or_a_share_of_the_window():
    chat = talk(10)
    last_three = tokens(chat[-3:])
    _, view = compacted(LangChain(f"{last_three}tokens"), chat, context_of(400))
    assert ids(view)[2:] == ["m18", "m19", "m20"]
    _, view = compacted(LangChain(f"{last_three - 1}tokens"), chat, context_of(400))
    assert ids(view)[2:] == ["m19", "m20"]
    context = context_of(400, window=4 * last_three)
    _, view = compacted(LangChain("0.25fraction"), chat, context)
    assert ids(view)[2:] == ["m18", "m19", "m20"]


def test_the_last_message_stays_even_if_it_alone_is_more_than_the_tokens_kept():
    _, view = compacted(LangChain("1tokens"), talk(5), context_of(400))
    assert ids(view)[2:] == ["m10"]


def test_the_summariser_reads_the_last_tokens_from_a_user_message_on():
    spy = SpyModel()
    chat = talk(15)
    limit = tokens(chat[5:11])
    compacted(LangChain(trim=limit), chat, context_of(400, model=spy))
    assert ids(spy.requests[0].messages) == ["m5", "m6", "m7", "m8", "m9", "m10"]
    spy = SpyModel()
    compacted(LangChain(trim=0), chat, context_of(400, model=spy))
    assert ids(spy.requests[0].messages) == [f"m{i}" for i in range(1, 11)]


def test_a_user_message_that_does_not_fit_whole_gives_its_last_lines():
    asked = user("\n".join(f"line {i}" for i in range(40)))
    messages = messages_of([asked, assistant("Yes.")])
    read = trimmed(messages, 60, context_of())
    assert ids(read) == ["m0", "m1"]
    assert read[0].text.endswith("line 39")
    assert not read[0].text.startswith("line 0\n")
    assert COUNTER.messages(read) <= 60


def test_without_a_user_message_in_reach_a_sentence_stands_for_the_summary_unasked():
    spy = SpyModel()
    chat = [system(), user("Do it."), *[assistant("work " * 100) for _ in range(30)]]
    outcome, view = compacted(LangChain(trim=500), chat, context_of(400, model=spy))
    assert outcome.status == "compacted"
    assert TOO_LONG in view[1].text
    assert spy.requests == []


def test_an_input_over_the_window_is_retried_with_a_quarter_from_the_start():
    spy = SpyModel()
    chat = talk(40)
    window = tokens(chat) // 2
    compacted(LangChain(4, trim=0), chat, context_of(300, window=window, model=spy))
    read = spy.requests[0].messages
    limit = min(tokens(chat[1:-4]) // 2, window * 2 // 5)
    assert COUNTER.messages(read) <= limit
    numbers = [int(m.id[1:]) for m in read]
    gap = next(i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1] + 1)
    assert numbers[0] == 1
    assert numbers[-1] == 76
    assert COUNTER.messages(read[:gap]) <= limit // 4
    assert COUNTER.messages(read[gap:]) <= limit - limit // 4


def test_one_message_larger_than_the_window_is_cut_in_its_middle():
    (giant,) = messages_of([user("begin " + "middle " * 3000 + "end")])
    context = context_of(window=1000)
    read = without_middle_part([giant], context)
    assert len(read) == 1
    assert COUNTER.messages(read) <= 400
    assert read[0].text.startswith("begin")
    assert read[0].text.endswith("end")


@pytest.mark.parametrize(("fails", "status"), [(1, "compacted"), (2, "compacted"), (3, "failed")])
def test_a_model_that_fails_is_asked_three_times(fails, status):
    model = RefusingModel(fails)
    compactor, context = LangChain(), context_of(400, model=model)
    state = observed(compactor, talk(15), context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == status
    assert len(model.requests) == min(fails + 1, 3)
    if status == "failed":
        assert "overloaded" in outcome.error
        assert outcome.state == state


@pytest.mark.parametrize(
    ("trigger", "due"),
    [
        (20, True),
        (21, False),
        ("100tokens", True),
        ("0.5fraction", True),
        ("0.9fraction", False),
    ],
)
def test_it_is_due_at_the_size_of_its_trigger(trigger, due):
    chat = talk(10)
    context = context_of(window=tokens(chat[1:]) * 3 // 2)
    compactor = LangChain(trigger=trigger)
    said = compactor.due(observed(compactor, chat, context), context)
    assert (said is not None) is due


def test_a_trigger_below_what_stays_is_reached_again_at_once():
    compactor = LangChain(keep=10, trigger=5)
    context = replace(context_of(4000), reason="manual")
    state = compact_now(compactor, observed(compactor, talk(20), context), context).state
    assert len(compactor.render(state, context).messages) > 5
    assert compactor.due(state, context) is not None
    more = compactor.observe(state, messages_of([user("Go on.")]), context)
    assert compactor.due(more, context) is not None
    assert "not-due-after" in compactor.traits.violations
    assert "not-due-after" not in LangChain().traits.violations


def test_the_tail_breaks_the_budget():
    chat = [*talk(3), *session(8)[1:]]
    faithful = LangChain()
    _, view = compacted(faithful, chat, context_of(600))
    assert COUNTER.messages(view) > 600
    kept = {"within-budget", "never-larger", "progress-or-stop", "summary-is-a-summary"}
    assert set(faithful.traits.violations) == kept
    assert not faithful.traits.keeps_tail


def test_a_summary_longer_than_what_it_replaces_is_put_all_the_same():
    chat = [system(), user("The lease must be 45 seconds."), *talk(10)[1:]]
    context = context_of(tokens(chat) - 1)
    outcome, view = compacted(LangChain(), chat, context)
    assert outcome.status == "compacted"
    assert COUNTER.messages(view) > tokens(chat)


@pytest.mark.parametrize("value", [0, -1, True, "0tokens", "1.5", "2fraction", "many", "5 apples"])
def test_a_size_that_cannot_be_read_says_what_may_be_written(value):
    with pytest.raises(ValueError, match="must be a number of messages such as 20, or a size"):
        LangChain(keep=value)
    with pytest.raises(ValueError, match="trigger="):
        LangChain(trigger=value)


def writing(name="write_file", content="value = 1\n" * 400, id="w"):
    """A call that writes a long file, and its result."""
    return [assistant(None, (id, name, {"path": "a.py", "content": content})), tool(id, "wrote")]


def arguments_of(view):
    return [call.parsed() for message in view for call in message.calls]


def test_long_arguments_of_old_calls_are_cut_and_nothing_is_summarised_if_that_is_enough():
    spy = SpyModel()
    chat = [system(), user("Write it."), *writing(), *session(3)[1:]]
    short = [*writing(content="value = 1\nvalue = 1\n" + CUT)]
    budget = COUNTER.messages(messages_of([*chat[:2], *short, *session(3)[1:]])) + 5
    outcome, view = compacted(DeepAgents(), chat, context_of(budget, window=9000, model=spy))
    assert outcome.status == "compacted"
    assert spy.requests == []
    assert ids(view) == ids(messages_of(chat))
    assert arguments_of(view)[0] == {"path": "a.py", "content": "value = 1\nvalue = 1\n" + CUT}
    assert [span.fate for span in outcome.spans] == ["kept", "masked", "kept"]
    assert COUNTER.messages(view) <= budget


def test_arguments_of_other_tools_short_ones_and_those_of_the_newest_calls_stay():
    shell = [assistant(None, ("s", "bash", {"command": "echo " + "x " * 1500})), tool("s")]
    short = writing(content="y" * 2000, id="short")
    chat = [system(), user("Go."), *shell, *short, *session(2)[1:], *writing(id="last")]
    compactor, context = DeepAgents(), context_of(900, window=20_000)
    after = compactor.shortened(messages_of(chat), context)
    assert after == messages_of(chat)


def test_what_is_still_too_much_becomes_one_summary_of_all_before_the_newest_tenth():
    spy = SpyModel()
    chat = [system(), user("Write it."), *writing(), *session(8)[1:]]
    outcome, view = compacted(DeepAgents(), chat, context_of(900, window=4000, model=spy))
    assert outcome.status == "compacted"
    assert view[1].text.startswith(OFFLOADED)
    newest = view[2:]
    assert COUNTER.messages(newest) <= 400
    gone = len(chat) - len(newest)
    assert ids(spy.requests[0].messages) == [f"m{n}" for n in range(1, gone)]
    assert arguments_of(spy.requests[0].messages)[0]["content"].endswith(CUT)
    fates = {id: span.fate for span in outcome.spans for id in span.ids}
    assert {fates[f"m{n}"] for n in range(1, gone)} == {"replaced"}
    assert structure_faults(view) == []


def test_the_newest_tenth_is_at_most_half_of_the_budget():
    assert DeepAgents().kept_tokens(context_of(900, window=4000)) == 400
    assert DeepAgents().kept_tokens(context_of(900, window=64_000)) == 450


def test_it_is_due_at_85_hundredths_of_the_window():
    chat = session(6)
    used = COUNTER.messages(messages_of(chat))
    compactor = DeepAgents()
    state = compactor.observe(compactor.start(), messages_of(chat), context_of())
    said = COUNTER.messages(messages_of(chat)[1:])
    assert said < used
    assert compactor.due(state, context_of(window=int(said / 0.85))) is not None
    assert compactor.due(state, context_of(window=int(said / 0.85) + 5)) is None


class Deciding(SpyModel):
    """Says whether it calls the tool."""

    name = "m"

    def __init__(self, said):
        super().__init__()
        self.said, self.asked = said, []

    async def answer(self, request):
        self.asked.append(request)
        if isinstance(self.said, ModelError):
            raise self.said
        return AnswerReply(self.said)


def turn(model, chat=None, reason="auto", **parameters):
    """A compaction as a turn of the user begins, with more than half of the trigger used."""
    chat = chat or [*session(6), user("And the docs?")]
    used = COUNTER.messages(messages_of(chat)[1:])
    context = replace(context_of(900, window=int(used / 0.6), model=model), reason=reason)
    return compacted(DeepAgents(**parameters), chat, context)


def test_the_model_compacts_before_the_trigger_if_it_calls_the_tool():
    model = Deciding("call")
    outcome, view = turn(model, tool="yes")
    assert (outcome.status, len(model.asked)) == ("compacted", 1)
    assert view[1].text.startswith(OFFLOADED)
    assert model.asked[0].role == "compaction"
    waiting = Deciding("WAIT")
    outcome, view = turn(waiting, tool="yes")
    assert (outcome.status, len(waiting.asked)) == ("noop", 1)
    assert waiting.requests == []


def test_the_tool_cuts_no_arguments_first():
    spy = Deciding("CALL")
    chat = [system(), user("Write it."), *writing(), *session(6)[1:], user("And the docs?")]
    turn(spy, chat, tool="yes")
    assert arguments_of(spy.requests[0].messages)[0]["content"] == "value = 1\n" * 400


def test_a_model_that_is_away_leaves_the_view_and_rules_call_the_tool_at_once():
    outcome, _ = turn(Deciding(ModelError("away")), tool="yes")
    assert outcome.error == "the model was not asked whether to compact: away"
    outcome, _ = turn(SpyModel(), tool="yes")
    assert outcome.status == "compacted"


@pytest.mark.parametrize(
    ("reason", "parameters"), [("case", {"tool": "yes"}), ("manual", {"tool": "yes"}), ("auto", {})]
)
def test_nobody_is_asked_at_the_points_of_a_case_or_without_the_tool(reason, parameters):
    model = Deciding("WAIT")
    outcome, _ = turn(model, reason=reason, **parameters)
    assert (outcome.status, model.asked) == ("compacted", [])


def test_the_tool_is_offered_from_half_of_the_trigger_on_as_a_turn_begins():
    chat = messages_of([*session(6), user("And the docs?")])
    said, compactor = COUNTER.messages(chat[1:]), DeepAgents(tool="yes")

    def due(messages, share, strategy=compactor):
        context = context_of(window=int(said / share))
        return strategy.due(strategy.observe(strategy.start(), messages, context), context)

    assert "the model may compact it" in due(chat, 0.43)
    assert due(chat, 0.42) is None
    assert due(chat[:-1], 0.6) is None
    assert due(chat, 0.6, DeepAgents()) is None
    assert "has reached 0.85 fraction" in due(chat[:-1], 0.95)
