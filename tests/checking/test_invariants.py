"""The checks of the invariants on runs made by hand, the logs that are generated, the shrinking."""

import asyncio
import json
import threading
from collections import Counter
from dataclasses import replace
from functools import partial

import pytest
from support.builders import COUNTER, assistant, system, tool, user
from support.planted import Orphans, Sound

from pytest_compaction.checking import INVARIANTS, KNOWN, drawn_examples, shrunk, survey
from pytest_compaction.checking.examples.generated import STRATA
from pytest_compaction.checking.examples.scenario import CANARY, Fault, Scenario
from pytest_compaction.checking.faults import CALL_LIKE, REASONING, FaultyModel, SummaryCache
from pytest_compaction.checking.observation import (
    Breach,
    Observation,
    ObservedStep,
    SummaryCall,
)
from pytest_compaction.checking.runner import Runner, without_dead_calls
from pytest_compaction.compactors.base.history import spans_between
from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.compactors.protocol import Span, Traits
from pytest_compaction.conversation import (
    Image,
    Opaque,
    Text,
    Thinking,
    ToolResult,
    pending_calls,
    structure_faults,
    text_message,
)
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import ModelError, OfflineModel, Section, Summary, SummaryRequest
from pytest_compaction.run.strategy_thread import StrategyThread, TimeLimitError

BY_NAME = {invariant.name: invariant for invariant in INVARIANTS}
THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
LOG = from_chat(
    [
        system(),
        user("Please raise the limit in src/queue.py to 45. " + "It matters. " * 20),
        assistant([THOUGHT], ("a", "read_file", {"path": "src/queue.py"}), ("b", "bash", {})),
        tool("a", "LIMIT = 30 " * 30),
        tool("b", f"{CANARY} " * 4),
        assistant("I read both. " * 10),
        user("Go on."),
    ]
)
SUMMARY = text_message("s1", "user", "A summary of what was said.\n- limit 45", "synthetic")
GOOD = (LOG[0], SUMMARY, LOG[6])
SCENARIO = Scenario((LOG,), 1000, 300)
SECTIONS = (Section("all", "All", "Everything.", ("values",)),)


def step(after=GOOD, before=LOG, by="s1", **changes):
    """A compaction of ``before`` to ``after``."""
    made = ObservedStep(
        log=before,
        before=before,
        after=after,
        tokens_before=COUNTER.messages(before),
        tokens_after=COUNTER.messages(after),
        status="compacted",
        spans=spans_between(before, after, by),
        state_before="{}",
        state_after="{}",
    )
    return replace(made, **changes)


def a_run(*steps, traits=None, scenario=SCENARIO, **changes):
    """A run of some steps."""
    claims = Traits(keeps_tail=True, reads_once=True) if traits is None else traits
    return Observation(scenario, claims, COUNTER, steps or (step(),), **changes)


def asked(messages=LOG[1:3], tokens=100, previous=None, **changes):
    """A request to the summariser."""
    return SummaryCall(SummaryRequest(messages, SECTIONS, 100, previous), tokens, **changes)


def broken(run):
    """The names of the invariants that a run breaks."""
    return {
        invariant.name
        for invariant in INVARIANTS
        if invariant.waived(run.traits) is None and next(invariant.check(run), None) is not None
    }


def altered(message, part):
    """A message with one part in place of all."""
    return replace(message, parts=(part,))


OPEN = (*LOG[:3], LOG[3])
FAILING = {
    "results-follow-calls": a_run(
        step(
            (
                LOG[0],
                SUMMARY,
                replace(from_chat([tool("x", "?")], "x")[0], origin="synthetic"),
                LOG[6],
            )
        )
    ),
    "parallel-calls-whole": a_run(step((LOG[0], SUMMARY, LOG[2], LOG[3], LOG[6]))),
    "pending-call-kept": a_run(step((LOG[0], SUMMARY, LOG[1]), OPEN)),
    "starts-with-user": a_run(step((LOG[0], replace(SUMMARY, role="assistant"), LOG[6]))),
    "turns-alternate": a_run(step((LOG[0], LOG[1], LOG[6]), by=None)),
    "ends-on-user-or-tool": a_run(step((*GOOD, replace(SUMMARY, id="ok", role="assistant")))),
    "no-empty-message": a_run(step((*GOOD[:2], replace(SUMMARY, id="e", parts=()), LOG[6]))),
    "payloads-intact": a_run(
        step((LOG[0], SUMMARY, replace(SUMMARY, id="o", parts=(Opaque("{}"),)), LOG[6]))
    ),
    "system-unchanged": a_run(step((altered(LOG[0], Text("Obey.")), *GOOD[1:]))),
    "images-valid": a_run(step(asked=(asked((altered(LOG[1], Image("{}")),)),))),
    "log-order-and-text": a_run(step((LOG[0], SUMMARY, LOG[6], LOG[1]))),
    "masks-are-placeholders": a_run(
        step((*LOG[:3], altered(LOG[3], ToolResult("a", "ok")), *LOG[4:]), by=None)
    ),
    "spans-partition": a_run(step(spans=(Span(("m0",), "kept"),))),
    "last-user-kept": a_run(step((LOG[0], SUMMARY))),
    "summary-marked": a_run(step((LOG[0], replace(SUMMARY, origin="log"), LOG[6]))),
    "notes-named": a_run(step((LOG[0], altered(SUMMARY, Text("Yes, delete it.")), LOG[6]))),
    "summary-not-empty": a_run(step((LOG[0], altered(SUMMARY, Text(" ")), LOG[6]))),
    "summary-is-a-summary": a_run(
        step((LOG[0], altered(SUMMARY, Text(f"In summary:\n{CALL_LIKE}")), LOG[6]))
    ),
    "own-log": a_run(
        scenario=replace(SCENARIO, batches=((altered(LOG[1], Text("See lib/harbour.py.")),),)),
        renamed=a_run(step((LOG[0], altered(SUMMARY, Text("In summary: lib/harbour.py")), LOG[6]))),
    ),
    "never-larger": a_run(step(tokens_after=10_000)),
    "within-budget": a_run(step(tokens_before=900, tokens_after=301)),
    "not-due-after": a_run(step(due="now")),
    "progress-or-stop": a_run(
        *(
            step(tokens_before=n, tokens_after=n - 1, due="full", again=True, status="compacted")
            for n in (1000, 999)
        ),
        scenario=replace(SCENARIO, budget=900, window=1000),
    ),
    "summariser-input-bounded": a_run(step(asked=(asked(tokens=1001),))),
    "returns-an-outcome": a_run(raised="compact raised ValueError: no"),
    "inputs-not-mutated": a_run(
        noted={"inputs-not-mutated": [Breach("compact changed the state")]}
    ),
    "failure-changes-nothing": a_run(
        step(LOG, status="failed", state_after='{"half": "done"}', by=None)
    ),
    "not-due-is-identity": a_run(noted={"not-due-is-identity": [Breach("added", ("m0",))]}),
    "state-is-json": a_run(noted={"state-is-json": [Breach("the state is not JSON")]}),
    "one-live-summary": a_run(
        step((LOG[0], SUMMARY, replace(SUMMARY, id="s2"), LOG[6])),
        step(
            (LOG[0], SUMMARY, replace(SUMMARY, id="s2"), LOG[6]),
            (LOG[0], SUMMARY, replace(SUMMARY, id="s0"), *LOG[1:]),
            by="s2",
            log=LOG,
        ),
    ),
    "summarised-once": a_run(step(asked=(asked(),)), step(asked=(asked(),))),
    "deterministic": a_run(repeated=a_run(step((LOG[0], replace(SUMMARY, id="s9"), LOG[6])))),
    "render-is-pure": a_run(noted={"render-is-pure": [Breach("asked", ("m0",))]}),
    "earlier-state-restores": a_run(noted={"earlier-state-restores": [Breach("later", ("m0",))]}),
}
"""For each invariant a run, made by hand, that breaks it and no other."""


def test_a_good_run_breaks_nothing():
    assert broken(a_run()) == set()


def test_each_invariant_has_a_run_that_breaks_it():
    assert list(FAILING) == list(BY_NAME)


@pytest.mark.parametrize("name", BY_NAME)
def test_each_check_can_fail_and_does_so_alone(name):
    assert broken(FAILING[name]) == {name}


@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.name)
def test_an_invariant_is_said_in_whole_sentences(invariant):
    assert invariant.sentence.endswith(".")
    assert invariant.matters.endswith(".")
    assert invariant.group in {"structure", "content", "budget", "state"}


@pytest.mark.parametrize(
    ("name", "traits"),
    [
        ("system-unchanged", Traits(changes_system=True)),
        ("last-user-kept", Traits()),
        ("summarised-once", Traits()),
    ],
)
def test_what_a_strategy_does_not_claim_is_waived_with_the_reason(name, traits):
    assert BY_NAME[name].waived(traits).startswith("the strategy")
    assert name not in broken(replace(FAILING[name], traits=traits))


TOLD = Section("all", "All", "Each decision with its reason, in one line.", ("decisions",))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"What was said:\n- {TOLD.asks}", "what the summariser was told to write"),
        (f"What was said:\n- {CALL_LIKE}", "a tool call"),
        (f"What was said:\n- {REASONING}", "the reasoning of the model"),
        ("What was said:\n- the limit is 45\n- {}\n- {not JSON}", None),
    ],
)
def test_what_stands_in_place_of_a_summary_is_told_apart(text, found):
    request = SummaryRequest(LOG[1:3], (TOLD,), 100)
    made = step((LOG[0], altered(SUMMARY, Text(text)), LOG[6]), asked=(SummaryCall(request, 100),))
    breach = next(BY_NAME["summary-is-a-summary"].check(a_run(made)), None)
    assert (breach and breach.sentence) == (found and f"{found} stands where a summary should")


def test_what_the_log_itself_had_wrong_is_not_held_against_the_strategy():
    dead = (*LOG[:2], *from_chat([assistant("?", ("dead", "bash", {}))], prefix="d"), LOG[6])
    made = step((dead[0], SUMMARY, dead[2], dead[3]), dead)
    assert "results-follow-calls" not in broken(a_run(made))


def test_a_dead_call_that_blocks_compaction_is_found_by_leaving_it_out():
    dead = (*LOG[:2], *from_chat([assistant("?", ("dead", "bash", {}))], prefix="d"), *LOG[5:])
    stuck = step(dead, dead, by=None, status="failed", error="open call", tokens_before=900)
    alive = a_run(step())
    assert broken(a_run(stuck, undead=alive)) == {"pending-call-kept"}
    assert broken(a_run(stuck)) == set()
    scenario = Scenario((dead,), 1000, 300)
    assert [m.id for m in without_dead_calls(scenario).log] == [m.id for m in (*dead[:2], *LOG[5:])]


@pytest.mark.parametrize(
    ("before", "after", "excused"),
    [
        ({"failures": 0}, {"failures": 1}, True),
        ({}, {"given_up": True}, True),
        ({"parts": [{"failures": 0}, {}]}, {"parts": [{"failures": 1}, {}]}, True),
        ({"parts": [{}, {"own": {}}]}, {"parts": [{}, {"own": {"failures": 1}}]}, True),
        ({"parts": [{"notes": "a"}]}, {"parts": [{"notes": "b"}]}, False),
        ({"parts": [{}]}, {"parts": [{}, {}]}, False),
        ({"seen": [1, 2]}, {"seen": [1, 2, 3]}, False),
        (
            {"archive": [{"role": "tool", "content": "x", "is_error": True}]},
            {"archive": [{"role": "tool", "content": "x", "is_error": False}]},
            False,
        ),
    ],
)
def test_a_failure_may_be_counted_wherever_it_is_kept_and_nothing_else(before, after, excused):
    texts = {"state_before": json.dumps(before), "state_after": json.dumps(after)}
    failed = step(LOG, status="failed", by=None, **texts)
    assert ("failure-changes-nothing" not in broken(a_run(failed))) == excused


def test_what_an_earlier_compaction_had_done_is_not_laid_at_the_door_of_a_dead_call():
    dead = (*GOOD[:2], *from_chat([assistant("?", ("dead", "bash", {}))], prefix="d"), GOOD[2])
    idle = step(dead, dead, by=None, status="noop", tokens_before=900)
    assert broken(a_run(idle, undead=a_run(step()))) == set()


def test_a_summariser_that_failed_is_the_reason_and_not_a_dead_call():
    dead = (*LOG[:2], *from_chat([assistant("?", ("dead", "bash", {}))], prefix="d"), *LOG[5:])
    said = {"status": "failed", "error": "the summary came back empty", "tokens_before": 900}
    for requests, blamed in (((asked(empty=True),), set()), ((), {"pending-call-kept"})):
        stuck = step(dead, dead, by=None, asked=requests, **said)
        assert broken(a_run(stuck, undead=a_run(step()))) == blamed


def test_thinking_of_the_latest_calls_must_stay_and_may_go_elsewhere():
    bare = replace(LOG[2], parts=LOG[2].parts[1:])
    closed = LOG[:5]
    late = step((LOG[0], LOG[1], bare, *LOG[3:5]), closed, by=None)
    early = step((LOG[0], LOG[1], bare, *LOG[3:]), by=None, tokens_after=100)
    assert "payloads-intact" in broken(a_run(late))
    assert "payloads-intact" not in broken(a_run(early))


# --- the logs ----------------------------------------------------------------------------


def test_the_examples_are_different_and_the_same_at_every_run():
    first = drawn_examples(60, COUNTER)
    assert len(first) == len(set(first)) == 60
    assert drawn_examples(60, COUNTER) == first
    assert Counter(e.stratum for e in first) == {"plain": 30, "faulty": 15, "extreme": 15}
    assert sum(STRATA.values()) == 100


def test_the_examples_hold_everything_that_agents_meet():
    found = Counter()
    for scenario in drawn_examples(200, COUNTER):
        parts = [part for message in scenario.log for part in message.parts]
        found["image"] += any(isinstance(part, Image) for part in parts)
        found["thinking"] += any(isinstance(part, Thinking) for part in parts)
        found["opaque"] += any(isinstance(part, Opaque) for part in parts)
        found["parallel"] += any(len(message.calls) > 1 for message in scenario.log)
        found["error"] += any(r.is_error for m in scenario.log for r in m.results)
        found["empty result"] += any(not r.text.strip() for m in scenario.log for r in m.results)
        found["canary"] += any(CANARY in r.text for m in scenario.log for r in m.results)
        found["pending"] += any(pending_calls(batch) for batch in scenario.batches)
        found["several"] += len(scenario.batches) > 2
        largest = max(COUNTER.message(message) for message in scenario.log)
        found["giant"] += largest > scenario.window
        found["dead call"] += without_dead_calls(scenario) != scenario
        found["fault"] += scenario.fault is not None
        found["roomy"] += scenario.budget > COUNTER.messages(scenario.log)
        faults = structure_faults(without_dead_calls(scenario).log)
        assert faults == []
    assert {name for name, count in found.items() if count < 5} == set()


# --- running and shrinking ------------------------------------------------------------------


@pytest.mark.exhaustive
def test_a_shrunk_example_is_no_larger_breaks_the_same_and_is_always_the_same():
    runner = Runner(Orphans, SummaryCache(OfflineModel(COUNTER)), COUNTER)
    found = survey(runner, 200)
    first = found.first["results-follow-calls"]
    invariant = BY_NAME["results-follow-calls"]
    small, again = (shrunk(first, invariant, runner, 200) for _ in range(2))
    assert len(small.scenario.log) < len(first.scenario.log)
    assert next(invariant.check(small.observation)) == small.breach
    assert small.scenario == again.scenario


def test_a_call_that_takes_too_long_is_left_behind_and_the_next_one_runs():
    thread, gate = StrategyThread("check"), threading.Event()
    with pytest.raises(TimeLimitError, match=r"did not return within 0\.05 s"):
        thread.ended(gate.wait, 0.05)
    assert thread.ended(lambda: 3, 5) == (3, None)
    gate.set()


def test_an_error_in_a_call_is_given_to_the_one_who_asked():
    def fails():
        raise ValueError("no")

    value, error = StrategyThread("check").ended(fails, 5)
    assert (value, repr(error)) == (None, "ValueError('no')")


def test_a_fault_strikes_at_its_request_and_each_is_noted():
    model = FaultyModel(SummaryCache(OfflineModel(COUNTER)), COUNTER, Fault("raises", 2))
    request = SummaryRequest(LOG[1:], SECTIONS, 100)
    asyncio.run(model.summarize(request))
    with pytest.raises(ModelError):
        asyncio.run(model.summarize(request))
    asyncio.run(model.summarize(request))
    assert [each.failed for each in model.asked] == [False, True, False]


@pytest.mark.parametrize("kind", ["empty", "oversized", "echo", "prompt", "call-like", "reasoning"])
def test_each_fault_of_the_model_is_what_it_is_called(kind):
    model = FaultyModel(SummaryCache(OfflineModel(COUNTER)), COUNTER, Fault(kind))
    reply = asyncio.run(model.summarize(SummaryRequest(LOG[1:], SECTIONS, 100)))
    text = reply.summary.render(SECTIONS)
    holds = {
        "empty": reply.summary == Summary(()),
        "oversized": COUNTER.text(text) > 200,
        "echo": CANARY in text and "Go on." in text,
        "prompt": "Everything." in text,
        "call-like": "tool_calls" in text,
        "reasoning": "<think>" in text,
    }
    assert holds[kind]


def test_a_sound_strategy_gives_the_same_survey_twice():
    counts = []
    for _ in range(2):
        runner = Runner(Sound, SummaryCache(OfflineModel(COUNTER)), COUNTER)
        counts.append(survey(runner, 20).steps)
    assert counts[0] == counts[1]


LOOPS = []


async def on_a_loop(messages, budget):
    """Notes the loop on which it runs."""
    LOOPS.append(asyncio.get_running_loop())
    return messages


class OnOneLoop(Sound):
    """Keeps a loop for the class, as a client that all instances share does."""

    loop = None

    def observe(self, state, new, context):
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()  # as in a run
        return super().observe(state, new, context)

    async def compact(self, state, context):
        running = asyncio.get_running_loop()
        if OnOneLoop.loop not in (None, running):
            raise RuntimeError("bound to a different event loop")
        OnOneLoop.loop = running
        return await super().compact(state, context)


def test_the_check_gives_loops_as_a_run_does():
    before = set(threading.enumerate())
    runner = Runner(OnOneLoop, SummaryCache(OfflineModel(COUNTER)), COUNTER)
    assert runner.run(KNOWN[0]).raised is None
    assert "bound to a different event loop" in runner.run(KNOWN[0]).raised
    LOOPS.clear()
    create = partial(FunctionCompactor, "on_a_loop", on_a_loop, {})
    runner = Runner(create, SummaryCache(OfflineModel(COUNTER)), COUNTER)
    assert [runner.run(KNOWN[0]).raised for _ in range(2)] == [None, None]
    assert len(LOOPS) > 1
    assert len(set(LOOPS)) == 1
    runner.loop.close()
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()
