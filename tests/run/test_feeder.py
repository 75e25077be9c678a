"""Feeding a case to a strategy: deadlines, broken strategies, triggers."""

import asyncio
import threading

import pytest
from support.builders import assistant, build_case, case_of, context_of, session, tool, user

from pytest_compaction.compactors import (
    CompactorError,
    FunctionCompactor,
    Outcome,
    Span,
    Traits,
    Truncate,
    View,
)
from pytest_compaction.compactors.base.history import HistoryCompactor, dump, unchanged
from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.conversation import text_message
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import ModelError
from pytest_compaction.run import CaseFeeder, StrategyThread, parse_trigger

ENOUGH = 30.0


def feed(compactor, case=None, trigger="case", timeout=ENOUGH, budget=1000, window=100_000):
    context = context_of(budget=budget, window=window)
    feeder = CaseFeeder(case or build_case(), compactor, context, parse_trigger(trigger), timeout)
    try:
        return asyncio.run(feeder.feed())
    finally:
        feeder.close()


def function(body, name="my:compact"):
    return FunctionCompactor(name, body, {})


def error_of(compactor, **more):
    """What the first point says; every later point must say the same."""
    fed = feed(compactor, **more)
    assert [point.state for point in fed.points] == [None, None]
    first, second = (point.error for point in fed.points)
    assert second == first
    assert first.endswith("(case small, compaction point early)")
    assert all(point.log_tokens > 0 for point in fed.points)
    return first


@pytest.fixture
def released():
    """Set at the end of the test, so that calls left behind end as well."""
    event = threading.Event()
    before = set(threading.enumerate())
    yield event
    event.set()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


class Odd(HistoryCompactor):
    """A strategy whose methods can be replaced one by one."""

    name = "odd"
    traits = Traits()

    def __init__(self, **methods):
        for method, body in methods.items():
            setattr(self, method, body)

    async def compact(self, state, context):
        return unchanged(state)


def test_a_function_that_never_returns_is_left_behind(released):
    said = error_of(function(lambda messages, budget: released.wait()), timeout=1.0)
    assert said.startswith("my:compact: compact did not return within 1 s")
    assert "--compaction-timeout" in said


def test_a_coroutine_that_never_returns_is_left_behind(released):
    async def endless(messages, budget):
        while not released.is_set():
            await asyncio.sleep(0.01)

    assert "compact did not return within 1 s" in error_of(function(endless), timeout=1.0)


@pytest.mark.parametrize("method", ["start", "observe", "compact", "render"])
def test_every_method_has_a_deadline(released, method):
    odd = Odd(**{method: lambda *args: released.wait()})
    assert f"odd: {method} did not return within 1 s" in error_of(odd, timeout=1.0)


def where_it_runs(monkeypatch, compact):
    """Feed a case to a strategy of this package with another ``compact``."""
    threads = set()

    async def called(strategy, state, context):
        threads.add(threading.current_thread())
        return await compact(strategy, state, context)

    monkeypatch.setattr(NoCompaction, "compact", called)
    return feed(NoCompaction(), timeout=0.2), threads == {threading.current_thread()}


async def keep(strategy, state, context):
    return unchanged(state)


async def wait(strategy, state, context):
    await asyncio.sleep(3600)


async def fail(strategy, state, context):
    raise KeyError("no key")


@pytest.mark.parametrize(
    ("compact", "said"),
    [
        (keep, None),
        (wait, "none: compact did not return within 0.2 s (--compaction-timeout)"),
        (fail, "none: compact raised KeyError: 'no key'"),
    ],
)
@pytest.mark.parametrize("is_long", [False, True])
def test_a_strategy_of_the_package_is_called_on_the_loop_unless_the_log_is_long(
    monkeypatch, compact, said, is_long
):
    monkeypatch.setattr("pytest_compaction.run.feeder.APART_TOKENS", 10 if is_long else 10**6)
    fed, is_on_the_loop = where_it_runs(monkeypatch, compact)
    assert is_on_the_loop is not is_long
    if said is None:
        assert [step.status for step in fed.steps] == ["noop", "noop"]
    else:
        assert fed.points[0].error.startswith(said)


@pytest.mark.parametrize("method", ["start", "observe", "compact", "render"])
@pytest.mark.parametrize(
    "error", [ValueError("boom"), SystemExit(3), KeyboardInterrupt(), StopIteration()]
)
def test_whatever_a_method_raises_becomes_the_error_of_the_point(method, error):
    def fail(*args):
        raise error

    said = error_of(Odd(**{method: fail}))
    assert said.startswith(f"odd: {method} raised {type(error).__name__}: {error}")


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "my:compact returned None; expected the list of chat messages"),
        ("text", "my:compact returned str; expected a list"),
        ({"role": "user"}, "my:compact returned dict; expected a list"),
        (3, "my:compact returned int; expected a list"),
        ([], "my:compact returned no messages at all"),
        (["text"], "my:compact returned a wrong message: message 0 is str"),
        ([{"role": "robot", "content": "x"}], "message 0 has role 'robot'"),
        ([user("a"), {"role": "tool", "content": "x"}], "message 1 has role 'tool' but no"),
    ],
)
def test_anything_but_a_list_of_messages_is_refused(returned, said):
    assert said in error_of(function(lambda messages, budget: returned))


@pytest.mark.parametrize(
    ("returned", "invariant"),
    [
        ([user("a"), tool("c9", "x")], "results-follow-calls"),
        ([assistant(None, ("c1",)), user("a")], "calls-answered"),
        ([assistant(None, ("c1",)), tool("c1"), tool("c1")], "one-result-a-call"),
        ([user("")], "no-empty-message"),
    ],
)
def test_broken_structure_is_named_with_its_invariant_and_messages(returned, invariant):
    said = error_of(function(lambda messages, budget: returned))
    assert "my:compact broke the message structure:" in said
    assert f"  {invariant}: " in said
    assert "(messages compact-1-" in said


def test_dropping_half_of_a_pair_of_the_log_is_named_with_the_log_ids():
    said = error_of(function(lambda messages, budget: messages[:2] + messages[3:]))
    assert "results-follow-calls" in said
    assert "(messages m3)" in said


@pytest.mark.parametrize(
    ("spans", "said"),
    [
        ((), "look at m0, m1, m2, m3, m4"),
        ((Span(("m0", "m1", "m2"), "kept"),), "look at m3, m4"),
        ((Span(("m0", "m1", "m2", "m3", "m4", "m4"), "kept"),), "look at messages named twice"),
        ((Span(("m0", "m1", "m2", "m3", "m4", "zz"), "kept"),), "look at zz"),
    ],
)
def test_spans_that_are_not_a_partition_are_refused(spans, said):
    async def compact(state, context):
        return Outcome(state, "noop", spans)

    found = error_of(Odd(compact=compact))
    assert "odd: the spans of the outcome are not a partition of the view" in found
    assert said in found


@pytest.mark.parametrize("view", [None, [], View(None), View(({"role": "user"},))])
def test_a_view_of_another_type_is_refused(view):
    said = error_of(Odd(render=lambda *args: view))
    assert "odd: render returned" in said
    assert "expected a View" in said


def test_a_failure_at_a_later_point_leaves_the_earlier_one():
    calls = []

    def fail_later(messages, budget):
        calls.append(len(messages))
        if len(calls) == 2:
            raise ValueError("second")
        return messages[-1:]

    fed = feed(function(fail_later))
    first, second = fed.points
    assert first.error is None
    assert len(first.state["messages"]) == 1
    assert second.state is None
    assert "ValueError: second [tests/run/test_feeder.py:" in second.error
    assert second.error.endswith("in fail_later] (case small, compaction point late)")
    assert calls == [5, 3]
    assert [step.point for step in fed.steps] == ["early"]


async def unable(state, context):
    return unchanged(state, "the model is away")


async def without_its_model(messages, budget, model):
    raise ModelError("the model is away")


@pytest.mark.parametrize("compactor", [Odd(compact=unable), function(without_its_model)])
def test_a_failed_compaction_is_a_step_and_a_failure_where_the_view_is_over_budget(compactor):
    tight = feed(compactor, budget=1)
    steps = [(step.status, step.error) for step in tight.steps]
    assert steps == [("failed", "the model is away")] * 2
    assert all(point.error is None for point in tight.points)
    assert [point.failure for point in tight.points] == [
        f"the compaction at {name} failed and left {point.view_tokens} tokens in a view for 1: "
        "the model is away"
        for name, point in zip(("early", "late"), tight.points, strict=True)
    ]
    roomy = feed(compactor, budget=100_000)
    assert [point.failure for point in roomy.points] == [None, None]


def test_the_second_compaction_gets_the_view_of_the_first_and_what_came_since():
    given = []

    def keep_two(messages, budget):
        given.append((len(messages), budget))
        return messages[-2:] if messages[-2]["role"] != "tool" else messages[-1:]

    feed(function(keep_two), case=build_case(), budget=777)
    assert given == [(5, 777), (3, 777)]


def test_a_step_counts_the_tokens_before_and_after():
    case = case_of(session(), budget=400)
    context = context_of(budget=400)
    fed = feed(Truncate(), case=case, budget=400)
    (step,) = fed.steps
    assert (step.point, step.status) == ("p1", "truncated")
    assert step.before == context.tokens.messages(case.messages) == fed.points[0].log_tokens
    assert step.after == fed.points[0].view_tokens < step.before


def test_the_control_reaches_every_point_with_the_whole_log():
    case = build_case()
    fed = feed(NoCompaction(), case=case, budget=1)
    assert [len(point.state["messages"]) for point in fed.points] == [5, 7]
    assert [point.view_tokens for point in fed.points] == [point.log_tokens for point in fed.points]
    assert [step.status for step in fed.steps] == ["noop", "noop"]


class Recording(HistoryCompactor):
    """Keeps the last message at each compaction and notes where it was asked."""

    name = "recording"
    traits = Traits()

    def __init__(self, due=None):
        self.asked = []
        self.says_due = due

    def due(self, state, context):
        return self.says_due and self.says_due(state)

    async def compact(self, state, context):
        ids = [item["id"] for item in state["messages"]]
        self.asked.append(ids[-1])
        last = from_chat([user("so far")])[0]
        kept = text_message(f"kept-{len(self.asked)}", "user", last.text, "synthetic")
        spans = (Span(tuple(ids), "replaced", kept.id),)
        return Outcome({"messages": dump([kept])}, "compacted", spans)


def asked(trigger, window=100_000, due=None):
    compactor = Recording(due)
    case = case_of(session(turns=6, words=40), points=[11, 24])
    fed = feed(compactor, case=case, trigger=trigger, window=window)
    assert len(fed.steps) == len(compactor.asked)
    assert len(fed.points) == 2
    return compactor.asked


def test_the_case_trigger_compacts_at_the_points():
    assert asked("case") == ["m11", "m24"]


def test_the_turns_trigger_counts_user_messages_since_the_last_compaction():
    assert asked("turns:2") == ["m5", "m13", "m21"]


def test_the_tokens_trigger_compacts_as_soon_as_the_view_is_that_long():
    few, many = asked("tokens:1500"), asked("tokens:400")
    assert few
    assert len(many) > len(few)


def test_the_window_trigger_is_a_share_of_the_window():
    assert asked("window:0.5", window=3000) == asked("tokens:1500")


def test_the_auto_trigger_compacts_when_the_strategy_says_so():
    assert asked("auto", due=lambda state: "long" if len(state["messages"]) >= 10 else None) == [
        "m9",
        "m19",
    ]


def test_the_adaptive_trigger_charges_only_a_strategy_that_asks_a_model():
    class Paying(Recording):
        traits = Traits(needs_model=True)

    case = case_of(session(turns=6, words=40), points=[11, 24])
    free, paying = Recording(), Paying()
    for compactor in (free, paying):
        feed(compactor, case=case, trigger="adaptive", budget=200)
    assert len(free.asked) > len(paying.asked)


def test_a_trigger_never_parts_a_call_from_its_result():
    case = case_of(session(turns=3))
    compactor = Recording()
    feed(compactor, case=case, trigger="tokens:1")
    results = {m.id for m in case.messages if m.results}
    calls = {m.id for m in case.messages if m.calls}
    assert results
    assert results <= set(compactor.asked)
    assert not calls & set(compactor.asked)


def test_a_failing_due_is_the_error_of_the_point():
    def fail(state):
        raise ValueError("boom")

    fed = feed(Recording(fail), case=build_case(), trigger="auto")
    assert all("recording: due raised ValueError: boom" in s.error for s in fed.points)


def call(function):
    thread = StrategyThread("strategy")
    try:
        return asyncio.run(thread.call(function, ENOUGH, "call"))
    finally:
        thread.close()


def test_an_error_of_contract_is_passed_on_as_it_is():
    error = CompactorError("broken")

    def fail():
        raise error

    with pytest.raises(CompactorError) as caught:
        call(fail)
    assert caught.value is error
