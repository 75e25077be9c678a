"""``cline``: repeated reads, the arithmetic of the removal, and the two ways with a summary."""

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
    AwayModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    talk,
    tokens,
    view_of,
)

from pytest_compaction.compactors.base.duplicate_reads import superseded_reads
from pytest_compaction.compactors.products.cline.modes import (
    NOTICE,
    allowed,
    files_section,
    first_pair_end,
    removed,
    sides,
    turn_cut,
)
from pytest_compaction.compactors.products.cline.strategy import (
    AGENTIC,
    CONDENSED,
    FIRST_REQUEST_CHARACTERS,
    SUMMARY_ID,
    Cline,
)
from pytest_compaction.conversation.messages import structure_faults

SOURCE = "\n".join(f"value_{i} = compute(value_{i - 1}, {i})" for i in range(60))


def read(id, path="src/a.py", **more):
    return [assistant(None, (id, "read_file", {"path": path, **more})), tool(id, SOURCE)]


def noted(view):
    return [m.id for m in view if any("was read again" in r.text for r in m.results)]


# --- classic: the limit ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("window", "limit"),
    [
        (64_000, 37_000),
        (128_000, 98_000),
        (200_000, 160_000),
        (32_000, 25_600),
        (100_000, 80_000),
        (300_000, 260_000),
        (1_000_000, 960_000),
    ],
)
def test_the_limit_of_a_window_is_the_products(window, limit):
    assert allowed(window) == limit


def test_it_is_due_at_the_limit():
    used = tokens(talk(20))
    for mode, share in (("classic", 0.8), ("auto-condense", 0.8), ("agentic", 0.81)):
        compactor = Cline(mode)
        for window, due in ((int(used / share), True), (int(used / share) + 3, False)):
            context = context_of(window=window)
            said = compactor.due(observed(compactor, talk(20), context), context)
            assert (said is not None) is due


# --- classic: repeated reads -----------------------------------------------------------


def test_all_but_the_latest_read_of_a_file_give_way_to_a_note():
    chat = [system(), user("go"), *read("1"), *read("2", "src/b.py"), *read("3"), *read("4")]
    outcome, view = compacted(Cline(), chat, context_of(tokens(chat) - 1))
    assert outcome.status == "compacted"
    assert noted(view) == ["m3", "m7"]
    assert view[3].results[0].text == "[src/a.py was read again further down; see there]"
    assert view[5].results[0].text == view[9].results[0].text == SOURCE
    assert ids(view) == ids(messages_of(chat))


def test_only_the_same_read_counts_and_a_failed_or_shell_read_does_not():
    other = read("2", start=1, end=10)
    failed = [
        assistant(None, ("3", "read_file", {"path": "src/a.py"})),
        tool("3", "no", is_error=True),
    ]
    shell = [assistant(None, ("4", "bash", {"command": "cat src/a.py"})), tool("4", SOURCE)] * 2
    messages = messages_of([user("go"), *read("1"), *other, *failed, *shell])
    assert superseded_reads(messages) == {}
    messages = messages_of([user("go"), *read("1"), *other, *failed, *shell, *read("5")])
    assert superseded_reads(messages) == {"1": "src/a.py"}


@pytest.mark.parametrize(("filler", "shortened"), [(300, False), (6000, True)])
def test_thirty_percent_saved_is_enough(filler, shortened):
    chat = [*talk(8), user("go"), *read("1"), assistant("x" * filler), user("again"), *read("2")]
    outcome, view = compacted(Cline(), chat, context_of(tokens(chat) - 1))
    assert (len(view) < len(chat)) is shortened
    assert outcome.status == ("truncated" if shortened else "compacted")


# --- classic: the removal --------------------------------------------------------------


@pytest.mark.parametrize(
    ("count", "half", "quarter"),
    [
        (2, 0, 0),
        (4, 0, 0),
        (5, 0, 2),
        (6, 2, 2),
        (7, 2, 2),
        (8, 2, 4),
        (10, 4, 6),
        (11, 4, 6),
        (18, 8, 12),
    ],
)
def test_an_even_number_after_the_first_pair_is_removed(count, half, quarter):
    messages = messages_of(talk(count))
    for wanted, is_quarter in ((half, False), (quarter, True)):
        begin, end = removed(messages, is_quarter)
        assert end - begin == wanted
        if wanted:
            assert begin == 3
            assert messages[end - 1].role == "assistant"


def test_the_first_pair_and_the_newest_half_stay_with_a_notice_in_the_first_answer():
    chat = talk(18)
    outcome, view = compacted(Cline(), chat, context_of(tokens(chat) - 1))
    assert outcome.status == "truncated"
    assert ids(view) == ["m0", "m1", "m2", *(f"m{i}" for i in range(11, 19))]
    assert view[2].text == NOTICE
    assert view[1] == messages_of(chat)[1]
    fates = [(span.fate, len(span.ids)) for span in outcome.spans]
    assert fates == [("kept", 2), ("masked", 1), ("dropped", 8), ("kept", 8)]


def test_three_quarters_go_where_half_of_the_tokens_would_be_too_many():
    chat = talk(18)
    used = tokens(chat)
    _, view = compacted(Cline(), chat, context_of(used // 2 + 1))
    assert len(view) == 3 + 8
    _, view = compacted(Cline(), chat, context_of((used - 1) // 2))
    assert len(view) == 3 + 4


def test_what_one_side_says_in_a_row_counts_once_and_results_are_the_users():
    chat = [
        system(),
        user("go"),
        user("please"),
        assistant("first"),
        assistant(None, ("a", "bash", {}), ("b", "bash", {})),
        tool("a"),
        tool("b"),
        user("and?"),
        assistant("done"),
    ]
    assert sides(messages_of(chat)) == [(1, 3), (3, 5), (5, 8), (8, 9)]
    assert first_pair_end(messages_of(chat)) == 7


def test_no_result_loses_its_call_at_either_end():
    chat = [system(), user("go")]
    for number in range(12):
        chat += [
            assistant(f"step {number}", (f"c{number}", "bash", {})),
            tool(f"c{number}", SOURCE),
        ]
    for budget in (tokens(chat) - 1, 200):
        _, view = compacted(Cline(), chat, context_of(budget))
        assert structure_faults(view) == []
        assert view[:2] == messages_of(chat)[:2]
        assert view[2].calls == messages_of(chat)[2].calls
        assert len(view) < len(chat)


def test_the_next_step_starts_from_the_view_and_the_notice_is_put_once():
    context = context_of(700, window=2000)
    first, second = in_a_row(Cline(), [talk(18), talk(10)[1:]], context)
    view = view_of(Cline(), second, context)
    assert [m.text for m in view].count(NOTICE) == 1
    assert view[2].text == NOTICE
    assert (first.status, second.status) == ("truncated", "truncated")


def test_the_faithful_step_may_stay_over_the_budget_and_the_hardened_profile_goes_on():
    chat = [*talk(18), user("now"), assistant("word " * 900)]
    faithful, hardened = Cline(), Cline(profile="hardened")
    _, view = compacted(faithful, chat, context_of(1100))
    assert COUNTER.messages(view) > 1100
    assert set(faithful.traits.violations) == {
        "within-budget",
        "never-larger",
        "progress-or-stop",
    }
    _, view = compacted(hardened, chat, context_of(1100))
    assert COUNTER.messages(view) <= 1100
    assert hardened.traits.violations == {}


# --- auto-condense ---------------------------------------------------------------------


def test_auto_condense_keeps_the_first_pair_and_a_summary_in_nine_sections():
    chat = session(6)
    outcome, view = compacted(Cline("auto-condense"), chat, context_of(1200))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "m1", "m2", "m3", f"{SUMMARY_ID}-1"]
    assert roles(view)[-1] == "user"
    assert view[-1].text.startswith(CONDENSED)
    assert view[-1].text.count("## ") == 9
    assert "## Task evolution" in view[-1].text
    assert "## Required files" in view[-1].text


def test_auto_condense_reads_the_earlier_summary_and_has_one_at_a_time():
    spy = SpyModel()
    context = context_of(1000, model=spy)
    outcomes = list(in_a_row(Cline("auto-condense"), [session(6), session(6)[1:]], context))
    view = view_of(Cline("auto-condense"), outcomes[-1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == [f"{SUMMARY_ID}-2"]
    assert f"{SUMMARY_ID}-1" in ids(spy.requests[1].messages)


def test_auto_condense_cuts_a_huge_first_request():
    chat = [system(), user("word " * 100_000), assistant("yes"), *talk(8)[1:]]
    _, view = compacted(Cline("auto-condense"), chat, context_of(90_000, window=500_000))
    assert len(view[1].text) == FIRST_REQUEST_CHARACTERS


def test_auto_condense_waits_for_a_call_and_survives_a_model_that_is_away():
    chat = [*session(4), assistant("look", ("open", "bash", {}))]
    compactor = Cline("auto-condense")
    outcome, view = compacted(compactor, chat, context_of(500))
    assert outcome.status == "failed"
    assert "still without result" in outcome.error
    assert view == messages_of(chat)
    hardened = Cline("auto-condense", profile="hardened")
    _, view = compacted(hardened, chat, context_of(500))
    assert view[-1] == messages_of(chat)[-1]
    context = context_of(500, model=AwayModel())
    state = observed(compactor, session(4), context)
    assert compact_now(compactor, state, context).state == state


def test_auto_condense_hardened_fits_the_budget_and_keeps_the_last_request():
    chat = [system(), user("go"), *read("1"), *session(6)[1:], user("And now the docs.")]
    faithful, hardened = Cline("auto-condense"), Cline("auto-condense", profile="hardened")
    _, view = compacted(faithful, chat, context_of(600))
    assert COUNTER.messages(view) > 600
    assert "And now the docs." not in [m.text for m in view]
    _, view = compacted(hardened, chat, context_of(600))
    assert COUNTER.messages(view) <= 600
    assert "And now the docs." in [m.text for m in view]
    assert hardened.traits.keeps_tail
    assert not faithful.traits.keeps_tail


# --- agentic ---------------------------------------------------------------------------


def test_the_cut_is_at_a_turn_and_never_after_the_last_one():
    messages = messages_of([*talk(8)[1:], assistant("work " * 100), assistant("work " * 100)])
    context = context_of()
    last = COUNTER.messages(messages[6:])
    assert turn_cut(messages, 1, context) == 6
    assert turn_cut(messages, last, context) == 6
    assert turn_cut(messages, last + 1, context) == 4
    assert turn_cut(messages, 10**6, context) == 0
    assert turn_cut(messages_of([assistant("a"), assistant("b")]), 1, context) == 0


def test_agentic_keeps_the_newest_turns_and_collects_the_files_itself():
    chat = [*session(3), user("Look."), *read("r", "docs/notes.md"), *session(9)[13:]]
    model = SayingModel("mend the queue")
    context = context_of(1500, window=20_000, model=model)
    outcome, view = compacted(Cline("agentic"), chat, context)
    assert outcome.status == "compacted"
    assert view[1].id == SUMMARY_ID
    assert view[2].role == "user"
    assert COUNTER.messages(view[2:]) <= 2000 + tokens(session(1)[1:])
    text = view[1].text
    assert text.startswith(AGENTIC)
    assert "## Goal\n- mend the queue" in text
    assert "Edited: `src/module_0.py`, `src/module_1.py`" in text
    assert "Read: `docs/notes.md`" in text


def test_agentic_summarises_only_the_new_span_into_the_previous_summary():
    spy = SpyModel()
    context = context_of(1200, window=10_000, model=spy)
    batches = [session(10), session(14)[41:], session(18)[57:]]
    outcomes = list(in_a_row(Cline("agentic"), batches, context))
    assert [outcome.status for outcome in outcomes] == ["compacted"] * 3
    asked = [id for request in spy.requests for id in ids(request.messages)]
    assert len(asked) == len(set(asked))
    assert SUMMARY_ID not in asked
    assert spy.requests[0].previous is None
    for request, outcome in zip(spy.requests[1:], outcomes, strict=False):
        assert request.previous.as_json() == outcome.state["summary"]
    files = outcomes[-1].state["files"]["edited"]
    assert "src/module_0.py" in files
    assert files == sorted(files)


def test_agentic_asks_for_no_more_than_4096_tokens_of_200000():
    spy = SpyModel()
    context = context_of(9_000, window=20_000, model=spy)
    compacted(Cline("agentic"), session(60), context)
    assert spy.requests[0].budget < 409
    listed = files_section({"read": [], "edited": [f"f{i}.py" for i in range(9)]}, 30, context)
    assert COUNTER.text(listed) <= 30
    assert "`f0.py`" in listed
    assert "`f8.py`" not in listed
    both = {"read": [f"r{i}.py" for i in range(9)], "edited": ["e.py", "f.py"]}
    listed = files_section(both, 40, context)
    assert "Edited: `e.py`, `f.py`" in listed
    assert "`r8.py`" not in listed
    assert files_section({"read": ["a"], "edited": ["b"]}, 1, context) == ""


def test_agentic_without_a_turn_to_cut_at_does_nothing_unless_it_is_hardened():
    work = [m for i in range(8) for m in read(f"c{i}", f"src/f{i}.py")]
    chat = [system(), user("The queue must keep its lease for 45 seconds."), *work]
    context = context_of(2500, window=100_000, model=SayingModel("read the files"))
    outcome, _ = compacted(Cline("agentic"), chat, context)
    assert outcome.status == "noop"
    outcome, view = compacted(Cline("agentic", profile="hardened"), chat, context)
    assert outcome.status == "compacted"
    assert COUNTER.messages(view) <= 2500
    assert messages_of(chat)[1] in view


def test_agentic_leaves_the_history_where_the_summary_is_empty():
    context = context_of(1200, window=10_000, model=SayingModel())
    compactor = Cline("agentic")
    state = observed(compactor, session(10), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "empty" in outcome.error


def test_an_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="mode=modern must be one of classic, auto-condense"):
        Cline("modern")
