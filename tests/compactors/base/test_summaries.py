"""Replies that are not summaries: the prompt again, a tool call, mere reasoning.

What a summariser may read: texts, results and arguments up to a number of characters.
"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, assistant, context_of, session, tool, user
from support.compacting import messages_of

from pytest_compaction.compactors.base.summaries import (
    NO_LIMITS,
    ReadLimits,
    beginning,
    mistaken_for,
    read_limits,
    write_summary,
)
from pytest_compaction.compactors.composition import ELSEWHERE
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.conversation import readable, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.models import OfflineModel, Summary, SummaryReply, packaged_prompt
from pytest_compaction.models.chat.summary import sections_of

CALL = {"name": "bash", "arguments": {"command": "pytest -q"}}
OPENAI = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
ASKED = "\n".join(f"## {section.title}\n{section.asks}" for section in SECTIONS)
TEMPLATE = packaged_prompt("summarize").user

PROMPTS = [
    ASKED,
    ASKED.upper(),
    ASKED.replace("##", "#").replace(".", ""),
    " ".join(packaged_prompt("summarize").system.split()),
    "\n".join([*TEMPLATE.split("\n\n")[:1], ASKED, TEMPLATE.split("\n\n")[2]]),
    f"{ASKED}\n- the limit is 45",
]
CALLS = [
    json.dumps(CALL),
    json.dumps([CALL, CALL]),
    json.dumps({"tool_calls": [OPENAI]}),
    json.dumps(OPENAI, indent=2),
    f"```json\n{json.dumps(CALL, indent=2)}\n```",
    f"{json.dumps(CALL)}\n{json.dumps(CALL)}",
    f"Let me look. {json.dumps(CALL)}",
    json.dumps({"type": "tool_use", "id": "t1", "name": "bash", "input": {"command": "ls"}}),
    '<tool_call>{"name": "bash", "arguments": {}}</tool_call>',
    '<function_calls>\n<invoke name="bash">\n</invoke>\n</function_calls>',
]
REASONINGS = [
    "<think>The user wants a summary.",
    "<thinking>\nFirst the files.\n\nThen the tests.\n</thinking>",
    "<analysis>What matters here?</analysis>",
]
SUMMARIES = [
    "- the limit in src/queue.py was raised from 30 to 45",
    "## Decisions made\n- What was decided: stay with SQLite, because the log is small",
    f"<think>First the files.</think>\n- {SECTIONS[0].title}: raise the limit",
    f"- the user pasted our prompt: “{SECTIONS[0].asks}”; it is to say which files were read "
    "as well, and the tests in tests/test_prompt.py are to cover that before Friday",
    f"- the request that fails is {json.dumps(CALL)}; the server wants the arguments as a string, "
    "so client.py must encode them with json.dumps before the call, and the tests say so too",
    '- the settings are now {"name": "queue", "limit": 45, "retries": 3}',
    "- yes",
]


def noted(text):
    """The reply as a model behind an endpoint passes it on."""
    return sections_of(text, SECTIONS)


@pytest.mark.parametrize("text", PROMPTS)
def test_a_copy_of_the_prompt_is_no_summary(text):
    assert mistaken_for(noted(text), SECTIONS) == "the instructions to summarise"


@pytest.mark.parametrize("text", CALLS)
def test_a_tool_call_is_no_summary(text):
    assert mistaken_for(noted(text), SECTIONS) == "a tool call"


@pytest.mark.parametrize("text", REASONINGS)
def test_reasoning_alone_is_no_summary(text):
    assert mistaken_for(noted(text), SECTIONS) == "nothing but reasoning"


@pytest.mark.parametrize("text", SUMMARIES)
def test_a_summary_may_quote_a_prompt_and_a_call(text):
    assert mistaken_for(noted(text), SECTIONS) is None


def test_what_stands_for_sections_that_are_kept_elsewhere_counts_for_nothing():
    asked = Summary(tuple((s.id, (s.asks,)) for s in SECTIONS[:1]))
    covered = Summary((*asked.entries, *((s.id, (ELSEWHERE,)) for s in SECTIONS[1:])))
    assert mistaken_for(covered, SECTIONS) == "the instructions to summarise"
    assert mistaken_for(Summary(()), SECTIONS) is None


class Reciting(OfflineModel):
    """Returns the reply that it was given."""

    async def summarize(self, request):
        return SummaryReply(Summary(tuple((s.id, (s.asks,)) for s in request.sections)))


def written(**more):
    context = context_of(900, model=Reciting(COUNTER))
    call = write_summary(context, from_chat(session(4)), SECTIONS, 300, **more)
    try:
        call.send(None)
    except StopIteration as stop:
        return stop.value
    raise AssertionError("the model waited for something")


def test_such_a_reply_is_a_failed_summary_and_the_model_was_there():
    found = written()
    assert found.error == "the summary came back as the instructions to summarise, not as a summary"
    assert (found.text, found.raised) == ("", False)


def test_it_is_taken_as_written_where_the_original_takes_anything():
    found = written(as_written=True)
    assert found.error is None
    assert SECTIONS[0].asks in found.text


WROTE = {"path": "src/lease.py", "content": "LEASE = 45\n" * 40}
CHAT = [
    user("Keep the lease. " * 40),
    assistant("I write it. " * 40, ("c", "write_file", WROTE)),
    tool("c", "written " * 100),
]


def read(**limits):
    return ReadLimits(**limits).applied(messages_of(CHAT))


def test_without_limits_everything_is_read():
    assert NO_LIMITS.applied(messages_of(CHAT)) == messages_of(CHAT)
    assert read_limits("all", "all", "all") == NO_LIMITS


def test_a_result_keeps_its_beginning_and_says_how_much_is_missing():
    asked, called, result = read(results=20)
    assert result.results[0].text == "written written writ [780 more characters]"
    assert (asked, called) == messages_of(CHAT)[:2]


def test_with_no_arguments_only_the_name_of_the_tool_is_read():
    _, called, _ = read(arguments=0)
    assert "write_file" in readable(called)
    assert "src/lease.py" not in readable(called)
    assert "LEASE" not in readable(called)


def test_short_arguments_are_read_and_long_ones_are_cut():
    _, called, _ = read(arguments=60)
    assert called.calls[0].parsed()["path"] == "src/lease.py"
    assert len(called.calls[0].parsed()["content"]) < 100


def test_the_texts_of_one_message_share_a_limit():
    said = [{"type": "text", "text": word * 30} for word in "ab"]
    (message,) = ReadLimits(texts=40).applied(messages_of([user(said)]))
    assert message.text.startswith("a" * 30 + "\n" + "b" * 10 + " [20 more")


def test_nothing_at_all_may_be_read_of_a_text():
    assert beginning("abc", 0) == "[not shown]"
    assert beginning("", 0) == ""
    assert beginning("abc", 3) == "abc"


limit = st.none() | st.integers(0, 200)


@given(agent_logs(), limit, limit, limit)
def test_limits_leave_every_message_at_its_place_and_the_structure_sound(
    chat, texts, results, arguments
):
    messages = from_chat(chat)
    limited = ReadLimits(texts, results, arguments).applied(messages)
    assert [m.id for m in limited] == [m.id for m in messages]
    assert structure_faults(limited) == structure_faults(messages)
    for message in limited:
        for result in message.results:
            assert results is None or len(result.text) <= results + len(" [ more characters]") + 9


@pytest.mark.parametrize("value", [-1, 2.5, True, "x", None])
def test_a_limit_is_a_number_of_characters_or_all(value):
    with pytest.raises(ValueError, match=f"read_results={value} must be a whole number of char"):
        read_limits("all", value, "all")
