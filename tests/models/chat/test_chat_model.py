"""The chat model: its requests to an endpoint, and its reading of summaries and answers."""

import json
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs, as_messages, assistant, build_case, user
from support.endpoint_builders import (
    NAME,
    Replies,
    answer_request,
    ask,
    chat,
    error_of,
    judge_request,
)
from support.endpoint_replies import OPAQUE, completion, response

from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors.strategies.anchored import SECTIONS
from pytest_compaction.conversation.formats.chat import chat_messages, from_chat
from pytest_compaction.conversation.formats.responses import responses_input
from pytest_compaction.models import (
    CompactRequest,
    ModelError,
    NotAskedError,
    Section,
    Summary,
    SummaryRequest,
    Usage,
)
from pytest_compaction.models.chat.summary import sections_of, within_budget
from pytest_compaction.models.wire.reply import usage_of


def summary_request(budget=300, **changes):
    return replace(SummaryRequest(build_case().messages, SECTIONS, budget), **changes)


# --- what is asked -------------------------------------------------------------------


def test_the_same_request_is_the_same_call_and_another_trial_is_another_one():
    caller = Replies(completion("45"))
    model = chat(caller)
    for asked in (model, chat(caller), model.at_trial(2)):
        ask(asked.answer(answer_request()))
    first, again, other = (call.digest for call in caller.calls)
    assert first == again
    assert other != first
    assert [call.body["seed"] for call in caller.calls] == [1, 1, 2]
    assert all(call.body["temperature"] == 0 for call in caller.calls)


def test_calls_say_for_which_role_they_are_made():
    caller = Replies(completion("## Decisions\n- 45"))
    model = chat(caller)
    ask(model.summarize(summary_request()))
    ask(model.answer(answer_request()))
    ask(model.judge(judge_request()))
    assert [call.role for call in caller.calls][:3] == ["compaction", "responder", "judge"]


def test_the_view_reaches_the_model_with_its_tool_calls_and_the_question_last():
    caller = Replies(completion("45"))
    ask(chat(caller).answer(answer_request()))
    messages = caller.calls[0].body["messages"]
    assert [m["role"] for m in messages][:4] == ["system", "user", "assistant", "tool"]
    assert messages[2]["tool_calls"][0]["function"] == {
        "name": "read_file",
        "arguments": '{"path": "src/lease/queue.py"}',
    }
    assert messages[3] == {"role": "tool", "tool_call_id": "c1", "content": "TIMEOUT = 30"}
    assert messages[-1]["content"].startswith("What is the timeout now?\n")


def test_facts_and_traps_never_reach_the_responder():
    case = build_case()
    caller = Replies(completion("45"))
    ask(chat(caller).answer(answer_request(case)))
    assert "the timeout is 30" not in json.dumps(caller.calls[0].body)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        (AnswerSpec("list", max_items=3), "each item on a line of its own"),
        (AnswerSpec("list", max_items=3), "at most 3 items"),
        (AnswerSpec("sentence", max_words=12), "in one sentence, at most 12 words"),
        (AnswerSpec("json"), "as JSON and nothing else"),
        (AnswerSpec(forbid=("redis",)), "without mentioning redis"),
        (AnswerSpec(max_tokens=100), "at most 70 words"),
    ],
)
def test_the_form_of_an_answer_is_asked_for_in_words(spec, words):
    caller = Replies(completion("45"))
    ask(chat(caller).answer(answer_request(answer=spec)))
    assert words in caller.prompt


def test_models_that_think_get_room_for_it():
    caller = Replies(completion("45"))
    for name in ("gpt-4o", "gpt-5-mini", "openai/o3", "deepseek-reasoner"):
        ask(chat(caller, name).answer(answer_request()))
    plain, *thinking = (call.body["max_tokens"] for call in caller.calls)
    assert plain < 1000
    assert all(limit > 8000 for limit in thinking)


@given(agent_logs(pending=True))
def test_any_log_renders_to_messages_that_endpoints_take(log):
    view = as_messages(log)
    rendered = chat_messages(view)
    open_calls = []
    for message in rendered:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
            assert message["content"] or message.get("tool_calls")
    assert not open_calls
    json.dumps([rendered, responses_input(view)]).encode()


# --- summaries -----------------------------------------------------------------------


def test_a_summary_is_read_back_by_its_headings():
    text = """Here are the notes:

## Session intent
- fix the timeout
**File modifications:**
1. src/lease/queue.py: TIMEOUT = 45
   and its test
Next steps:
(nothing yet)
### Decisions ###
We took 45.
"""
    summary = sections_of(text, SECTIONS)
    assert summary.of("session_intent") == ("fix the timeout",)
    assert summary.of("file_modifications") == ("src/lease/queue.py: TIMEOUT = 45 and its test",)
    assert summary.of("decisions") == ("We took 45.",)
    assert summary.of("next_steps") == ()


def test_a_summary_without_headings_is_kept_in_the_first_section():
    summary = sections_of("- one\n- two\nthree", SECTIONS)
    assert summary.of("session_intent") == ("one", "two", "three")


def test_an_overlong_summary_is_cut_entry_by_entry_and_says_so():
    entries = "\n".join(f"- entry number {i} says something of its own" for i in range(200))
    text = f"## Session intent\n- the goal\n## Decisions\n{entries}"
    reply = ask(chat(Replies(completion(text))).summarize(summary_request(200)))
    assert COUNTER.text(reply.summary.render(SECTIONS)) <= 200
    assert reply.summary.of("session_intent") == ("the goal",)
    *kept, note = reply.summary.of("decisions")
    assert kept[0] == "entry number 0 says something of its own"
    assert note == f"({200 - len(kept)} more noted here did not fit)"


@given(st.lists(st.text("ab c\u00e9漢", min_size=1, max_size=40), max_size=12), st.integers(0, 120))
def test_a_cut_summary_is_within_its_budget_or_empty(entries, budget):
    summary = Summary((("session_intent", tuple(entries)), ("decisions", tuple(entries[:3]))))
    cut = within_budget(summary, SECTIONS, budget, COUNTER.text)
    assert cut.empty or COUNTER.text(cut.render(SECTIONS)) <= budget


def test_a_prompt_sent_back_is_no_summary():
    def echo(call):
        return completion("\n".join(message["content"] for message in call.body["messages"]))

    request = summary_request(messages=as_messages([user("go")]))
    summary = ask(chat(Replies(echo)).summarize(request)).summary
    assert summary.as_json() == {
        "session_intent": [],
        "file_modifications": [],
        "decisions": [],
        "next_steps": ["go"],
    }


def test_a_line_that_was_cut_off_is_no_note():
    text = "## Decisions\n- use 45 seconds\n- edit src/lea"
    reply = ask(chat(Replies(completion(text, finish="length"))).summarize(summary_request()))
    assert reply.summary.of("decisions") == ("use 45 seconds",)


@pytest.mark.parametrize(
    ("text", "finish", "flaws"),
    [
        ("## Decisions\n- 45", "stop", ()),
        ("## Decisions\n- 45\n- edit", "length", ("cut",)),
        ("We said 45.", "stop", ("misformed",)),
        ("## Decisions", "stop", ("empty",)),
    ],
)
def test_a_summary_says_what_is_wrong_with_it(text, finish, flaws):
    reply = ask(chat(Replies(completion(text, finish=finish))).summarize(summary_request()))
    assert reply.flaws == flaws


def test_the_notes_so_far_and_the_focus_stand_in_the_prompt():
    previous = Summary((("decisions", ("use 45 seconds",)),))
    caller = Replies(completion("## Decisions\n- 45"))
    request = summary_request(previous=previous, instructions="Keep the file names.")
    ask(chat(caller).summarize(request))
    assert "Above all: Keep the file names." in caller.prompt
    assert "- use 45 seconds" in caller.prompt


def test_a_refused_summary_is_an_error_and_an_empty_one_is_asked_for_with_more_room():
    refused = completion(None, refusal="I will not.")
    assert "it refused: I will not." in error_of(
        chat(Replies(refused)).summarize(summary_request())
    )
    caller = Replies(completion("", finish="length"), completion("## Decisions\n- 45"))
    reply = ask(chat(caller).summarize(summary_request()))
    assert reply.summary.of("decisions") == ("45",)
    assert reply.usage.calls == 2
    first, second = (call.body["max_tokens"] for call in caller.calls)
    assert second > first + 8000


# --- answers -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (completion(""), "its reply is empty"),
        (completion(None, tool_calls=[{"id": "c"}]), "it called a tool instead"),
        (completion("", finish="content_filter"), "content filter held the reply back"),
        (completion(None, refusal="no"), "it refused: no"),
        ({"choices": []}, "not a chat completion"),
        ({"choices": [{"message": "hello"}]}, "not a chat completion"),
        ({"ok": True}, "not a chat completion"),
    ],
)
def test_a_reply_without_text_is_no_answer(body, said):
    text = error_of(chat(Replies(body)).answer(answer_request()))
    assert text.startswith(f"{NAME} gave no answer: ")
    assert said in text


@pytest.mark.parametrize(
    "content",
    ["<think>30? no.</think>\n45", [{"type": "text", "text": "4"}, {"type": "text", "text": "5"}]],
    ids=["thoughts", "parts"],
)
def test_the_text_of_an_answer_is_what_was_said_without_thoughts(content):
    reply = ask(chat(Replies(completion(content))).answer(answer_request()))
    assert reply.text == "45"


def test_usage_is_what_the_endpoint_charges_or_what_is_counted():
    body = completion("45", usage=(100, 7))
    body["usage"]["prompt_tokens_details"] = {"cached_tokens": 60}
    assert ask(chat(Replies(body)).answer(answer_request())).usage == Usage(1, 100, 60, 7)
    counted = ask(chat(Replies(completion("45", usage=None))).answer(answer_request())).usage
    assert counted.calls == 1
    assert counted.input_tokens > 50
    assert counted.output_tokens == COUNTER.text("45")


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"prompt_tokens": 1000.0, "completion_tokens": 50.0}, (1000, 50)),
        ({"prompt_tokens": "many", "completion_tokens": -3}, (0, 0)),
        ({"prompt_tokens": 10**30, "completion_tokens": True}, (0, 0)),
        ({"prompt_tokens": 10.5, "completion_tokens": 1e300}, (0, 0)),
        ({"prompt_tokens": float("inf"), "completion_tokens": float("nan")}, (0, 0)),
        ({"input_tokens": 10**9, "output_tokens": 10**9 + 1}, (10**9, 0)),
    ],
)
def test_figures_of_usage_that_are_no_numbers_of_tokens_count_as_not_said(given, read):
    body = {**completion("45"), "usage": given}
    found = usage_of(body)
    assert (found.input_tokens, found.output_tokens) == read
    filled = ask(chat(Replies(body)).answer(answer_request())).usage
    assert filled.input_tokens > 50
    assert filled.output_tokens == (read[1] or COUNTER.text("45"))


def spent_by(work):
    """The usage that an error of the model reports."""
    with pytest.raises(ModelError) as found:
        ask(work)
    return found.value.spent


def test_what_a_call_without_a_usable_reply_took_is_said_with_the_error():
    refused = completion(None, refusal="no", usage=(100, 7))
    empty = completion("", finish="length", usage=(100, 7))
    once, twice = Usage(1, 100, 0, 7), Usage(2, 200, 0, 14)
    assert spent_by(chat(Replies(refused)).answer(answer_request())) == {"responder": once}
    assert spent_by(chat(Replies(refused)).summarize(summary_request())) == {"compaction": once}
    assert spent_by(chat(Replies(empty)).answer(answer_request())) == {"responder": twice}
    away = chat(Replies(empty, ModelError("away")))
    assert spent_by(away.answer(answer_request())) == {"responder": once}
    plain = chat(Replies(completion("hello", usage=(100, 7))))
    request = CompactRequest(build_case().messages)
    assert spent_by(plain.compact(request)) == {"compaction": once}
    unpaid = chat(Replies(completion("hello", usage=(100, 7)), NotAskedError("no money")))
    assert spent_by(unpaid.judge(judge_request())) == {"judge": once}


def test_responses_are_read_as_chat_completions_are():
    item = from_chat([assistant([dict(OPAQUE)])])
    refusal = {"output": [{"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}]}
    called = {"output": [{"type": "function_call", "name": "f"}]}
    for body, said in (
        (refusal, "it refused: no"),
        (called, "it called a tool instead"),
        ({"output": []}, "its reply is empty"),
        ({"output": 3}, "not a response"),
    ):
        request = answer_request(view=item)
        assert said in error_of(chat(Replies(body)).answer(request))
    cut = response("", status="incomplete")
    caller = Replies(cut, response("45"))
    assert ask(chat(caller).answer(answer_request(view=item))).text == "45"
    first, second = (call.body["max_output_tokens"] for call in caller.calls)
    assert second > first + 8000


def test_neither_the_model_nor_its_endpoint_loads_a_client_before_it_is_asked():
    code = (
        "import sys\n"
        "from pytest_compaction.models.calls.endpoint import Endpoint\n"
        "from pytest_compaction.models.chat.model import ChatModel\n"
        "ChatModel('x', Endpoint())\n"
        "print([m for m in ('openai', 'httpx2', 'pytest', 'jsonschema') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "line",
    [
        f"## a{' ' * 20_000}\0",
        f"**{' *' * 10_000}",
        "1. " * 8000,
        f"Goal{':' * 20_000}",
        "#" * 20_000,
    ],
)
def test_a_line_of_a_summary_that_is_almost_a_heading_takes_no_time(line):
    sections = (Section("goal", "Goal", "What is wanted.", ()),)
    began = time.process_time()
    sections_of(f"{line}\n## Goal:\n- the limit is 45", sections)
    assert time.process_time() - began < 2


def test_a_summary_of_many_lines_is_read_and_cut_in_time_that_grows_with_it():
    sections = tuple(Section(id, id.title(), "Notes.", ()) for id in ("goal", "files"))
    lines = "\n".join("- a" if number % 2 else f"  b{number}" for number in range(20_000))
    began = time.process_time()
    summary = sections_of(f"## Goal\n{lines}", sections)
    cut = within_budget(summary, sections, 200, len)
    assert time.process_time() - began < 10
    assert "did not fit" in cut.render(sections)
