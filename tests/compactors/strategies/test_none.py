"""``none``: the control that keeps everything."""

from hypothesis import given
from hypothesis import strategies as st
from support.builders import agent_logs, compact_now, context_of
from support.compacting import observed, view_of

from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.conversation.formats.chat import from_chat


@given(agent_logs(pending=True), st.sampled_from([20, 120, 300, 800]))
def test_the_control_keeps_everything_and_is_never_due(chat, budget):
    compactor, context = NoCompaction(), context_of(budget, window=1)
    state = observed(compactor, chat, context)
    outcome = compact_now(compactor, state, context)
    assert outcome.status == "noop"
    assert view_of(compactor, outcome, context) == from_chat(chat)
    assert compactor.due(state, context) is None
