"""``pytest-compaction generate``: what it writes, its output and its exit code."""

import re
import signal

import pytest
from support.endpoint_builders import servers_in_environment
from support.endpoint_replies import Answer
from support.scripted_author import Author

from pytest_compaction import cli
from pytest_compaction.models import prices_at, registry

FILES = ("chat.json", "probing_questions/probing_questions.json")
MODEL = "--model=m"


def generate(capsys, folder, *arguments):
    code = cli.main(["generate", *map(str, arguments), "-o", str(folder)])
    out, err = capsys.readouterr()
    return code, out, err


def script(**how):
    """What a server answers that writes by a script."""
    author = Author(**how)
    return lambda asked: Answer(author(asked.body))


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_is_there_is_not_written_over(tmp_path, capsys):
    kept = tmp_path / "20K" / "2" / "chat.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine", "utf-8")
    code, out, err = generate(
        capsys, tmp_path, MODEL, "--tokens", 20_000, "--seed", 1, "--conversations", 2
    )
    assert (code, out) == (1, "")
    assert "is there already; remove it, or name another folder or seed" in err
    assert contents(tmp_path) == {"20K/2/chat.json": b"mine"}


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "file").write_text("", "utf-8")
    code, _, err = generate(capsys, tmp_path / "file", MODEL, "--tokens", 20_000)
    assert code == 1
    assert "cannot be written: " in err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--tokens", "9999", "from 10000 to 100000000"),
        ("--tokens", "1e5", "from 10000 to 100000000"),
        ("--seed", "-1", "from 0 to 999999999"),
        ("--conversations", "0", "from 1 to 1000"),
    ],
)
def test_a_number_out_of_range_is_a_usage_error(tmp_path, capsys, option, value, said):
    with pytest.raises(SystemExit) as ended:
        generate(capsys, tmp_path, f"{option}={value}")
    assert ended.value.code == 2
    assert f"{value} is not a whole number {said}" in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_an_estimate_says_what_a_model_would_cost_and_asks_it_nothing(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    arguments = ("--tokens", 20_000, "--model=gpt-4o-mini", "--store", tmp_path / "store")
    code, out, err = generate(capsys, tmp_path / "chats", *arguments, "--estimate")
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"gpt-4o-mini: about \d+ calls, \d+,\d+ tokens read and \d+,\d+ written, "
        r"about \$0\.\d\d at the prices of genai-prices [\d.]+\n",
        out,
    )
    assert not (tmp_path / "chats").exists()


def test_a_name_that_no_folder_can_have_is_said(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    code, _, err = generate(capsys, tmp_path / ("x" * 300), MODEL, "--tokens", 20_000)
    assert code == 1
    assert "cannot be written: File name too long" in err


def test_a_limit_on_costs_without_a_price_is_a_usage_error(tmp_path, capsys, monkeypatch):
    arguments = ("--tokens", 10_000, "--model=m", "--store", tmp_path / "store", "--max-cost=1")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(script())
        with pytest.raises(SystemExit) as ended:
            generate(capsys, tmp_path / "chats", *arguments)
        assert ended.value.code == 2
        said = capsys.readouterr().err
        assert "--max-cost needs a price, and none is known for m at this endpoint" in said
        assert generate(capsys, tmp_path / "chats", *arguments, "--estimate")[0] == 0
        assert server.asked == []


def test_a_store_that_is_no_folder_is_said_before_a_model_is_asked(tmp_path, capsys, monkeypatch):
    store = tmp_path / "store"
    store.write_text("", "utf-8")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(script())
        arguments = ("--tokens", 10_000, "--model=m", "--store", store)
        code, out, err = generate(capsys, tmp_path / "chats", *arguments)
        assert (code, out, server.asked) == (1, "", [])
    assert "store is no folder, so that no call could be kept there" in err


@pytest.mark.exhaustive
def test_replies_that_cannot_be_kept_are_said(tmp_path, capsys, monkeypatch):
    store = tmp_path / "store"

    def blocking(asked):
        for number in range(256):
            (store / f"{number:02x}").touch()
        return echoed(asked)

    store.mkdir()
    echoed = script()
    with servers_in_environment(monkeypatch) as serve:
        serve(blocking)
        arguments = ("--tokens", 10_000, "--model=m", "--store", store)
        code, _, err = generate(capsys, tmp_path / "chats", *arguments)
    assert code == 0
    assert "replies could not be kept in" in err
    assert "they will be paid for again" in err


def test_a_limit_on_costs_is_called_as_this_command_calls_it(tmp_path, capsys, monkeypatch):
    priced = prices_at(None)
    monkeypatch.setattr(registry, "prices_at", lambda _: priced)
    arguments = ("--tokens", 10_000, "--model=gpt-4o-mini", "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(script())
        code, _, err = generate(capsys, tmp_path / "chats", *arguments, "--max-cost=0.00000001")
    assert (code, server.asked) == (1, [])
    assert "--max-cost" in err
    assert "--compaction-" not in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "generate needs --model NAME, the model that writes the conversation"),
        (["--model="], "generate needs --model NAME"),
        (["--model=offline"], "rules do not write any"),
        (["--model=offlin"], "unknown model 'offlin'; did you mean 'offline'"),
        (["--max-cost=-1"], "-1 is not a number from 0 to 1000000"),
        (
            ["--model=gpt-4o-mini"],
            "set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint\n",
        ),
        (["--model=m", "--domain=law"], "invalid choice: 'law'"),
    ],
)
def test_what_cannot_be_asked_for_is_a_usage_error(tmp_path, capsys, monkeypatch, arguments, said):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(SystemExit) as ended:
        generate(capsys, tmp_path, "--tokens", 20_000, *arguments)
    assert ended.value.code == 2
    assert said in capsys.readouterr().err
    assert contents(tmp_path) == {}


def test_a_model_writes_conversations_once_and_the_store_writes_the_same_bytes(
    tmp_path, capsys, monkeypatch
):
    given = (MODEL, "--tokens", 10_000, "--conversations", 2, "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(script())
        code, out, err = generate(capsys, tmp_path / "one", *given)
        assert (code, err) == (0, "")
        estimate, first, second, run = out.splitlines()
        assert estimate.startswith("m: about ")
        assert first.startswith(f"{tmp_path / 'one' / '10K' / '1'}: ")
        assert second.endswith(" messages, 10 questions")
        assert run.endswith(f"--compaction-cases={tmp_path / 'one'}")
        calls = len(server.asked)
        assert generate(capsys, tmp_path / "other", *given)[0] == 0
        assert len(server.asked) == calls
    assert set(contents(tmp_path / "one")) == {f"10K/{n}/{name}" for n in (1, 2) for name in FILES}
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_the_same_command_goes_on_with_what_is_missing(tmp_path, capsys, monkeypatch):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store", "--seed", 5)
    with servers_in_environment(monkeypatch) as serve:
        serve(script())
        assert generate(capsys, tmp_path / "chats", *given)[0] == 0
        before = contents(tmp_path / "chats")
        left = tmp_path / "chats" / "10K" / ".6.partial"
        left.mkdir()
        (left / "chat.json").write_text("[", "utf-8")
        several = (*given, "--conversations", 2)
        code, out, err = generate(capsys, tmp_path / "chats", *several)
        assert (code, err) == (0, "")
        assert out.splitlines()[0].endswith("5: is there already and stays as it is")
        after = contents(tmp_path / "chats")
        assert before.items() < after.items()
        assert set(after) == {f"10K/{seed}/{name}" for seed in (5, 6) for name in FILES}
        code, out, err = generate(capsys, tmp_path / "chats", *several)
    assert (code, out) == (1, "")
    assert "is there already" in err


def test_an_interruption_is_a_sentence_and_the_same_command_goes_on(tmp_path, capsys, monkeypatch):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store")
    asked, answer = [], script()

    def interrupting(request):
        asked.append(str(request.body))
        if len(asked) == 30:
            signal.raise_signal(signal.SIGINT)
        return answer(request)

    with servers_in_environment(monkeypatch) as serve:
        serve(interrupting)
        code, out, err = generate(capsys, tmp_path / "chats", *given)
        assert (code, len(out.splitlines())) == (130, 1)
        assert err == "pytest-compaction: interrupted; the same command goes on where it was\n"
        assert contents(tmp_path / "chats") == {}
        assert generate(capsys, tmp_path / "chats", *given)[0] == 0
    assert set(contents(tmp_path / "chats")) == {f"10K/1/{name}" for name in FILES}
    assert len(set(asked)) > len(asked) - 30


def test_a_model_that_does_not_keep_to_a_form_ends_it_with_a_sentence(
    tmp_path, capsys, monkeypatch
):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        serve(script(spoil=lambda step, found, body: "I would rather not."))
        code, _, err = generate(capsys, tmp_path / "chats", *given)
    assert code == 1
    assert "the conversation of seed 1 is not finished; the same command goes on" in err
    assert "m did not write the seed in 3 trials: the reply is no JSON object" in err
    assert contents(tmp_path / "chats") == {}


def test_dropped_questions_and_missing_abilities_are_said(tmp_path, capsys, monkeypatch):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        serve(script(holds=lambda text: "of summarization" not in text))
        code, out, err = generate(capsys, tmp_path / "chats", *given)
    assert code == 0
    assert "seed 1: dropped “Question 0 of summarization?”: it is not said" in err
    assert "seed 1: no question of summarization" in err
    assert "9 questions" in out


def test_nothing_is_written_where_no_question_holds(tmp_path, capsys, monkeypatch):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        serve(script(holds=lambda text: "of abstention" in text))
        code, _, err = generate(capsys, tmp_path / "chats", *given)
    assert code == 1
    assert "seed 1: no question holds, so nothing is written" in err
    assert contents(tmp_path / "chats") == {}


def test_a_conversation_that_is_much_too_long_or_short_is_said(tmp_path, capsys, monkeypatch):
    given = (MODEL, "--tokens", 10_000, "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        serve(script(words=2_500))
        code, _, err = generate(capsys, tmp_path / "chats", *given)
    assert code == 0
    assert "tokens in place of 10,000: m did not keep to the lengths" in err
