"""Requests and replies of clients that the plugin did not write: bounds, streams and pages."""

import asyncio
import json

import pytest
from support import builders

from pytest_compaction.models import (
    Call,
    CallReply,
    ModelError,
    RefusedError,
    Request,
    call_of,
)
from pytest_compaction.models.calls.endpoint import AttemptError
from pytest_compaction.models.calls.spending_limit import most_usage
from pytest_compaction.models.relay import Dialects, Upstream
from pytest_compaction.models.wire.complaint import Complaint
from pytest_compaction.models.wire.events import (
    failure_in,
    is_whole,
    read_events,
    said_in,
    written_events,
)


def asked(path="/v1/chat/completions", **body):
    data = json.dumps({"model": "m", "messages": [], **body}).encode()
    return call_of(Request("POST", path, {}, data))


@pytest.mark.parametrize("bound", [None, "many", -1, True, 0])
def test_a_bound_that_is_no_number_of_tokens_is_none(bound):
    said = [{"role": "user", "content": "the log " * 100}]
    free = most_usage(asked(messages=said), builders.COUNTER)
    given = most_usage(asked(messages=said, max_tokens=bound), builders.COUNTER)
    assert given.output_tokens == given.input_tokens >= free.output_tokens > 0
    both = asked(messages=said, max_completion_tokens=bound, max_tokens=7)
    assert most_usage(both, builders.COUNTER).output_tokens == 7


def test_each_of_several_choices_may_cost_as_much_as_one():
    assert most_usage(asked(max_tokens=10, n=4), builders.COUNTER).output_tokens == 40


def test_an_image_in_the_form_of_anthropic_counts_as_an_image():
    image = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo" * 5000}
    said = [{"role": "user", "content": [{"type": "image", "source": image}]}]
    found = most_usage(asked("/v1/messages", messages=said), builders.COUNTER)
    assert found.input_tokens < 5000


def test_a_list_of_models_is_asked_page_by_page():
    found = call_of(Request("GET", "/v1/models?after_id=m1&limit=2", {}))
    assert found.body == {"path": "/v1/models?after_id=m1&limit=2"}
    assert found.digest != call_of(Request("GET", "/v1/models", {})).digest
    with pytest.raises(RefusedError, match="for GET alone"):
        call_of(Request("DELETE", "/v1/models/m1", {}))


def test_compactions_of_the_responses_api_are_passed_on():
    assert asked("/v1/responses/compact", input="a log").operation == "responses.compact"


DELTA = {"choices": [{"index": 0, "delta": {"content": "a"}, "finish_reason": None}]}
ENDED = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    ("operation", "events", "whole"),
    [
        ("chat.completions", [DELTA], False),
        ("chat.completions", [DELTA, ENDED], True),
        ("chat.completions", [DELTA, "[DONE]"], True),
        ("messages", [{"type": "message_start", "message": {}}], False),
        ("messages", [{"type": "message_stop"}], True),
        ("responses", [{"type": "response.created"}], False),
        ("responses", [{"type": "response.incomplete", "response": {}}], True),
        ("responses", [], False),
    ],
)
def test_a_stream_without_its_end_is_not_whole(operation, events, whole):
    found = read_events(written_events([{"data": event} for event in events]))
    assert [event["data"] for event in found] == events
    assert is_whole(operation, found) == whole
    assert failure_in(found) is None


class Streamed:
    """A response that is a stream."""

    def __init__(self, *events):
        self.headers = {"content-type": "text/event-stream"}
        self.extensions = {}
        self.content = written_events([{"data": event} for event in events])


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((), "its end is missing"),
        ((DELTA,), "its end is missing"),
        (({"error": {"message": "overloaded"}},), "overloaded"),
        ((DELTA, {**ENDED, "error": {"message": "overloaded"}}), "overloaded"),
        (({"type": "error", "error": {"message": "overloaded"}},), "overloaded"),
        (({"type": "response.failed", "response": {"error": "overloaded"}},), "overloaded"),
    ],
)
def test_a_stream_that_breaks_off_is_no_reply_and_is_asked_for_again(events, said):
    upstream = Upstream(1.0, anthropic=False)
    with pytest.raises(AttemptError, match=said) as caught:
        upstream._parsed(asked(stream=True), Streamed(*events))
    assert (caught.value.charged, caught.value.passing) == (True, True)


def test_what_a_stream_of_responses_says_is_counted_once():
    events = [
        {"type": "response.output_text.delta", "delta": "one "},
        {"type": "response.output_text.delta", "delta": "two"},
        {"type": "response.output_text.done", "text": "one two"},
        {"type": "response.content_part.done", "part": {"text": "one two"}},
        {"type": "response.completed", "response": {"output": [{"text": "one two"}]}},
    ]
    assert said_in({"events": [{"data": event} for event in events]}) == "one two"


def test_half_of_a_pair_of_surrogates_reaches_the_client():
    halves = [{"delta": "\ud83d"}, {"delta": "\ude00"}]
    stream = written_events([{"data": half} for half in halves])
    assert [event["data"] for event in read_events(stream)] == halves


class Picky:
    """Refuses to tell the usage of a stream, as older servers do."""

    def __init__(self, named="stream_options"):
        self.named = named
        self.sent = []

    async def call(self, call):
        self.sent.append(call.sent)
        if "stream_options" in call.sent:
            complaint = Complaint(400, f"unknown field {self.named}")
            raise AttemptError("refused", complaint=complaint)
        return CallReply({"said": "it"})


def carried(picky, call):
    return asyncio.run(Dialects(picky, picky).call(call))


def test_what_was_added_to_a_request_is_taken_back_if_it_is_refused():
    picky = Picky()
    assert carried(picky, asked(stream=True)).body == {"said": "it"}
    assert [sent.get("stream_options") for sent in picky.sent] == [{"include_usage": True}, None]


@pytest.mark.parametrize(
    ("named", "given"),
    [("temperature", {}), ("stream_options", {"stream_options": {"include_usage": True}})],
)
def test_what_a_client_sent_itself_stays_refused(named, given):
    picky = Picky(named)
    with pytest.raises(AttemptError):
        carried(picky, asked(stream=True, **given))
    assert len(picky.sent) == 1


@pytest.mark.parametrize("form", ["OPENAI", "ANTHROPIC"])
def test_requests_go_to_the_older_name_of_an_address_if_it_is_the_only_one(monkeypatch, form):
    upstream = Upstream(1.0, anthropic=form == "ANTHROPIC")
    monkeypatch.delenv(f"{form}_BASE_URL", raising=False)
    monkeypatch.setenv(f"{form}_API_KEY", "sk-a-key-of-the-gateway")
    monkeypatch.setenv(f"{form}_API_BASE", "http://gateway.example/v1")
    assert upstream._address() == ("http://gateway.example/v1", "sk-a-key-of-the-gateway")
    monkeypatch.setenv(f"{form}_BASE_URL", "http://other.example/v1")
    assert upstream._address()[0] == "http://other.example/v1"


def test_a_call_to_anthropic_names_the_variable_of_anthropic(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    call = Call("messages", {"model": "m"}, is_ours=False)
    with pytest.raises(ModelError, match="is ANTHROPIC_BASE_URL right"):
        asyncio.run(Upstream(1.0, anthropic=True).call(call))
