"""A key that is missing and an address that is none are said before the first item."""

import pytest
from support.scenarios import lean, write_cases
from support.stub_endpoint import long_case

ASKED = ["--compactor=truncate", "--compaction-model=gpt-4o-mini"]


@pytest.fixture
def measured(pytester, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write_cases(pytester, long_case("first"))
    return lambda *more: pytester.runpytest_inprocess(*lean(), *ASKED, *more)


def test_a_missing_key_is_a_usage_error(measured):
    result = measured()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*no key for api.openai.com: set OPENAI_API_KEY, or OPENAI_BASE_URL *gpt-4o-mini; *"]
    )


@pytest.mark.parametrize("more", ["--compaction-replay", "--compaction-estimate", "--collect-only"])
def test_nobody_needs_a_key_where_nothing_is_asked(measured, more):
    assert "no key for" not in str(measured(more).stderr)


def test_a_server_of_ones_own_needs_no_key(measured, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    assert measured("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED


@pytest.mark.parametrize(
    ("variable", "more"),
    [("OPENAI_BASE_URL", []), ("ANTHROPIC_BASE_URL", ["--compaction-proxy"])],
)
@pytest.mark.parametrize("port", ["99999", "sk-made-up"])
def test_a_port_that_is_none_is_one_sentence(measured, monkeypatch, variable, more, port):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv(variable, f"http://127.0.0.1:{port}/v1")
    result = measured(*more)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = f"*the address in {variable} cannot be used: a port is a number from 0 to 65535*"
    result.stderr.fnmatch_lines([said])
    assert port not in str(result.stderr)


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("", "the name of the deployment"),
        ("/openai", "the name of the deployment"),
        ("/openai/deployments/mini-eu", "mini-eu"),
        ("/openai/deployments/mini-eu/chat/completions?api-version=2024-06-01", "mini-eu"),
    ],
)
@pytest.mark.parametrize(
    "host", ["team.openai.azure.com", "team.services.ai.azure.com", "t.cognitiveservices.azure.us"]
)
def test_a_classic_address_of_azure_is_refused_with_the_one_that_works(
    measured, monkeypatch, host, path, model
):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv("OPENAI_BASE_URL", f"https://{host}{path}")
    result = measured()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    said = f"*set it to https://{host}/openai/v1/ and give {model} as the model*"
    result.stderr.fnmatch_lines([said])


def test_the_v1_address_of_azure_is_taken(measured, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://team.openai.azure.com/openai/v1/")
    assert measured("-k", "nothing").ret == pytest.ExitCode.NO_TESTS_COLLECTED
