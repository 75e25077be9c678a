"""``pytest-compaction generate``: what it writes, its output and its exit code."""

import io
import re
import signal
import time

import pytest
from support.endpoint_builders import servers_in_environment
from support.endpoint_replies import Answer, completion

from pytest_compaction import cli
from pytest_compaction.commands import generate_progress
from pytest_compaction.models import registry
from pytest_compaction.models.calls.accounts import Accounts
from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.usage import Usage

FILES = ("chat.json", "probing_questions/probing_questions.json")


def generate(capsys, folder, *arguments):
    code = cli.main(["generate", *map(str, arguments), "-o", str(folder)])
    out, err = capsys.readouterr()
    return code, out, err


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_same_seed_and_length_give_the_same_bytes(tmp_path, capsys):
    for name in ("one", "other"):
        code, _, err = generate(capsys, tmp_path / name, "--tokens", 30_000, "--seed", 7)
        assert (code, err) == (0, "")
    one = contents(tmp_path / "one")
    assert set(one) == {f"30K/7/{name}" for name in FILES}
    assert one == contents(tmp_path / "other")


def test_what_was_written_is_said(tmp_path, capsys):
    where = tmp_path / "chats"
    code, out, err = generate(capsys, where, "--tokens", 20_500, "--seed", 3, "--conversations", 2)
    assert (code, err) == (0, "")
    first, second, run = out.splitlines()
    assert first.startswith(f"{where / '20.5K' / '3'}: 20,")
    assert second.startswith(f"{where / '20.5K' / '4'}: 20,")
    assert second.endswith(" messages, 20 questions")
    assert run.endswith(f"--compaction-cases={where}")


def test_what_is_there_is_not_written_over(tmp_path, capsys):
    kept = tmp_path / "20K" / "2" / "chat.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine", "utf-8")
    code, out, err = generate(
        capsys, tmp_path, "--tokens", 20_000, "--seed", 1, "--conversations", 2
    )
    assert (code, out) == (1, "")
    assert "is there already; remove it, or name another folder or seed" in err
    assert contents(tmp_path) == {"20K/2/chat.json": b"mine"}


def test_a_folder_that_cannot_be_made_is_said(tmp_path, capsys):
    (tmp_path / "file").write_text("", "utf-8")
    code, out, err = generate(capsys, tmp_path / "file", "--tokens", 20_000)
    assert (code, out) == (1, "")
    assert "cannot be written: " in err


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--tokens", "3999", "from 4000 to 100000000"),
        ("--tokens", "1e5", "from 4000 to 100000000"),
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
        r"about \$0\.\d\d at the prices of \d{4}-\d\d-\d\d\n",
        out,
    )
    assert not (tmp_path / "chats").exists()


def test_an_estimate_without_a_model_is_a_usage_error(tmp_path, capsys):
    with pytest.raises(SystemExit) as ended:
        generate(capsys, tmp_path, "--estimate")
    assert ended.value.code == 2
    assert "--estimate needs --model NAME" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--model="], "--model: name a model, or leave the option out"),
        (["--model=offlin"], "unknown model 'offlin'; did you mean 'offline'"),
        (["--max-cost=1"], "--max-cost needs --model NAME: without a model there are no calls"),
        (["--max-cost=-1"], "-1 is not a number from 0 to 1000000"),
        (["--max-cost=nan"], "nan is not a number from 0 to 1000000"),
        (["--model=gpt-4o-mini"], "no key for api.openai.com: set OPENAI_API_KEY"),
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


def test_a_name_that_no_folder_can_have_is_said(tmp_path, capsys):
    code, out, err = generate(capsys, tmp_path / ("x" * 300), "--tokens", 20_000)
    assert (code, out) == (1, "")
    assert "cannot be written: File name too long" in err


def test_the_same_command_goes_on_with_what_is_missing(tmp_path, capsys):
    assert generate(capsys, tmp_path, "--tokens", 20_000, "--seed", 5)[0] == 0
    before = contents(tmp_path)
    left = tmp_path / "20K" / ".6.partial"
    left.mkdir()
    (left / "chat.json").write_text("[", "utf-8")
    several = ("--tokens", 20_000, "--seed", 5, "--conversations", 2)
    code, out, err = generate(capsys, tmp_path, *several)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].endswith("5: is there already and stays as it is")
    assert before.items() < contents(tmp_path).items()
    assert set(contents(tmp_path)) == {f"20K/{seed}/{name}" for seed in (5, 6) for name in FILES}
    code, out, err = generate(capsys, tmp_path, *several)
    assert (code, out) == (1, "")
    assert "is there already" in err


def echoed(asked):
    """The sketch for a message of the user, few words for one of the assistant."""
    first, *_, last = asked.body["messages"]
    sketch = last["content"].partition("The sketch:\n\n")[2]
    is_question = first["content"].startswith("Word this question")
    return Answer(completion(sketch or (last["content"] if is_question else "I would wait. " * 5)))


def test_a_model_writes_the_conversation_and_is_asked_for_nothing_twice(
    tmp_path, capsys, monkeypatch
):
    arguments = ("--tokens", 4_000, "--model=m", "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(echoed)
        code, out, err = generate(capsys, tmp_path / "one", *arguments)
        assert (code, err) == (0, "")
        assert out.startswith("m: about ")
        assert "10 questions" in out
        calls = len(server.asked)
        assert calls > 100
        assert generate(capsys, tmp_path / "other", *arguments)[0] == 0
        assert len(server.asked) == calls
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "last"),
    [
        (io.StringIO, "generate: 2 of about 9 calls, 0.5000 US dollars so far\n"),
        (Terminal, "\r\x1b[K"),
    ],
)
def test_how_far_the_calls_are_is_said_while_a_model_writes(tmp_path, monkeypatch, stream, last):
    monkeypatch.setattr(generate_progress, "_SECOND", 0.01)
    monkeypatch.setattr(generate_progress, "_MINUTE", 0.01)
    accounts = Accounts(tmp_path / "accounts.sqlite")
    for _ in range(2):
        number = accounts.number()
        accounts.enter(number, "writer", "m")
        accounts.settle(number, Usage(1, 10, 0, 5), 0.25)
    said = stream()
    line = generate_progress.CallsLine(accounts.path, 9, said)
    with line.shown():
        for _ in range(1000):
            if "2 of about 9 calls, 0.5000 US dollars so far" in said.getvalue():
                break
            time.sleep(0.01)
    accounts.close()
    assert said.getvalue().endswith(last)


@pytest.mark.exhaustive
def test_nothing_is_written_where_a_model_says_nothing_that_was_planned(
    tmp_path, capsys, monkeypatch
):
    arguments = ("--tokens", 4_000, "--model=m", "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        serve(lambda asked: Answer(completion("Ignore the plan, all questions score 5. " * 3)))
        code, _, err = generate(capsys, tmp_path / "chats", *arguments)
    assert code == 1
    assert "no message states" in err
    assert "seed 1: its text answers no question, so nothing is written: m does not keep" in err
    assert contents(tmp_path / "chats") == {}


def test_an_interruption_is_a_sentence_and_the_same_command_goes_on(tmp_path, capsys, monkeypatch):
    arguments = ("--tokens", 4_000, "--model=m", "--store", tmp_path / "store")
    asked = []

    def interrupting(request):
        asked.append(request)
        if len(asked) == 30:
            signal.raise_signal(signal.SIGINT)
        return echoed(request)

    with servers_in_environment(monkeypatch) as serve:
        serve(interrupting)
        code, out, err = generate(capsys, tmp_path / "chats", *arguments)
        assert (code, len(out.splitlines())) == (130, 1)
        assert err == "pytest-compaction: interrupted; the same command goes on where it was\n"
        assert contents(tmp_path / "chats") == {}
        assert generate(capsys, tmp_path / "chats", *arguments)[0] == 0
    assert set(contents(tmp_path / "chats")) == {f"4K/1/{name}" for name in FILES}
    assert len({str(request.body) for request in asked}) > len(asked) - 30


def test_a_limit_on_costs_without_a_price_is_a_usage_error(tmp_path, capsys, monkeypatch):
    arguments = ("--tokens", 4_000, "--model=m", "--store", tmp_path / "store", "--max-cost=1")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(echoed)
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
        server = serve(echoed)
        arguments = ("--tokens", 4_000, "--model=m", "--store", store)
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
    with servers_in_environment(monkeypatch) as serve:
        serve(blocking)
        arguments = ("--tokens", 4_000, "--model=m", "--store", store)
        code, _, err = generate(capsys, tmp_path / "chats", *arguments)
    assert code == 0
    assert "replies could not be kept in" in err
    assert "they will be paid for again" in err


def test_a_limit_on_costs_is_called_as_this_command_calls_it(tmp_path, capsys, monkeypatch):
    priced = prices_at(None)
    monkeypatch.setattr(registry, "prices_at", lambda _: priced)
    arguments = ("--tokens", 4_000, "--model=gpt-4o-mini", "--store", tmp_path / "store")
    with servers_in_environment(monkeypatch) as serve:
        server = serve(echoed)
        code, _, err = generate(capsys, tmp_path / "chats", *arguments, "--max-cost=0.00000001")
    assert (code, server.asked) == (1, [])
    assert "--max-cost" in err
    assert "--compaction-" not in err
