"""``cline:mode=auto-condense``: the first pair stays, with a summary in nine sections."""

from support.builders import (
    COUNTER,
    assistant,
    compact_now,
    context_of,
    session,
    system,
    user,
)
from support.cline import file_read
from support.compacting import (
    AwayModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    talk,
    view_of,
)

from pytest_compaction.compactors.products.cline.modes import (
    FIRST_REQUEST_CHARACTERS,
)
from pytest_compaction.compactors.products.cline.strategy import (
    CONDENSED,
    SUMMARY_ID,
    Cline,
)


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
    chat = [system(), user("go"), *file_read("1"), *session(6)[1:], user("And now the docs.")]
    faithful, hardened = Cline("auto-condense"), Cline("auto-condense", profile="hardened")
    _, view = compacted(faithful, chat, context_of(600))
    assert COUNTER.messages(view) > 600
    assert "And now the docs." not in [m.text for m in view]
    _, view = compacted(hardened, chat, context_of(600))
    assert COUNTER.messages(view) <= 600
    assert "And now the docs." in [m.text for m in view]
    assert hardened.traits.keeps_tail
    assert not faithful.traits.keeps_tail
