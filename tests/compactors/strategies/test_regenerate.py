"""``regenerate``: one summary of the whole view, written anew at each compaction."""

from support.builders import COUNTER, assistant, compact_now, context_of, session
from support.compacting import SpyModel, batched, in_a_row, observed, view_of

from pytest_compaction.compactors.strategies.anchored import REPLACED, Regenerate


def test_regenerate_writes_one_summary_from_the_whole_view_and_never_merges():
    spy = SpyModel()
    compactor, context = Regenerate(), context_of(500, model=spy)
    views = [
        view_of(compactor, outcome, context)
        for outcome in in_a_row(compactor, batched(session(9), 3), context)
    ]
    assert len(spy.requests) == len(views) >= 3
    assert all(request.previous is None for request in spy.requests)
    for number, view in enumerate(views, start=1):
        assert [message.origin for message in view] == ["log", "synthetic"]
        assert view[0].role == "system"
        assert view[1].id == f"summary-{number}"
        assert COUNTER.messages(view) <= 500
    for view, request in zip(views, spy.requests[1:], strict=False):
        read = request.messages[0]
        assert (read.id, read.origin) == (view[1].id, "synthetic")
        assert view[1].text == f"{REPLACED}\n\n{read.text}"


def test_regenerate_waits_for_a_pending_call():
    chat = [*session(3), assistant("look", ("open", "bash", {}))]
    compactor, context = Regenerate(), context_of(200)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "failed"
    assert "still without result" in outcome.error
    assert outcome.state == state
