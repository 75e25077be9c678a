"""``anthropic``: the endpoint compacts; losses and constants of what the client did before."""

from dataclasses import replace

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

from pytest_compaction.compactors.base.product import PLACEHOLDER
from pytest_compaction.compactors.products.anthropic import SECTIONS, Anthropic
from pytest_compaction.conversation import pending_calls
from pytest_compaction.conversation.formats.chat import message_to_chat


def test_the_view_becomes_one_user_message_with_the_summary_in_its_tag():
    outcome, view = compacted(Anthropic(mode="client"), session(6), context_of(500))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    assert view[1].origin == "synthetic"
    assert view[1].text.startswith("<summary>\n")
    assert view[1].text.endswith("\n</summary>")
    for section in SECTIONS:
        assert f"## {section.title}" in view[1].text
    assert COUNTER.messages(view) <= 500


def test_without_an_endpoint_that_compacts_the_default_fails_with_what_to_do():
    outcome, view = compacted(Anthropic(), session(6), context_of(500))
    assert (outcome.status, view) == ("failed", messages_of(session(6)))
    assert "use mode=client" in outcome.error


def test_the_summariser_reads_neither_the_system_prompt_nor_the_reply_that_set_it_off():
    spy = SpyModel()
    chat = session(6)
    outcome, _ = compacted(Anthropic(mode="client"), chat, context_of(500, model=spy))
    assert ids(spy.requests[0].messages) == [f"m{i}" for i in range(1, len(chat) - 1)]
    assert spy.requests[0].previous is None
    assert [(span.fate, len(span.ids)) for span in outcome.spans] == [
        ("kept", 1),
        ("replaced", len(chat) - 2),
        ("dropped", 1),
    ]


def test_tool_results_at_the_end_are_part_of_the_summary():
    spy = SpyModel()
    chat = session(6)[:-1]
    compacted(Anthropic(mode="client"), chat, context_of(500, model=spy))
    assert ids(spy.requests[0].messages)[-1] == f"m{len(chat) - 1}"


def test_the_threshold_can_be_set():
    compactor, context = Anthropic(mode="client", threshold=20_000), context_of(window=2000)
    assert compactor.due(observed(compactor, [user("word " * 150)], context), context) is None
    assert compactor.due(observed(compactor, [user("word " * 250)], context), context)


def test_a_model_without_request_parameters_cannot_leave_it_to_a_server():
    compactor, context = Anthropic(mode="server"), context_of(500)
    state = observed(compactor, session(6), context)
    outcome = compact_now(compactor, state, context)
    assert (outcome.status, outcome.state) == ("failed", state)
    assert "the model offline takes no request parameters" in outcome.error
    assert "use mode=client" in outcome.error


def test_only_the_server_is_sent_parameters():
    context = context_of(window=200_000)
    for compactor in (Anthropic(mode="client"), Anthropic(mode="client", clear=3)):
        assert compactor.render(compactor.start(), context).parameters == {}
        assert not compactor.traits.by_server
    served = Anthropic(mode="server")
    assert served.traits.by_server
    assert not served.traits.violations
    assert served.render(served.start(), context).parameters == {
        "context_management": {
            "edits": [
                {
                    "type": "compact_20260112",
                    "trigger": {"type": "input_tokens", "value": 150_000},
                }
            ]
        }
    }
    told = replace(context, instructions="keep the port")
    [edit] = served.render(served.start(), told).parameters["context_management"]["edits"]
    assert edit["instructions"] == "keep the port"
    assert served.takes_instruction and not Anthropic(mode="client").takes_instruction


# --- clearing tool uses --------------------------------------------------------------


def tool_log(names=("bash",) * 6):
    chat = [system(), user("List everything.")]
    for number, name in enumerate(names):
        chat.append(assistant(None, (f"c{number}", name, {"command": f"ls {number}"})))
        chat.append(tool(f"c{number}", f"file{number} " * 60))
    return chat


def results(view):
    return [result.text for message in view for result in message.results]


def test_clearing_keeps_the_newest_tool_uses_and_writes_no_summary_if_that_suffices():
    spy = SpyModel()
    outcome, view = compacted(
        Anthropic(mode="client", clear=3), tool_log(), context_of(600, model=spy)
    )
    assert outcome.status == "compacted"
    assert spy.requests == []
    assert results(view)[:3] == [PLACEHOLDER] * 3
    assert results(view)[3:] == [f"file{i} " * 60 for i in (3, 4, 5)]
    assert [message.calls for message in view] == [m.calls for m in messages_of(tool_log())]
    assert {span.fate for span in outcome.spans} == {"kept", "masked"}


def test_a_summary_is_written_from_the_cleared_view_where_clearing_does_not_suffice():
    spy = SpyModel()
    outcome, view = compacted(
        Anthropic(mode="client", clear=3), tool_log(), context_of(300, model=spy)
    )
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    assert results(spy.requests[0].messages)[:3] == [PLACEHOLDER] * 3


def test_nothing_is_cleared_in_a_message_of_which_a_call_still_waits():
    calls = [("done", "bash", {"command": "ls " * 60}), ("open", "bash", {"command": "make"})]
    chat = [*tool_log(), assistant(None, *calls), tool("done", "a long listing " * 20)]
    compactor = Anthropic(mode="client", clear=0)
    outcome, view = compacted(compactor, chat, context_of(tokens(chat) - 100))
    assert outcome.status == "compacted"
    assert results(view)[:6] == [PLACEHOLDER] * 6
    assert view[-2:] == messages_of(chat)[-2:]
    assert pending_calls(view) == ("open",)


def test_clearing_is_due_at_its_own_trigger_while_there_is_something_to_clear():
    context = context_of(window=200_000)
    used = tokens(tool_log())
    compactor = Anthropic(mode="client", clear=3, clear_trigger=used)
    state = observed(compactor, tool_log(), context)
    assert "clearing tool uses" in compactor.due(state, context)
    assert Anthropic(mode="client", clear=3, clear_trigger=used + 1).due(state, context) is None
    assert Anthropic(mode="client", clear=6, clear_trigger=used).due(state, context) is None
    assert Anthropic(mode="client").due(state, context) is None


def test_a_cleared_view_is_the_log_but_for_its_placeholders():
    _, view = compacted(Anthropic(mode="client", clear=3), tool_log(), context_of(600))
    for message, said in zip(view, messages_of(tool_log()), strict=True):
        shown = message_to_chat(message)
        if shown["content"] == PLACEHOLDER:
            shown["content"] = message_to_chat(said)["content"]
        assert shown == message_to_chat(said)
