"""``kimi-cli``: what stays, what the summariser is shown, and when it is due."""

from support.builders import COUNTER, assistant, context_of, session, tool, user
from support.compacting import (
    SpyModel,
    compacted,
    ids,
    messages_of,
)

from pytest_compaction.compactors.products.kimi_cli import PREAMBLE, SECTIONS, KimiCli, kept_from
from pytest_compaction.conversation import pending_calls

CALL = [assistant(None, ("x", "bash", {"command": "make"})), tool("x", "made it")]


def test_the_last_two_messages_of_user_and_assistant_stay_with_their_results():
    chat = [*session(5), user("Build it."), *CALL]
    outcome, view = compacted(KimiCli(), chat, context_of(600))
    assert outcome.status == "compacted"
    assert ids(view) == ["m0", "kimi-cli-summary-1", "m21", "m22", "m23"]
    assert view[1].text.startswith(PREAMBLE)
    for section in SECTIONS:
        assert view[1].text.count(f"<{section.id}>") == view[1].text.count(f"</{section.id}>") == 1
    assert COUNTER.messages(view) <= 600


def test_results_do_not_count_as_messages():
    messages = messages_of([user("a"), *CALL, *CALL[1:], assistant("b")])
    assert [kept_from(messages, count) for count in (1, 2, 3, 4)] == [4, 1, 0, 0]


def test_an_open_call_is_one_of_the_last_messages():
    chat = [*session(5), assistant("looking", ("open", "bash", {}))]
    _, view = compacted(KimiCli(), chat, context_of(600))
    assert pending_calls(view) == ("open",)


def test_the_summariser_reads_texts_and_results_and_no_calls():
    spy = SpyModel()
    compacted(KimiCli(), session(5), context_of(600, model=spy))
    read = spy.requests[0].messages
    assert not any(message.calls for message in read)
    assert any(message.results for message in read)
    assert "LIMIT = 100" not in str(read)
    compacted(KimiCli(calls=True), session(5), context_of(600, model=spy))
    assert "LIMIT = 100" in str(spy.requests[1].messages)


def test_keeps_two_messages_over_the_budget():
    chat = [*session(4), user("Look."), assistant("long " * 900)]
    _, view = compacted(KimiCli(), chat, context_of(600))
    assert ids(view)[2:] == ["m17", "m18"]
    assert COUNTER.messages(view) > 600
