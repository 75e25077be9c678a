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
SMALL = (MODEL, "--tokens", 10_000)


@pytest.fixture
def generate(tmp_path, capsys):
    """Run the command into a folder; exit code and both outputs."""

    def run(folder, *arguments):
        given = map(str, (*arguments, "--store", tmp_path / "store", "-o", tmp_path / folder))
        try:
            code = cli.main(["generate", *given])
        except SystemExit as ended:
            code = ended.code
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def serve(monkeypatch):
    """A server at the address of the environment, which answers as a function decides."""
    with servers_in_environment(monkeypatch) as start:
        yield start


def script(**how):
    """What a server answers that writes by a script."""
    author = Author(**how)
    return lambda asked: Answer(author(asked.body))


def contents(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_what_is_there_is_not_written_over(tmp_path, generate):
    kept = tmp_path / "chats" / "20K" / "2" / "chat.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("mine", "utf-8")
    code, out, err = generate("chats", MODEL, "--tokens", 20_000, "--seed", 1, "--conversations", 2)
    assert (code, out) == (1, "")
    assert "is there already; remove it, or name another folder or seed" in err
    assert contents(tmp_path) == {"chats/20K/2/chat.json": b"mine"}


@pytest.mark.parametrize(
    ("folder", "why"), [("file", "cannot be written: "), ("x" * 300, "File name too long")]
)
def test_a_folder_that_cannot_be_made_is_said(tmp_path, generate, monkeypatch, folder, why):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "file").write_text("", "utf-8")
    code, _, err = generate(folder, *SMALL)
    assert (code, "cannot be written: " in err, why in err) == (1, True, True)


def test_an_estimate_says_what_a_model_would_cost_and_asks_it_nothing(
    tmp_path, generate, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    code, out, err = generate("chats", "--tokens", 20_000, "--model=gpt-4o-mini", "--estimate")
    assert (code, err) == (0, "")
    assert re.fullmatch(
        r"gpt-4o-mini: about \d+ calls, \d+,\d+ tokens read and \d+,\d+ written, "
        r"about \$0\.\d\d at the prices of genai-prices [\d.]+\n",
        out,
    )
    assert not (tmp_path / "chats").exists()


def test_a_limit_on_costs_without_a_price_is_a_usage_error(generate, serve):
    server = serve(script())
    code, _, said = generate("chats", *SMALL, "--max-cost=1")
    assert code == 2
    assert "--max-cost needs a price, and none is known for m at this endpoint" in said
    assert generate("chats", *SMALL, "--max-cost=1", "--estimate")[0] == 0
    assert server.asked == []


def test_a_store_that_is_no_folder_is_said_before_a_model_is_asked(tmp_path, generate, serve):
    (tmp_path / "store").write_text("", "utf-8")
    server = serve(script())
    code, out, err = generate("chats", *SMALL)
    assert (code, out, server.asked) == (1, "", [])
    assert "store is no folder, so that no call could be kept there" in err


@pytest.mark.exhaustive
def test_replies_that_cannot_be_kept_are_said(tmp_path, generate, serve):
    store, echoed = tmp_path / "store", script()

    def blocking(asked):
        for number in range(256):
            (store / f"{number:02x}").touch()
        return echoed(asked)

    store.mkdir()
    serve(blocking)
    code, _, err = generate("chats", *SMALL)
    assert code == 0
    assert "replies could not be kept in" in err
    assert "they will be paid for again" in err


def test_a_limit_on_costs_is_called_as_this_command_calls_it(generate, serve, monkeypatch):
    priced = prices_at(None)
    monkeypatch.setattr(registry, "prices_at", lambda _: priced)
    server = serve(script())
    given = ("--tokens", 10_000, "--model=gpt-4o-mini", "--max-cost=0.00000001")
    code, _, err = generate("chats", *given)
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
        (["--tokens=9999"], "9999 is not a whole number from 10000 to 100000000"),
        (["--tokens=1e5"], "1e5 is not a whole number from 10000 to 100000000"),
        (["--seed=-1"], "-1 is not a whole number from 0 to 999999999"),
        (["--conversations=0"], "0 is not a whole number from 1 to 1000"),
    ],
)
def test_what_cannot_be_asked_for_is_a_usage_error(
    tmp_path, generate, monkeypatch, arguments, said
):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    code, _, err = generate("chats", "--tokens", 20_000, *arguments)
    assert code == 2
    assert said in err
    assert contents(tmp_path) == {}


def test_a_model_writes_conversations_once_and_the_store_writes_the_same_bytes(
    tmp_path, generate, serve
):
    server = serve(script())
    code, out, err = generate("one", *SMALL, "--conversations", 2)
    assert (code, err) == (0, "")
    estimate, first, second, run = out.splitlines()
    assert estimate.startswith("m: about ")
    assert first.startswith(f"{tmp_path / 'one' / '10K' / '1'}: ")
    assert second.endswith(" messages, 10 questions")
    assert run.endswith(f"--compaction-cases={tmp_path / 'one'}")
    calls = len(server.asked)
    assert generate("other", *SMALL, "--conversations", 2)[0] == 0
    assert len(server.asked) == calls
    assert set(contents(tmp_path / "one")) == {f"10K/{n}/{name}" for n in (1, 2) for name in FILES}
    assert contents(tmp_path / "one") == contents(tmp_path / "other")


def test_the_same_command_goes_on_with_what_is_missing(tmp_path, generate, serve):
    serve(script())
    assert generate("chats", *SMALL, "--seed", 5)[0] == 0
    before = contents(tmp_path / "chats")
    left = tmp_path / "chats" / "10K" / ".6.partial"
    left.mkdir()
    (left / "chat.json").write_text("[", "utf-8")
    several = (*SMALL, "--seed", 5, "--conversations", 2)
    code, out, err = generate("chats", *several)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].endswith("5: is there already and stays as it is")
    after = contents(tmp_path / "chats")
    assert before.items() < after.items()
    assert set(after) == {f"10K/{seed}/{name}" for seed in (5, 6) for name in FILES}
    code, out, err = generate("chats", *several)
    assert (code, out) == (1, "")
    assert "is there already" in err


def test_an_interruption_is_a_sentence_and_the_same_command_goes_on(tmp_path, generate, serve):
    asked, answer = [], script()

    def interrupting(request):
        asked.append(str(request.body))
        if len(asked) == 30:
            signal.raise_signal(signal.SIGINT)
        return answer(request)

    serve(interrupting)
    code, out, err = generate("chats", *SMALL)
    assert (code, len(out.splitlines())) == (130, 1)
    assert err == "pytest-compaction: interrupted; the same command goes on where it was\n"
    assert contents(tmp_path / "chats") == {}
    assert generate("chats", *SMALL)[0] == 0
    assert set(contents(tmp_path / "chats")) == {f"10K/1/{name}" for name in FILES}
    assert len(set(asked)) > len(asked) - 30


@pytest.mark.parametrize(
    ("how", "code", "said"),
    [
        (
            {"spoil": lambda step, found, body: "I would rather not."},
            1,
            [
                "the conversation of seed 1 is not finished; the same command goes on",
                "m did not write the seed in 3 trials: the reply is no JSON object",
            ],
        ),
        (
            {"holds": lambda text: "of summarization" not in text, "words": 2_500},
            0,
            [
                "seed 1: dropped “Question 0 of summarization?”: it is not said",
                "seed 1: no question of summarization",
                "tokens in place of 10,000: m did not keep to the lengths",
            ],
        ),
        (
            {"holds": lambda text: "of abstention" in text},
            1,
            ["seed 1: no question holds, so nothing is written"],
        ),
    ],
    ids=["no form", "one ability less, and too long", "no question"],
)
def test_a_model_that_does_not_do_as_it_is_told_is_said(tmp_path, generate, serve, how, code, said):
    serve(script(**how))
    ended, out, err = generate("chats", *SMALL)
    assert (ended, [each for each in said if each not in err]) == (code, [])
    assert ("9 questions" in out) is (code == 0)
    assert bool(contents(tmp_path / "chats")) is (code == 0)
