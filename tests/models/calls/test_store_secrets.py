"""Keys and other secrets reach no file of the store; ciphertext stays as it is."""

import pytest
from support.callers import Answering, call
from support.store_files import ask, files

from pytest_compaction.models import CallReply
from pytest_compaction.models.calls.store import Store

KEYS = ["sk-proj-abcDEF0123456789abcdefghij", "AKIAABCDEFGHIJKLMNOP"]


@pytest.mark.parametrize("key", KEYS)
def test_keys_in_a_request_or_reply_reach_no_file_and_the_call_is_found_again(
    tmp_path, monkeypatch, key
):
    monkeypatch.setenv("OPENAI_API_KEY", "an-unusual-key-of-a-gateway")

    class Leaking(Answering):
        async def call(self, call):
            await super().call(call)
            return CallReply({"text": f"your key {key} and an-unusual-key-of-a-gateway"})

    endpoint = Leaking()
    asked = call(f"My key is {key}.")
    (first,) = ask(Store(tmp_path, endpoint), asked)
    written = files(tmp_path)[0].read_text("utf-8")
    assert key not in written
    assert "an-unusual-key-of-a-gateway" not in written
    (again,) = ask(Store(tmp_path, endpoint), asked)
    assert len(endpoint.calls) == 1
    assert again.body == first.body, "what is replayed is what was seen first"


@pytest.mark.parametrize(
    ("variable", "secret"),
    [
        ("OPENAI_API_KEY", "an-unusual-key-of-a-gateway"),
        ("OPENAI_API_KEY", "s3cret"),
        ("OPENAI_BASE_URL", "an-unusual-key-of-a-gateway"),
        ("OPENAI_BASE_URL", "s3cret"),
        ("GATEWAY_TOKEN", "an-unusual-key-of-a-gateway"),
    ],
)
def test_known_secrets_reach_no_file_wherever_an_endpoint_repeats_them(
    tmp_path, monkeypatch, variable, secret
):
    url = f"http://me:{secret}@llm.example/v1"
    monkeypatch.setenv(variable, url if variable == "OPENAI_BASE_URL" else secret)
    said = {
        secret: "a name",
        f"x-{secret}": {"signature": f"abc+{secret}/def=="},
        "output": [{"type": "compaction", "encrypted_content": secret}, f"you sent {secret}"],
    }

    class Echo(Answering):
        async def call(self, call):
            await super().call(call)
            return CallReply(said)

    endpoint = Echo()
    asked = call(metadata={secret: secret, "encrypted_content": secret})
    (reply,) = ask(Store(tmp_path, endpoint), asked)
    (path,) = files(tmp_path)
    assert secret not in path.read_text("utf-8")
    assert secret not in str(reply.body), "what comes after is the same in a second run"
    (again,) = ask(Store(tmp_path, None, "replay"), asked)
    assert again.body == reply.body
    assert again.body["output"][0] == {"type": "compaction", "encrypted_content": "[key]"}
    assert again.body["x-[key]"] == {"signature": "abc+[key]/def=="}
    assert len(endpoint.calls) == 1


def test_ciphertext_stays_byte_for_byte_even_where_it_looks_like_a_key(tmp_path):
    cipher = f"gAAAA-{KEYS[0]}-{KEYS[1]}=="

    class Native(Answering):
        async def call(self, call):
            return CallReply({"output": [{"type": "compaction", "encrypted_content": cipher}]})

    ask(Store(tmp_path, Native()), call())
    (again,) = ask(Store(tmp_path, None, "replay"), call())
    assert again.body["output"][0]["encrypted_content"] == cipher
