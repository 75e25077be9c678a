"""``pytest-compaction doctor``: the table of what an endpoint takes."""

import pytest
from support.endpoint_builders import servers_in_environment
from support.endpoint_quirks import quirky
from support.endpoint_replies import Answer, sensible

from pytest_compaction import cli


@pytest.fixture
def doctor(monkeypatch, tmp_path, capsys):
    """Run the command against an endpoint with a quirk; exit code, output and the server."""

    def run(mode, *arguments, listed=()):
        sound = quirky(mode, sensible) if mode else sensible

        def decide(asked):
            return Answer({"data": list(listed)}) if asked.path == "/v1/models" else sound(asked)

        with servers_in_environment(monkeypatch) as serve:
            server = serve(decide)
            code = cli.main(["doctor", f"--store={tmp_path}", "--model=one", *arguments])
        return code, capsys.readouterr().out, server

    return run


def test_a_sound_endpoint_needs_nothing(doctor):
    code, shown, server = doctor(None, listed=[{"id": "one", "max_model_len": 32768}])
    assert code == 0
    assert "one at 127.0.0.1:" in shown
    assert "limits      context of 32,768 tokens" in shown
    assert "not as usual" not in shown
    assert len(server.asked) == 3


def test_what_is_adapted_is_said_for_each_model(doctor):
    code, shown, _ = doctor("no-system-role", "--judge=two")
    assert code == 0
    assert shown.count("alternating roles; system text in the first user message") == 2
    assert shown.index("one at ") < shown.index("two at ")


def test_an_endpoint_that_answers_nothing_is_said_with_the_reason(doctor):
    code, shown, server = doctor("quota-exhausted")
    assert code == 1
    assert "the account has no credit left" in shown
    assert len(server.bodies) == 3


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("https://team.openai.azure.com/openai/deployments/mini", "/openai/v1/ and give mini as"),
        ("http://localhost:99999/v1", "a port is a number"),
    ],
)
def test_an_address_that_cannot_be_asked_is_one_sentence(monkeypatch, capsys, url, said):
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    assert cli.main(["doctor", "--model=one"]) == 1
    assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        cli.main(["doctor", "--model=offline"])
    assert "rules ask no endpoint" in capsys.readouterr().err
