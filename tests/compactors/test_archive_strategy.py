"""``STRATEGY+archive``: what a strategy drops is searched once for each question."""

import asyncio
import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, case_data, context_of, session, tool, user
from support.compacting import SpyModel, compacted, cycles, ids, in_a_row
from support.compositions import create, refusal
from support.measured_case import measured_case

from pytest_compaction.case import case_from_json
from pytest_compaction.compactors.archive import FOUND_ID, PREAMBLE
from pytest_compaction.conversation import structure_faults
from pytest_compaction.models import AnswerReply

QUESTION = "Which retry limit was set in src/module_1.py?"
SAID = "Please fix the retry limit in src/module_1.py; it must be 101."


def asked(compactor, outcome, context, question=QUESTION):
    return compactor.render(outcome.state, context, question).messages


def passages_in(view):
    (found,) = [message.text for message in view if message.id == FOUND_ID]
    return found


def test_what_was_dropped_is_found_and_stands_marked_after_the_system_prompt():
    context, compactor = context_of(700), create("truncate+archive")
    outcome, plain = compacted(compactor, session(12), context)
    view = asked(compactor, outcome, context)
    assert SAID not in " ".join(message.text for message in plain)
    assert passages_in(view).startswith(PREAMBLE)
    assert f"[m5, user]\n{SAID}" in passages_in(view)
    assert ids(view) == [ids(plain)[0], FOUND_ID, *ids(plain)[1:]]
    assert next(m for m in view if m.id == FOUND_ID).origin == "synthetic"


def test_the_view_without_a_question_is_that_of_the_strategy():
    context = context_of(700)
    _, alone = compacted(create("anchored+ledger"), session(12), context)
    _, with_archive = compacted(create("anchored+archive+ledger"), session(12), context)
    assert with_archive == alone
    _, window = compacted(create("window"), session(12), context)
    assert compacted(create("archive"), session(12), context)[1] == window


def test_a_masked_result_is_found_as_the_tool_gave_it():
    context, compactor = context_of(500), create("mask-observations:window=1+archive")
    outcome, plain = compacted(compactor, session(8), context)
    wrote = "wrote src/module_1.py: word1x0"
    assert wrote not in " ".join(r.text for message in plain for r in message.results)
    assert wrote in passages_in(asked(compactor, outcome, context, "What wrote src/module_1.py?"))


@pytest.mark.parametrize("k", [1, 2, 4])
def test_k_is_the_number_of_passages(k):
    context = context_of(700)
    compactor = create(f"truncate+archive:k={k}")
    outcome, _ = compacted(compactor, session(12), context)
    view = asked(compactor, outcome, context)
    assert sum(line.startswith("[m") for line in passages_in(view).splitlines()) == k


@pytest.mark.parametrize("k", [0, 101, "many"])
def test_another_k_is_refused_with_a_sentence(k):
    assert f"k={k} must be a whole number, 1 to 100" in refusal(f"anchored+archive:k={k}")


def test_the_passages_are_cut_to_the_window():
    compactor = create("truncate+archive:k=100")
    wide, narrow = context_of(700), context_of(700, window=1000)
    outcome, _ = compacted(compactor, session(40), wide)
    assert COUNTER.messages(asked(compactor, outcome, wide)) > 1000
    assert 700 < COUNTER.messages(asked(compactor, outcome, narrow)) <= 1000


def test_a_question_that_shares_no_word_finds_nothing():
    context, compactor = context_of(700), create("truncate+archive")
    outcome, plain = compacted(compactor, session(12), context)
    assert asked(compactor, outcome, context, "Quo vadis?") == plain


def test_the_archive_holds_each_dropped_message_of_the_log_once_over_compactions():
    context, compactor = context_of(500), create("anchored+archive")
    batches = [session(5), session(5)[1:], session(5)[1:]]
    *_, last = in_a_row(compactor, batches, context)
    archived = [item["id"] for item in last.state["archive"]]
    left = [m.id for m in compactor.render(last.state, context).messages if m.origin == "log"]
    assert sorted([*archived, *left]) == sorted(f"m{i}" for i in range(sum(map(len, batches))))


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("anchored+archive+archive:k=2", "names 'archive' twice; one is enough"),
        ("anthropic+archive", "leaves the compaction to the endpoint"),
        ("anchored+archive:size=2", "size"),
    ],
)
def test_what_cannot_have_an_archive_is_refused(spec, why):
    assert why in refusal(spec)


WORDS = ("cache", "queue", "why", "45", "src", "the", "error")


@settings(max_examples=30)
@given(
    agent_logs(),
    st.integers(60, 600),
    st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join),
    st.integers(1, 8),
)
def test_a_search_adds_passages_of_the_archive_alone_and_leaves_no_trace(chat, budget, question, k):
    compactor, context = create(f"window+archive:k={k}"), context_of(budget)
    for _, outcome in cycles(compactor, [chat], context):
        plain = compactor.render(outcome.state, context).messages
        before = json.dumps(outcome.state)
        view = asked(compactor, outcome, context, question)
        assert [message for message in view if message.id != FOUND_ID] == list(plain)
        assert structure_faults(view) == structure_faults(plain) == []
        assert json.dumps(outcome.state) == before
        assert asked(compactor, outcome, context, question) == view
        held = {item["id"] for item in outcome.state["archive"]}
        for message in view:
            if message.id == FOUND_ID:
                lines = message.text.splitlines()
                origins = [line[1:].partition(",")[0] for line in lines if line[:2] == "[m"]
                assert 0 < len(origins) <= k
                assert held.issuperset(origins)


# What a run records of it


def fact(text, *evidence):
    return {"text": text, "evidence": list(evidence), "keys": [[text]]}


def archived_case(**changes):
    chat = [*session(12), user("Go on.")]
    data = case_data(
        budget=700,
        messages=[{"id": f"m{number}", **message} for number, message in enumerate(chat)],
        compaction_points=[{"id": "end", "after": f"m{len(chat) - 1}"}],
        probes=[
            {
                "id": "limit",
                "kind": "recall",
                "question": QUESTION,
                "facts": [fact("101", "m5"), fact("Go on", f"m{len(chat) - 1}")],
            },
            {
                "id": "never",
                "kind": "recall",
                "question": "Which retry limit did the reviewer of src/module_2.py veto?",
                "facts": [fact("7261", "m9")],
            },
        ],
    )
    return case_from_json(data | changes)


def test_a_fact_that_the_view_kept_is_not_counted_as_found():
    _, record = measured_case(archived_case(), create("truncate+archive:k=2"))["limit"]
    outcomes = [(each["unasked"], each["survived"]) for each in record["facts"]]
    assert outcomes == [(False, True), (True, True)]


def test_what_was_never_stated_stays_gone():
    _, record = measured_case(archived_case(), create("truncate+archive:k=50"))["never"]
    (never,) = record["facts"]
    assert (never["unasked"], never["survived"], never["loss"]) == (False, False, "dropped")


@pytest.mark.parametrize(
    ("spec", "probe", "recoverable", "proved"),
    [
        ("truncate+archive:k=2", "limit", [True, None], [True, None]),
        ("truncate+archive:k=50", "never", [False], [True]),
        ("rag", "limit", [None, None], [None, None]),
        ("truncate", "never", [False], [None]),
    ],
)
def test_what_a_search_found_is_proved_recoverable_and_what_it_did_not_is_gone(
    spec, probe, recoverable, proved
):
    _, record = measured_case(archived_case(), create(spec))[probe]
    assert [fact["recoverable"] for fact in record["facts"]] == recoverable
    assert [fact.get("proved") for fact in record["facts"]] == proved


def test_what_a_path_in_the_view_leads_to_is_gone_if_no_search_finds_it():
    chat = [*session(12), user("Go on.")]
    chat[3] = tool("c0", "wrote src/module_0.py, checksum 7b3f9d22")
    asked = {"id": "sum", "kind": "recall", "facts": [fact("7b3f9d22", "m3")]}
    case = archived_case(
        messages=[{"id": f"m{number}", **message} for number, message in enumerate(chat)],
        probes=[{**asked, "question": "Which one?"}],
    )

    def recoverable(spec):
        _, record = measured_case(case, create(spec))["sum"]
        return record["facts"][0]["recoverable"]

    assert recoverable("mask-observations") is True
    assert recoverable("mask-observations+archive") is False


def test_the_passages_are_charged_to_the_view_and_not_held_against_its_budget():
    alone, _ = measured_case(archived_case(), create("truncate"))["limit"]
    response, record = measured_case(archived_case(), create("truncate+archive:k=5"))["limit"]
    found = record["search"]["tokens"]
    assert record["tokens"]["view"] == response.view_tokens == alone.view_tokens + found
    assert response.view_tokens > response.budget
    assert record["search"]["apart"] is True
    assert not response.over_budget
    over, _ = measured_case(archived_case(), create("none+archive"))["limit"]
    assert over.over_budget


def test_a_strategy_that_sees_the_question_at_once_is_held_to_its_budget():
    _, record = measured_case(archived_case(), create("rag"))["limit"]
    assert record["search"]["apart"] is False
    assert 0 < record["search"]["tokens"] < record["tokens"]["view"] <= 700
    _, plain = measured_case(archived_case(), create("truncate"))["limit"]
    assert "search" not in plain
    assert "unasked" not in plain["facts"][0]


# By queries of a model


class Searching(SpyModel):
    """Writes these queries for each question."""

    name = "searching"

    def __init__(self, *queries):
        super().__init__()
        self.queries, self.read = queries, []

    async def answer(self, request):
        self.read.append(request)
        return AnswerReply("\n".join(self.queries))


def searched_by(model):
    context, compactor = context_of(700), create("truncate+archive:k=1:query=model")
    outcome, plain = compacted(compactor, session(12), context)
    asking = replace(context, model=model)
    view = asyncio.run(compactor.asked_view(outcome.state, asking, "What was the value?"))
    return view.messages, plain


def test_a_model_that_is_asked_reads_the_view_and_the_question_and_writes_the_query():
    model = Searching("please fix the retry limit", "", "module_1.py must be 101")
    view, plain = searched_by(model)
    assert "LIMIT = 101" in passages_in(view)
    (request,) = model.read
    assert request.view == plain
    assert request.question.endswith("Question: What was the value?")
    assert create("truncate+archive:query=model").traits.needs_model


def test_only_the_first_three_queries_are_searched_for():
    view, plain = searched_by(Searching("zzz", "yyy", "xxx", "limit in module_1.py"))
    assert view == plain


def test_a_model_that_needs_no_search_is_charged_for_none():
    view, plain = searched_by(Searching("NONE"))
    assert view == plain


def test_rules_write_no_query_and_search_by_the_question():
    compactor, context = create("truncate+archive:k=1:query=model"), context_of(700)
    outcome, _ = compacted(compactor, session(12), context)
    view = asyncio.run(compactor.asked_view(outcome.state, context, QUESTION))
    assert view.messages == asked(compactor, outcome, context)
    assert "module_1.py" in passages_in(view.messages)
