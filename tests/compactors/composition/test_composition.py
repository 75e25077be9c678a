"""``a+b``: parts in order on one view, each with its own state; insertions beside them."""

import asyncio
import json
import sys
import types
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, system, user
from support.compacting import (
    AwayModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    view_of,
)
from support.measuring import records_of

from pytest_compaction.compactors.base.covered_model import ELSEWHERE
from pytest_compaction.compactors.base.history import HistoryCompactor
from pytest_compaction.compactors.composition.composition import Composition, CompositionError
from pytest_compaction.compactors.protocol import Outcome, Span, Traits
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec
from pytest_compaction.compactors.strategies.anchored import SUMMARY_ID
from pytest_compaction.compactors.strategies.ledger import LEDGER_ID, Ledger
from pytest_compaction.compactors.strategies.window import Window
from pytest_compaction.conversation.messages import readable, structure_faults, text_message
from pytest_compaction.metrics.intervals import cluster_interval
from pytest_compaction.rubric import DIMENSIONS


def create(text, **added):
    return Registry(added).create(parse_spec(text))


def talk(turns, number=0):
    for turn in range(turns):
        yield user(f"What about idea {number}-{turn}? " + f"detail{number}x{turn} " * 30)
        yield assistant(f"Idea {number}-{turn} is noted. " + f"remark{number}x{turn} " * 30)


# --- how it is written ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("anchored+ledger", ["anchored", "ledger"]),
        ("anchored:summary=0.5+ledger:limit=40", ["anchored:summary=0.5", "ledger:limit=40"]),
        ("a:k=v+b", ["a:k=v", "b"]),
        ("a + b", ["a", "b"]),
        ("my.module:compact:k=3+ledger", ["my.module:compact:k=3", "ledger"]),
        ("a:note='x+y'+b", ["a:note='x+y'", "b"]),
        ("a:note=it's+b", ["a:note=it's", "b"]),
        ("a+b+c", ["a", "b", "c"]),
        ("a:x=1e+5+b", ["a:x=1e+5", "b"]),
    ],
)
def test_a_plus_stands_between_parts(text, parts):
    spec = parse_spec(text)
    assert [part.text.strip() for part in spec.parts] == parts
    assert spec.parameters == ()
    assert spec.text == text


@pytest.mark.parametrize(
    ("text", "value"), [("a:x=1e+5", 1e5), ("a:x='b+c'", "b+c"), ('a:x="b+c"', "b+c")]
)
def test_a_plus_in_a_number_or_in_quotes_is_part_of_a_value(text, value):
    assert parse_spec(text).parts == ()
    assert parse_spec(text).parameters == (("x", value),)


@pytest.mark.parametrize("text", ["+", "a+", "+a", "a++b"])
def test_a_plus_without_a_part_beside_it_is_refused(text):
    with pytest.raises(UnknownCompactorError, match="a \\+ stands between two strategies"):
        parse_spec(text)


def test_the_slug_keeps_the_plus():
    assert parse_spec("anchored:summary=0.5+ledger").slug == "anchored:summary=0.5+ledger"


def refusal(text, **added):
    with pytest.raises(UnknownCompactorError) as caught:
        create(text, **added)
    return str(caught.value)


def test_an_unknown_part_is_named_with_the_nearest():
    assert "unknown compactor 'ledgr'; did you mean 'ledger'?" in refusal("anchored+ledgr")


def test_a_wrong_parameter_of_a_part_is_named_with_that_part():
    assert "'ledger:size=3' does not take these parameters" in refusal("anchored+ledger:size=3")


class Elsewhere(HistoryCompactor):
    """Keeps its view somewhere else."""

    name = "elsewhere"
    traits = Traits()

    def start(self):
        return {"view": []}

    async def compact(self, state, context):
        raise NotImplementedError


class CannotStart(Elsewhere):
    """Raises at the start."""

    def start(self):
        raise RuntimeError("no start")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("elsewhere+ledger", "'elsewhere' cannot be a part of 'elsewhere+ledger': its state is no"),
        ("broken+ledger", "'elsewhere' cannot be a part of"),
        ("ledger+ledger", "has no part that compacts"),
        ("anchored+ledger+ledger", "names 'ledger' twice"),
        ("rag+anchored", "'rag' reads per question and can only be the last strategy"),
    ],
)
def test_parts_that_cannot_be_composed_say_why(text, said):
    message = refusal(text, elsewhere=Elsewhere, broken=CannotStart)
    assert "the parts cannot be composed" in message
    assert said in message


def test_the_description_and_traits_are_those_of_the_parts():
    made = create("mask-observations+anchored+ledger")
    assert made.name == "mask-observations+anchored+ledger"
    assert made.description == "mask-observations, then anchored, with the ledger beside it"
    assert made.traits.needs_model
    assert not made.traits.needs_probe
    assert create("anchored+ledger").traits.keeps_tail
    assert create("light+ledger").traits.needs_probe


class Over(HistoryCompactor):
    """Breaks two invariants."""

    name = "over"
    traits = Traits(
        keeps_tail=True, violations={"within-budget": "takes more", "last-user-kept": "loses it"}
    )

    async def compact(self, state, context):
        ids = tuple(item["id"] for item in state["messages"])
        return Outcome(
            {**state, "messages": state["messages"][:1]},
            "truncated",
            (Span(ids[:1], "kept"), Span(ids[1:], "dropped")),
        )


def test_a_violation_stays_with_the_composition_unless_a_later_part_mends_it():
    assert dict(create("over+ledger", over=Over).traits.violations) == {
        "within-budget": "over: takes more",
        "last-user-kept": "over: loses it",
    }
    mended = create("over+window", over=Over).traits.violations
    assert dict(mended) == {"last-user-kept": "over: loses it"}


# --- one part after the other --------------------------------------------------------


def test_a_later_part_acts_only_where_the_view_is_still_over_the_budget():
    chat = [*session(8), *talk(4)]
    masked, alone = compacted(create("anchored"), chat, context_of(900))
    outcome, view = compacted(create("anchored+truncate"), chat, context_of(900))
    assert (outcome.status, masked.status) == ("compacted", "compacted")
    assert view == alone


def test_a_later_part_takes_over_where_the_first_one_fails():
    chat = [*session(8), *talk(4)]
    context = context_of(900, model=AwayModel())
    outcome, view = compacted(create("anchored+window"), chat, context)
    assert outcome.status == "truncated"
    assert COUNTER.messages(view) <= 900
    assert view == compacted(create("window"), chat, context_of(900))[1]


def test_a_failure_that_leaves_the_view_over_the_budget_changes_nothing():
    chat = [*session(8), *talk(4)]
    context = context_of(900, model=AwayModel())
    state = observed(create("anchored+ledger"), chat, context)
    outcome, view = compacted(create("anchored+ledger"), chat, context)
    assert outcome.status == "failed"
    assert outcome.error.startswith("anchored: the summary could not be written")
    assert outcome.state == state
    assert view == messages_of(chat)
    assert [span.fate for span in outcome.spans] == ["kept"]


def test_each_part_keeps_its_own_state_between_compactions():
    spy = SpyModel()
    context = context_of(900, model=spy)
    batches = [session(8), *([*talk(6, n)] for n in range(3))]
    composed = create("mask-observations+anchored+ledger")
    outcomes = list(in_a_row(composed, batches, context))
    merged = [m.id for request in spy.requests for m in request.messages]
    assert len(merged) == len(set(merged))
    assert [request.previous is None for request in spy.requests] == [
        number == 0 for number in range(len(spy.requests))
    ]
    text = readable(view_of(composed, outcomes[-1], context)[1])
    assert "src/module_0.py" in text


def test_spans_follow_a_message_through_the_parts():
    batches = [session(8), [*talk(8)], [*talk(8, 2)]]
    context, composed = context_of(900), create("anchored+ledger")
    state, start = composed.start(), 0
    for batch in batches:
        state = observed(composed, batch, context, state, start)
        start += len(batch)
        before = composed.render(state, context).messages
        outcome = asyncio.run(composed.compact(state, context))
        assert [id for span in outcome.spans for id in span.ids] == ids(before)
        replaced = [span for span in outcome.spans if span.fate == "replaced"]
        assert {span.by for span in replaced} == {SUMMARY_ID}
        state = outcome.state


# --- insertions ----------------------------------------------------------------------


def test_the_ledger_stands_after_system_prompt_and_summary_and_nothing_exceeds_the_budget():
    context, composed = context_of(900), create("anchored+ledger")
    for outcome in in_a_row(composed, [session(8), [*talk(6)], [*talk(6, 2)]], context):
        view = view_of(composed, outcome, context)
        assert outcome.status == "compacted"
        assert ids(view)[:3] == ["m0", SUMMARY_ID, LEDGER_ID]
        assert [m.id for m in view if m.origin == "synthetic"] == [SUMMARY_ID, LEDGER_ID]
        assert COUNTER.messages(view) <= 900
        assert structure_faults(view) == []


def test_the_order_of_an_insertion_among_the_parts_does_not_matter():
    chat = session(10)
    one = compacted(create("anchored+ledger"), chat, context_of(900))[1]
    assert compacted(create("ledger+anchored"), chat, context_of(900))[1] == one


def test_the_summariser_never_reads_the_ledger():
    spy = SpyModel()
    context = context_of(900, model=spy)
    list(in_a_row(create("regenerate+ledger"), [session(8), [*talk(6)], [*talk(6, 2)]], context))
    assert len(spy.requests) == 3
    assert all(m.id != LEDGER_ID for request in spy.requests for m in request.messages)


def test_the_summariser_is_not_asked_for_what_the_ledger_covers():
    spy = SpyModel()
    context, composed = context_of(900, model=spy), create("anchored+ledger")
    outcomes = list(in_a_row(composed, [session(8), [*talk(6)]], context))
    for request in spy.requests:
        assert [section.id for section in request.sections] == [
            "session_intent",
            "decisions",
            "next_steps",
        ]
        assert "A separate record keeps these and stands beside the summary: files." in (
            request.instructions
        )
    assert "file_modifications" not in dict(spy.requests[1].previous.entries)
    summary = readable(view_of(composed, outcomes[-1], context)[1])
    assert f"## File modifications\n- {ELSEWHERE}" in summary


def test_without_anything_for_the_ledger_the_base_works_as_if_alone():
    chat = [system(), *talk(12)]
    spy = SpyModel()
    composed = create("anchored+ledger")
    _, view = compacted(composed, chat, context_of(900, model=spy))
    assert view == compacted(create("anchored"), chat, context_of(900))[1]
    assert "files" in {source for s in spy.requests[0].sections for source in s.gathers}


def test_a_view_within_the_budget_is_left_alone_with_its_ledger():
    context, composed = context_of(900), create("anchored+ledger")
    (outcome,) = in_a_row(composed, [session(8)], context)
    again = asyncio.run(composed.compact(outcome.state, context))
    assert again.status == "noop"
    assert again.state == outcome.state
    assert sorted(id for span in again.spans for id in span.ids) == sorted(
        ids(view_of(composed, outcome, context))
    )


def test_due_counts_the_ledger():
    context, composed = context_of(900), create("anchored+ledger")
    (outcome,) = in_a_row(composed, [session(8)], context)
    used = COUNTER.messages(view_of(composed, outcome, context))
    assert composed.due(outcome.state, context_of(window=used + 1)) == (
        f"{used} of {used + 1} tokens used"
    )
    assert composed.due(outcome.state, context_of(window=2 * used)) is None


def test_a_part_that_reads_per_question_gets_it():
    context, composed = context_of(900), create("rag+ledger")
    (outcome,) = in_a_row(composed, [session(12)], context)
    view = composed.render(
        outcome.state, context, "Which retry limit for src/module_1.py?"
    ).messages
    assert ids(view)[:3] == ["m0", "passages", LEDGER_ID]
    assert "it must be 101" in view[1].text
    assert COUNTER.messages(view) <= 900


def test_a_function_of_ones_own_is_a_part(monkeypatch):
    def newest(messages, budget):
        """Keeps the system prompt and the last two messages."""
        return [messages[0], *messages[-2:]]

    module = types.ModuleType("strategies_of_mine")
    module.newest = newest
    monkeypatch.setitem(sys.modules, "strategies_of_mine", module)
    context, composed = context_of(900), create("strategies_of_mine:newest+ledger")
    chat = [*session(8), user("Thanks."), assistant("Good.")]
    outcome, view = compacted(composed, chat, context)
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", LEDGER_ID, f"m{len(chat) - 2}", f"m{len(chat) - 1}"]
    assert composed.description == "strategies_of_mine:newest, with the ledger beside it"


class Reader(HistoryCompactor):
    """Reads ahead: its observe leaves the view alone and notes how much it saw."""

    name = "reader"
    traits = Traits()

    def start(self):
        return {"messages": [], "seen": 0}

    def observe(self, state, new, context):
        seen = super().observe(state, new, context)
        return {**seen, "seen": state["seen"] + len(new)}

    async def compact(self, state, context):
        return Outcome(state, "noop", (Span(tuple(m["id"] for m in state["messages"]), "kept"),))


def test_every_part_observes_every_message_whatever_the_others_dropped():
    context, composed = context_of(600), create("reader+window", reader=Reader)
    *_, last = in_a_row(composed, [session(6), [*talk(6)]], context)
    assert last.state["parts"][0]["seen"] == len(session(6)) + 12


class Fading:
    """An insertion that gets shorter with each new message."""

    name, covers, traits = "fading", frozenset(), Traits()

    def begin(self):
        return {"seen": 0}

    def note(self, notes, new):
        return {"seen": notes["seen"] + 1}

    def insertion(self, notes, context):
        return text_message("fading", "user", "word " * (200 // notes["seen"] ** 2), "synthetic")


def test_an_insertion_that_needs_less_is_written_anew_where_that_makes_the_view_fit():
    context, composed = context_of(600), Composition("window+fading", [Window(), Fading()])
    first, second = in_a_row(composed, [session(8), [user("more " * 220)]], context)
    before = composed.observe(first.state, messages_of([user("more " * 220)], 90), context)
    assert COUNTER.messages(composed.render(before, context).messages) > 600
    assert second.status == "compacted"
    assert COUNTER.messages(view_of(composed, second, context)) <= 600
    assert [span.fate for span in second.spans] == ["kept", "masked", "kept"]


COMPOSITIONS = ["anchored+ledger", "mask-observations+anchored", "rag+ledger", "anchored+window"]


@pytest.mark.parametrize("text", COMPOSITIONS)
@settings(max_examples=20)
@given(agent_logs(), agent_logs(pending=True, max_turns=3), st.sampled_from([150, 400, 900]))
def test_any_log_leaves_json_states_sound_views_and_a_partition(text, chat, more, budget):
    composed, context = create(text), context_of(budget)
    state, start = composed.start(), 0
    for batch in (chat, [message for message in more if message["role"] != "system"]):
        state = observed(composed, batch, context, state, start)
        start += len(batch)
        plain = json.dumps(state)
        before = composed.render(state, context).messages
        outcome = asyncio.run(composed.compact(state, context))
        after = composed.render(outcome.state, context).messages
        assert json.dumps(state) == plain
        assert json.loads(json.dumps(outcome.state)) == outcome.state
        assert structure_faults(after) == []
        assert [id for span in outcome.spans for id in span.ids] == ids(before)
        for span in outcome.spans:
            assert all((id in ids(after)) == (span.fate in {"kept", "masked"}) for id in span.ids)
            assert span.by is None or span.by in ids(after)
        if outcome.status in {"noop", "failed"}:
            assert after == before
        else:
            assert COUNTER.messages(after) < COUNTER.messages(before)
        state = outcome.state


def test_a_composition_of_made_parts_needs_one_that_compacts():
    with pytest.raises(CompositionError, match="has no part that compacts"):
        Composition("ledger", [Ledger()])


# --- what it is worth ----------------------------------------------------------------


def paired(name, other, figure):
    """Differences of a figure on the same items, by case."""
    mine = {(r["case"], r["probe"]): figure(r) for r in records_of(name)}
    theirs = {(r["case"], r["probe"]): figure(r) for r in records_of(other)}
    differences = defaultdict(list)
    for key in sorted(mine):
        if mine[key] is not None and theirs[key] is not None:
            differences[key[0]].append(mine[key] - theirs[key])
    return differences


def mean(differences):
    values = [value for group in differences.values() for value in group]
    return sum(values) / len(values)


def view_tokens(name):
    """Tokens of the last view of each case."""
    return {r["case"]: r["tokens"]["view"] for r in records_of(name)}


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_with_the_ledger_no_dimension_is_worse_on_average(dimension):
    differences = paired("anchored+ledger", "anchored", lambda r: r["dimensions"].get(dimension))
    assert mean(differences) >= 0


def test_with_the_ledger_more_is_known_at_no_more_tokens():
    overall = paired("anchored+ledger", "anchored", lambda r: r["overall"])
    low, _ = cluster_interval(overall)
    assert low > 0
    artifact = paired("anchored+ledger", "anchored", lambda r: r["dimensions"]["artifact"])
    low, _ = cluster_interval(artifact)
    assert low > 0
    with_ledger, without = view_tokens("anchored+ledger"), view_tokens("anchored")
    assert sum(with_ledger.values()) <= 1.1 * sum(without.values())
