"""The ratio of a model's own tokens to those that are counted here, by script."""

import asyncio

import pytest
from support.builders import COUNTER
from support.endpoint_builders import Replies, answer_request, chat
from support.endpoint_replies import completion

from pytest_compaction.models import CallReply, DryRunCaller, Usage, ratio_text, tiktoken_encoding
from pytest_compaction.models.own_tokens import CJK, LATIN, input_tokens, own_tokens, script_of
from pytest_compaction.models.wire.call import Call

CHINESE = "租约的期限是四十五秒，重试上限在队列文件里。" * 40


def asked(text, **more):
    messages = [{"role": "user", "content": text}]
    return Call("chat.completions", {"model": "m", "messages": messages, **more})


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("The lease is 45 seconds — “as told”, café.", LATIN),
        (CHINESE, CJK),
        ("リースは四十五秒です。", CJK),
        ("임대 기간은 45초입니다.", CJK),
        ("Answer in the form asked for, as shortly as you can. " * 20 + CHINESE, CJK),
        ("Аренда длится сорок пять секунд.", "other scripts"),
        ("", LATIN),
    ],
)
def test_a_request_counts_for_the_script_of_most_of_its_tokens(text, script):
    assert script_of(asked(text).body) == script


def test_a_call_tells_what_is_counted_here_and_what_the_endpoint_read():
    call = asked(CHINESE)
    told = own_tokens(call, CallReply({}, Usage(1, 1000)), COUNTER)
    assert told == (("m", CJK, input_tokens(call.body, COUNTER), 1000),)
    assert input_tokens(call.body, COUNTER) > COUNTER.text(CHINESE)


@pytest.mark.parametrize(
    ("call", "read"),
    [
        (asked("a"), 0),
        (asked("a", context_management={"edits": []}), 9),
        (asked([{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]), 9),
        (Call("responses", {"model": "m", "input": "a"}), 9),
    ],
    ids=["no usage", "edited by the server", "an image", "items that only the endpoint can read"],
)
def test_a_call_whose_input_is_not_its_texts_tells_nothing(call, read):
    assert own_tokens(call, CallReply({}, Usage(1, read)), COUNTER) == ()


def test_usage_adds_and_takes_away_own_tokens_and_travels_as_json():
    first = Usage(1, 20, own_tokens=(("m", LATIN, 10, 20),))
    both = first + Usage(1, 90, own_tokens=(("m", CJK, 50, 90), ("m", LATIN, 10, 10)))
    assert both.own_tokens == (("m", CJK, 50, 90), ("m", LATIN, 20, 30))
    assert Usage.from_json(both.as_json()).own_tokens == both.own_tokens
    assert (both - first).own_tokens == (("m", CJK, 50, 90), ("m", LATIN, 10, 10))
    assert (both - both).as_json() == Usage().as_json()
    assert ratio_text(both.own_tokens) == (
        f"own tokens for 1 counted here: m 1.50 in {LATIN}, 1.80 in {CJK}"
    )


def test_an_answer_tells_the_tokenizer_of_its_model():
    reply = asyncio.run(chat(Replies(completion("45", usage=(100, 7)))).answer(answer_request()))
    ((model, script, counted, own),) = reply.usage.own_tokens
    assert (model, script, own) == (chat(None).name, LATIN, 100)
    assert counted > 50


def test_an_estimate_is_told_in_tokens_of_the_model_where_its_ratio_is_known():
    class Free:
        def cost(self, model, usage):
            return 0.0

    def read(text, known):
        caller = DryRunCaller(None, COUNTER, known=known)
        with pytest.raises(Exception, match="a call to make"):
            asyncio.run(caller.call(asked(text)))
        return caller.planned(Free())[0].usage.input_tokens

    plain = read(CHINESE, ())
    assert read(CHINESE, (("m", CJK, 100, 180), ("m", LATIN, 100, 130))) == round(plain * 1.8)
    assert read(CHINESE, (("m", LATIN, 100, 130), ("other", CJK, 100, 180))) == plain


@pytest.mark.parametrize(
    ("model", "encoding"),
    [("gpt-5-mini", "o200k_base"), ("openai/gpt-4o", "o200k_base"), ("glm-4.6", None)],
)
def test_tiktoken_names_the_encoding_of_models_of_openai(model, encoding):
    assert tiktoken_encoding(model) == encoding
