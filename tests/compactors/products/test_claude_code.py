"""``claude-code``: clearing first, then nine sections and files, and when it gives up."""

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
    AwayModel,
    SayingModel,
    SpyModel,
    compacted,
    ids,
    in_a_row,
    messages_of,
    observed,
    roles,
    view_of,
)

from pytest_compaction.compactors.base.product import NINE_SECTIONS, PLACEHOLDER
from pytest_compaction.compactors.products.claude_code import FILES_PREAMBLE, PREAMBLE, ClaudeCode


def reads(count, words=60):
    chat = [system(), user("Look at every module.")]
    for number in range(count):
        path = f"src/m{number}.py"
        chat.append(assistant(None, (f"c{number}", "read_file", {"path": path})))
        chat.append(tool(f"c{number}", f"value{number} " * words))
    return chat


def results(view):
    return [result.text for message in view for result in message.results]


def test_tool_results_but_the_newest_five_are_cleared_first_and_that_may_be_all():
    spy = SpyModel()
    chat = reads(8)
    outcome, view = compacted(ClaudeCode(), chat, context_of(900, model=spy))
    assert outcome.status == "compacted"
    assert spy.requests == []
    assert results(view)[:3] == [PLACEHOLDER] * 3
    assert results(view)[3:] == results(messages_of(chat))[3:]
    assert ids(view) == ids(messages_of(chat))


def test_otherwise_a_summary_in_nine_sections_follows_a_boundary():
    spy = SpyModel()
    outcome, view = compacted(ClaudeCode(files=0), reads(8), context_of(450, model=spy))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user"]
    assert view[1].text.startswith(PREAMBLE)
    assert len(NINE_SECTIONS) == 9
    for section in NINE_SECTIONS:
        assert f"## {section.title}" in view[1].text
    assert results(spy.requests[0].messages)[:3] == [PLACEHOLDER] * 3
    assert COUNTER.messages(view) <= 450


def test_the_focus_joins_the_users_instructions():
    spy = SpyModel()
    context = replace(context_of(450, model=spy), instructions="Be exact.")
    compacted(ClaudeCode(focus="the retry limit"), reads(8), context)
    assert spy.requests[0].instructions == "Be exact.\nthe retry limit"


def writes(count, words=20):
    chat = [system(), user("Write every module.")]
    for number in range(count):
        written = {"path": f"src/m{number}.py", "content": f"value{number} " * words}
        chat.append(assistant(None, (f"w{number}", "write_file", written)))
        chat.append(tool(f"w{number}", "written"))
    return chat


def test_five_files_modified_last_are_shown_again_newest_first_within_the_budget():
    chat = [*writes(8), user("why " * 300)]
    outcome, view = compacted(ClaudeCode(), chat, context_of(600, window=800))
    assert outcome.status == "compacted"
    assert roles(view) == ["system", "user", "user"]
    shown = view[2].text
    assert shown.startswith(FILES_PREAMBLE)
    assert [path for path in range(8) if f"`src/m{path}.py`" in shown] == [3, 4, 5, 6, 7]
    assert shown.index("src/m7.py") < shown.index("src/m3.py")
    assert COUNTER.messages(view) <= 600


def test_reading_a_file_neither_counts_as_modifying_it_nor_makes_it_newer():
    looked = reads(3)[2:]
    for path, id in (("src/own.py", "r"), ("src/m0.py", "s")):
        looked += [assistant(None, (id, "read_file", {"path": path})), tool(id, "x = 1\n")]
    chat = [*writes(6), *looked, user("why " * 1500)]
    _, view = compacted(ClaudeCode(), chat, context_of(1200))
    shown = view[2].text
    assert [path for path in range(6) if f"`src/m{path}.py`" in shown] == [1, 2, 3, 4, 5]
    assert "src/own.py" not in shown
    _, view = compacted(ClaudeCode(), [*reads(8), user("why " * 300)], context_of(600))
    assert roles(view) == ["system", "user"]


def test_the_summariser_reads_no_more_of_results_than_it_is_let():
    spy = SpyModel()
    context = context_of(450, model=spy)
    compacted(ClaudeCode(read_results=9, read_arguments=0), reads(8), context)
    read = spy.requests[0].messages
    assert results(read)[-1].startswith("value7 va [")
    assert {call.arguments for message in read for call in message.calls} == {"{}"}


def test_a_file_over_five_thousand_tokens_in_proportion_is_only_named():
    limit = 5_000 * 4_000 // 200_000
    chat = [
        system(),
        user("why " * 900),
        assistant(None, ("a", "write_file", {"path": "big.py", "content": "x " * (limit + 1)})),
        tool("a", "wrote big.py"),
        assistant(None, ("b", "write_file", {"path": "fit.py", "content": "x " * (limit - 1)})),
        tool("b", "wrote fit.py"),
    ]
    _, view = compacted(ClaudeCode(), chat, context_of(800, window=4_000))
    shown = view[2].text
    assert f"`fit.py`:\n```\n{'x ' * (limit - 1)}\n```" in shown
    assert "`big.py` (not shown" in shown
    assert shown.count("```") == 2


def test_files_are_shown_as_they_are_after_edits_and_forgotten_when_deleted():
    write = {"path": "a.py", "content": "LIMIT = 1\n"}
    edit = {"path": "a.py", "old_string": "LIMIT = 1", "new_string": "LIMIT = 2"}
    chat = [
        system(),
        assistant(None, ("w", "write_file", write)),
        tool("w", "wrote a.py"),
        assistant(None, ("x", "write_file", {"path": "gone.py", "content": "x = 1\n"})),
        tool("x", "wrote gone.py"),
        assistant(None, ("d", "bash", {"command": "rm gone.py"})),
        tool("d", ""),
        assistant(None, ("e", "edit_file", edit)),
        tool("e", "edited a.py"),
        user("why " * 900),
    ]
    _, view = compacted(ClaudeCode(), chat, context_of(600))
    assert "LIMIT = 2" in view[2].text
    assert "LIMIT = 1" not in view[2].text
    assert "gone.py" not in view[2].text


def test_an_edit_after_compaction_is_applied_to_the_file_that_was_shown():
    write = {"path": "a.py", "content": "LIMIT = 1\n"}
    edit = {"path": "a.py", "old_string": "LIMIT = 1", "new_string": "LIMIT = 2"}
    first = [
        system(),
        assistant(None, ("w", "write_file", write)),
        tool("w", "wrote a.py"),
        user("why " * 900),
    ]
    second = [
        assistant(None, ("e", "edit_file", edit)),
        tool("e", "edited a.py"),
        user("why " * 900),
    ]
    context = context_of(600)
    outcomes = list(in_a_row(ClaudeCode(), [first, second], context))
    shown = [view_of(ClaudeCode(), outcome, context)[2].text for outcome in outcomes]
    assert "LIMIT = 1" in shown[0]
    assert "LIMIT = 2" in shown[1]
    assert "LIMIT = 1" not in shown[1]


def test_what_the_model_thought_aloud_is_cut_off():
    model = SayingModel("<analysis>first I look", "at src/x.py</analysis>", "Port is 8443.")
    _, view = compacted(ClaudeCode(), reads(8), context_of(450, model=model))
    assert "- Port is 8443." in view[1].text
    assert "first I look" not in view[1].text
    assert "at src/x.py" not in view[1].text


def test_a_reply_of_nothing_but_analysis_is_a_failure():
    model = SayingModel("<analysis>hm", "and more")
    outcome, view = compacted(ClaudeCode(), reads(8), context_of(450, model=model))
    assert outcome.status == "failed"
    assert "nothing but reasoning" in outcome.error
    assert view == messages_of(reads(8))


def test_three_failures_in_a_row_stop_it_and_a_success_starts_anew():
    compactor = ClaudeCode()
    away = context_of(450, window=500, model=AwayModel())
    state = observed(compactor, reads(8), away)
    for failures in range(1, 4):
        assert compactor.due(state, away) is not None
        outcome = compact_now(compactor, state, away)
        assert outcome.status == "failed"
        assert outcome.state == {**state, "failures": failures}
        state = outcome.state
    assert compactor.due(state, away) is None
    there = context_of(450, window=500)
    outcome = compact_now(compactor, state, there)
    assert outcome.status == "compacted"
    assert outcome.state["failures"] == 0
    again = observed(compactor, reads(8)[1:], there, outcome.state, 50)
    assert compactor.due(again, there) is not None


def test_it_waits_for_a_pending_call():
    chat = [*session(6), assistant("look", ("open", "bash", {}))]
    outcome, view = compacted(ClaudeCode(), chat, context_of(450))
    assert outcome.status == "failed"
    assert "still without result" in outcome.error
    assert view == messages_of(chat)


def test_clearing_goes_on_while_a_call_is_pending():
    chat = [*reads(8), assistant("look", ("open", "bash", {}))]
    outcome, view = compacted(ClaudeCode(), chat, context_of(900))
    assert outcome.status == "compacted"
    assert view[-1] == messages_of(chat)[-1]


def test_the_earlier_summary_is_read_as_conversation_and_replaced():
    spy = SpyModel()
    context = context_of(500, model=spy)
    batches = [session(5), session(5)[1:], session(5)[1:]]
    outcomes = list(in_a_row(ClaudeCode(), batches, context))
    for number, outcome in enumerate(outcomes, 1):
        view = view_of(ClaudeCode(), outcome, context)
        assert ids(view)[1:] == [f"claude-code-summary-{number}", f"claude-code-files-{number}"]
        assert view[1].text.count(PREAMBLE) == 1
    assert ids(spy.requests[1].messages)[0] == "claude-code-summary-1"
    assert PREAMBLE not in spy.requests[1].messages[0].text
