"""Endpoints differ in what they take; a refused part is left out from then on, or reported."""

import asyncio
import base64
import gzip
import json

import pytest
from support.builders import as_messages, build_case, user
from support.endpoint_builders import (
    NAME,
    Replies,
    answer_request,
    ask,
    chat,
    connected,
    error_of,
    judge_request,
    judged,
    servers_in_environment,
    through,
)
from support.endpoint_replies import OPAQUE, Answer, compaction, completion, error
from support.endpoint_replies import sensible as well_behaved

from pytest_compaction.compactors.base.history import dump, load
from pytest_compaction.conversation import canonical_json
from pytest_compaction.models import CompactRequest, ModelError, UnsupportedError, Usage
from pytest_compaction.models.calls.address import shown_host


@pytest.fixture
def served(monkeypatch):
    """Starts servers that answer as given, with the environment set to the new one."""
    with servers_in_environment(monkeypatch) as serve:
        yield serve


# --- native compaction ---------------------------------------------------------------


def test_the_opaque_item_comes_back_to_the_endpoint_byte_identical(served):
    server = served()
    case = build_case()

    async def compacted_and_asked(model):
        reply = await model.compact(CompactRequest(case.messages[1:]))
        view = load(json.loads(json.dumps(dump(reply.messages))))
        return reply, await model.answer(answer_request(case, view=view))

    [(reply, answer)] = through(connected(), compacted_and_asked)
    *users, item = reply.messages
    assert users == [m for m in case.messages if m.role == "user"]
    assert item.parts[0].payload == canonical_json(OPAQUE)
    assert [asked.path for asked in server.asked] == ["/v1/responses/compact", "/v1/responses"]
    sent = server.bodies[1]["input"]
    assert canonical_json(sent[len(users)]) == canonical_json(OPAQUE)
    assert answer.text == "The limit is 45."
    assert answer.usage == Usage(1, 20, 8, 6)


def test_a_trigger_ends_an_ordinary_request_and_its_item_alone_is_taken(served):
    server = served()
    request = CompactRequest(build_case().messages[1:], "Be brief.", by_trigger=True)
    [reply] = through(connected(), lambda model: model.compact(request))
    [asked] = server.asked
    assert asked.path == "/v1/responses"
    assert asked.body["input"][-1] == {"type": "compaction_trigger"}
    assert asked.body["instructions"] == "Be brief."
    assert asked.body["store"] is False
    [item] = reply.messages
    assert item.parts[0].payload == canonical_json(OPAQUE)
    assert reply.usage.input_tokens > 0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"ok": True}, "no list of output items"),
        ({"output": []}, "holds no compaction item"),
        ({"output": ["x"]}, "an output item is a str"),
        ({"output": [{"type": "mystery"}]}, "of type mystery is not known"),
    ],
)
def test_a_reply_that_compacts_nothing_is_an_error(body, said):
    request = CompactRequest(build_case().messages)
    assert said in error_of(chat(Replies(body)).compact(request))


def test_equal_messages_come_back_each_as_itself():
    view = as_messages([user("go", id="a"), user("go", id="b")])
    asked = Replies(lambda call: compaction(call))
    reply = ask(chat(asked).compact(CompactRequest(view)))
    assert [m.id for m in reply.messages[:2]] == ["a", "b"]


def test_an_endpoint_without_native_compaction_is_asked_once(served):
    server = served(lambda asked: error("Not Found", 404))

    async def attempt(model):
        with pytest.raises(UnsupportedError) as found:
            await model.compact(CompactRequest(build_case().messages))
        return str(found.value)

    async def many(model):
        return await asyncio.gather(*(attempt(model) for _ in range(8)))

    [texts] = through(connected(), many)
    assert len(server.asked) == 1
    assert len(set(texts)) == 1
    assert "it has no responses.compact" in texts[0]


# --- what endpoints refuse -----------------------------------------------------------


def refusing(*rules):
    """An endpoint that refuses requests for the first of these reasons that applies."""

    def decide(asked):
        for applies, answer in rules:
            if applies(asked.body):
                return answer
        return (
            well_behaved(asked) if "response_format" not in asked.body else Answer(completion("{}"))
        )

    return decide  # fmt: skip


OPENAI_RULES = (
    (
        lambda body: "max_tokens" in body,
        error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            param="max_tokens",
        ),
    ),
    (
        lambda body: body.get("temperature") == 0,
        error("Unsupported value: 'temperature' does not support 0.", param="temperature"),
    ),
)


def test_what_a_model_refuses_is_left_out_once_and_for_all(served):
    server = served(refusing(*OPENAI_RULES))

    async def many(model):
        await asyncio.gather(*(model.answer(answer_request()) for _ in range(12)))

    through(connected(), many)
    assert len(server.asked) == 12 + 2
    first, *_, last = server.bodies
    assert "max_tokens" in first
    assert last["max_completion_tokens"] == first["max_tokens"]
    assert "temperature" not in last
    assert last["seed"] == 1


@pytest.mark.parametrize(
    "refusal",
    [
        Answer({"detail": [{"loc": ["body", "seed"], "msg": "extra inputs not permitted"}]}, 422),
        Answer({"error": "Unrecognized request argument supplied: seed"}, 400),
        Answer({"message": "property 'seed' is unsupported"}, 400),
        Answer(b"unknown field: seed", 400),
    ],
)  # fmt: skip
def test_refusals_are_understood_in_the_shapes_of_many_servers(served, refusal):
    server = served(refusing((lambda body: "seed" in body, refusal)))
    [reply] = through(connected(), lambda model: model.answer(answer_request()))
    assert reply.text == "The limit is 45."
    assert len(server.asked) == 2


def test_without_structured_outputs_json_is_asked_for_and_checked(served):
    request = judge_request()

    def decide(asked):
        form = asked.body.get("response_format", {}).get("type")
        if form:
            return error(f"This response_format type is unavailable now: {form}")
        return Answer(completion(f"```json\n{json.dumps(judged(request))}\n```"))

    server = served(decide)
    [first, second] = through(connected(), *[lambda model: model.judge(request)] * 2)
    assert first.unscored is None
    assert second.unscored is None
    forms = [body.get("response_format", {}).get("type") for body in server.bodies]
    assert forms == ["json_schema", "json_object", None, None]


def test_a_model_that_sees_no_images_gets_a_word_for_them(served):
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
    view = as_messages([user([{"type": "text", "text": "look"}, image])])

    def decide(asked):
        if "data:image" in json.dumps(asked.body):
            return error("image input is not supported by this model", 500)
        return Answer(completion("45"))

    server = served(decide)
    through(connected(retries=0), lambda model: model.answer(answer_request(view=view)))
    assert server.bodies[-1]["messages"][0]["content"] == "look\n[image]"


def test_a_request_longer_than_the_context_changes_nothing_for_others(served):
    text = (
        "'max_tokens' is too large: 500. This model's maximum context length is 512 tokens "
        "and your request has 510 input tokens."
    )
    server = served(lambda asked: error(text))
    asked = [lambda model: model.answer(answer_request())] * 2

    async def errors(model):
        return [await _error(request(model)) for request in asked]

    [texts] = through(connected(), errors)
    assert "has too small a context for this request" in texts[0]
    assert len(server.asked) == 2
    assert all("max_tokens" in body for body in server.bodies)


async def _error(work):
    with pytest.raises(ModelError) as found:
        await work
    return str(found.value)


def test_a_wrong_key_and_an_unknown_model_are_said_once(served):
    for status, said in ((401, "check OPENAI_API_KEY"), (404, "check the model's name")):
        server = served(lambda asked, status=status: error("nope", status))

        async def errors(model):
            return [await _error(model.answer(answer_request())) for _ in range(3)]

        [texts] = through(connected(), errors)
        assert len(set(texts)) == 1
        assert texts[0].startswith(f"model {NAME} at 127.0.0.1:")
        assert said in texts[0]
        assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("status", "text"), [(403, "blocked by a content policy"), (404, "upstream not ready")]
)
def test_a_model_that_has_answered_is_not_given_up_for_one_refusal(served, status, text):
    def decide(asked):
        return error(text, status) if len(server.asked) == 2 else well_behaved(asked)

    server = served(decide)

    async def replies(model):
        return [
            await asyncio.gather(model.answer(answer_request()), return_exceptions=True)
            for _ in range(4)
        ]

    [[first, refused, *others]] = through(connected(), replies)
    assert isinstance(refused[0], ModelError)
    assert f"answered {status}: {text}; it answered other requests" in str(refused[0])
    assert [reply.text for (reply,) in (first, *others)] == ["The limit is 45."] * 3


def test_what_a_model_does_besides_says_nothing_of_native_compaction(served):
    def decide(asked):
        return error("Not Found", 404) if "compact" in asked.path else well_behaved(asked)

    server = served(decide)

    async def work(model):
        await model.answer(answer_request())
        request = CompactRequest(build_case().messages)
        return [await _error(model.compact(request)) for _ in range(3)]

    [texts] = through(connected(), work)
    assert len(server.asked) == 2
    assert "it has no responses.compact" in texts[0]


def test_an_address_with_a_password_sends_it_and_one_with_a_query_is_refused(served, monkeypatch):
    server = served()
    monkeypatch.setenv("OPENAI_BASE_URL", server.url.replace("//", "//user:p%40ss@"))
    [reply] = through(connected(), lambda model: model.answer(answer_request()))
    assert reply.text == "The limit is 45."
    sent = server.asked[0].headers["authorization"]
    assert sent == f"Basic {base64.b64encode(b'user:p@ss').decode()}"
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}?api-key=hunter2hunter")
    text = error_of(chat(connected()).answer(answer_request()))
    assert "OPENAI_BASE_URL has a query" in text
    assert "hunter2" not in text
    assert len(server.asked) == 1


def test_no_key_for_openai_is_said_without_any_call(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    text = error_of(chat(connected()).answer(answer_request()))
    assert "no key for api.openai.com: set OPENAI_API_KEY, or OPENAI_BASE_URL" in text


def test_a_server_of_ones_own_needs_no_key(served, monkeypatch):
    server = served()
    monkeypatch.delenv("OPENAI_API_KEY")
    [reply] = through(connected(), lambda model: model.answer(answer_request()))
    assert reply.text == "The limit is 45."
    assert server.asked[0].headers["authorization"] == "Bearer no-key"


def test_one_client_serves_a_loop_and_another_loop_gets_its_own(served):
    served()
    endpoint = connected()
    for _ in range(2):
        [one, two] = through(endpoint, *[lambda model: model.answer(answer_request())] * 2)
        assert one.text == two.text


def test_an_error_in_a_good_status_is_an_error(served):
    served(lambda asked: Answer({"error": {"message": "upstream is down"}}))
    [text] = through(connected(), lambda model: _error(model.answer(answer_request())))
    assert "answered with an error: upstream is down" in text


@pytest.mark.parametrize(
    ("url", "host"),
    [
        (None, "api.openai.com"),
        ("", "api.openai.com"),
        ("http://localhost:8000/v1", "localhost:8000"),
        ("https://me:secret@host.example/v1?api-key=1", "host.example"),
        ("https://x.openai.azure.com/openai/v1/", "x.openai.azure.com"),
        ("nonsense", "an address without a host"),
        ("http://h:99999/", "an address without a host"),
        ("http://[::1", "an address without a host"),
    ],
)
def test_the_host_is_named_without_credentials(url, host):
    assert shown_host(url) == host


def test_a_compressed_reply_is_read_and_a_bomb_is_not(served):
    honest = gzip.compress(json.dumps(completion("45")).encode())
    bomb = gzip.compress(b" " * 50_000_000)
    answers = [Answer(data, headers={"Content-Encoding": "gzip"}) for data in (honest, bomb)]
    server = served(lambda asked: answers[len(server.asked) - 1])
    [reply, text] = through(
        connected(max_reply_bytes=1_000_000),
        lambda model: model.answer(answer_request()),
        lambda model: _error(model.answer(answer_request())),
    )
    assert reply.text == "45"
    assert "more than 0.953674 MB" in text
    assert len(bomb) < 1_000_000
