"""A key that is missing and an address that is none are said before the first item."""

import pytest
from support.scenarios import lean, refused, write_cases
from support.stub_endpoint import long_case

ASKED = ["--compactor=truncate", "--compaction-model=gpt-4o-mini"]


@pytest.fixture
def measured(pytester, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write_cases(pytester, long_case("first"))
    return lambda *more: pytester.runpytest_inprocess(*lean(), *ASKED, *more)


def test_a_missing_key_is_a_usage_error(measured):
    said = refused(measured())
    assert "no key for api.openai.com: set OPENAI_API_KEY, or OPENAI_BASE_URL " in said
    assert "gpt-4o-mini; " in said


@pytest.mark.parametrize("more", ["--compaction-replay", "--compaction-estimate", "--collect-only"])
def test_nobody_needs_a_key_where_nothing_is_asked(measured, more):
    assert "no key for" not in str(measured(more).stderr)


def test_a_server_of_ones_own_needs_no_key(measured, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert measured("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


AZURE = "set it to https://{}/openai/v1/ and give {} as the model"
CLASSIC = "/openai/deployments/mini-eu/chat/completions?api-version=2024-06-01"
PORT = "the address in {} cannot be used: a port is a number from 0 to 65535"


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("http://127.0.0.1:99999/v1", PORT.format("OPENAI_BASE_URL")),
        ("http://127.0.0.1:sk-made-up/v1", PORT.format("OPENAI_BASE_URL")),
        *(
            (f"https://{host}{path}", AZURE.format(host, "the name of the deployment"))
            for host in (
                "t.openai.azure.com",
                "t.services.ai.azure.com",
                "t.cognitiveservices.azure.us",
            )
            for path in ("", "/openai")
        ),
        *(
            (f"https://t.openai.azure.com{path}", AZURE.format("t.openai.azure.com", "mini-eu"))
            for path in ("/openai/deployments/mini-eu", CLASSIC)
        ),
    ],
)
def test_an_address_that_cannot_be_used_is_one_sentence(measured, monkeypatch, address, said):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    shown = refused(measured())
    assert said in shown
    assert "made-up" not in shown and "99999" not in shown


@pytest.mark.parametrize("port", ["99999", "sk-made-up"])
def test_the_address_of_the_other_client_is_looked_at_where_it_goes_through_the_run(
    measured, monkeypatch, port
):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", f"http://127.0.0.1:{port}/v1")
    shown = refused(measured("--compaction-proxy"))
    assert PORT.format("ANTHROPIC_BASE_URL") in shown
    assert port not in shown


def test_the_v1_address_of_azure_is_taken(measured, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://team.openai.azure.com/openai/v1/")
    assert measured("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED
