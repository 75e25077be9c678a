"""``deepagents``: long arguments first, then a summary that is written from all of the log."""

from support.builders import COUNTER, assistant, context_of, session, system, tool, user
from support.compacting import SpyModel, compacted, ids, in_a_row, messages_of, view_of

from pytest_compaction.compactors.products.langchain import CUT, OFFLOADED, DeepAgents
from pytest_compaction.conversation.messages import structure_faults


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


def test_an_earlier_summary_is_read_without_its_preamble_and_replaced():
    spy = SpyModel()
    context = context_of(900, window=20_000, model=spy)
    outcomes = list(in_a_row(DeepAgents(), [session(8), session(8)[1:]], context))
    first = spy.requests[1].messages[0]
    assert first.id == "deepagents-summary-1"
    assert OFFLOADED not in first.text
    view = view_of(DeepAgents(), outcomes[1], context)
    assert [m.id for m in view if m.origin == "synthetic"] == ["deepagents-summary-2"]


def test_it_is_due_at_85_hundredths_of_the_window():
    chat = session(6)
    used = COUNTER.messages(messages_of(chat))
    compactor = DeepAgents()
    state = compactor.observe(compactor.start(), messages_of(chat), context_of())
    said = COUNTER.messages(messages_of(chat)[1:])
    assert said < used
    assert compactor.due(state, context_of(window=int(said / 0.85))) is not None
    assert compactor.due(state, context_of(window=int(said / 0.85) + 5)) is None
