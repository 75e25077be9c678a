"""``pytest-compaction init``, followed as a new user would: its commands end with a green gate."""

import json
import os
import re
import shlex
import types

import pytest
from support.endpoint_replies import Answer, completion
from support.endpoint_server import serving as endpoint
from support.own_clients import SUMMARY, both_forms
from support.paths import public_data
from support.runs_here import run_here
from support.scenarios import case, last_line, lean, long_case, set_up, write_cases
from support.stub_endpoint import PRICED, serving
from support.stub_endpoint import long_case as priced_case
from support.workflow_jobs import Service

from pytest_compaction import cli
from pytest_compaction.commands.init import command as init

OTHER = '[project]\nname = "ours"  # stays\nversion = "1"\n\n[tool.ruff]\nline-length = 90'
WORKFLOW = ".github/workflows/compaction.yml"


@pytest.fixture(autouse=True)
def _runs_here(pytester, monkeypatch, request):
    if "own_client" not in request.fixturenames:  # a client ends with its process
        run_here(pytester, monkeypatch)


@pytest.fixture
def answers(monkeypatch):
    """What the user answers, one line a question; nobody answers when they are used up."""
    given = []
    monkeypatch.setattr("sys.stdin", types.SimpleNamespace(isatty=lambda: True))

    def answer(question):
        if not given:
            raise EOFError
        return given.pop(0)

    monkeypatch.setattr("builtins.input", answer)
    return given


def initialise(*arguments):
    return cli.main(["init", *arguments])


def files(folder):
    found = (path for path in folder.rglob("*") if path.is_file())
    left_out = (".pytest_compaction", "__pycache__", ".pytest_cache")
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in found
        if not any(part in left_out for part in path.parts)
    }


def printed_commands(said):
    return [line.strip() for line in said.splitlines() if line.startswith("  pytest ")]


def follow(pytester, said):
    """Run the commands that init printed; each must end with a gate that passes."""
    (command,) = printed_commands(said)
    result = pytester.runpytest_inprocess(*lean(), *shlex.split(command)[1:], "-q")
    assert last_line(result).startswith("GATE PASSED overall "), str(result.stdout)
    assert result.ret == pytest.ExitCode.OK
    return result


def test_transcripts_become_a_project_with_a_gate_and_nothing_is_overwritten(
    pytester, answers, capsys
):
    (pytester.path / "pyproject.toml").write_text(OTHER)
    for name in ("one", "two"):
        text = public_data("claude-code/session.jsonl").read_bytes()
        (pytester.path / f"{name}.jsonl").write_bytes(text)
    (pytester.path / "broken.jsonl").write_text("{")
    answers += ["y", "yes"]
    assert initialise("one.jsonl", "two.jsonl", "broken.jsonl") == 0
    captured = capsys.readouterr()
    assert "broken.jsonl" in captured.err
    for shown in ("my_compactor.py:", "  | def compact(messages, budget):", "cases/one.json:"):
        assert f"{shown}\n" in captured.out
    config = (pytester.path / "pyproject.toml").read_text()
    assert config.startswith(f"{OTHER}\n\n[tool.pytest]\n# The first run: overall ")
    rules = 'compaction_baseline = "baseline.json"\ncompaction_max_newly_gone = "0"\n'
    assert config.endswith(f'"]\n{rules}required_plugins = ["pytest-compaction"]\n')
    assert 'compaction_threshold = ["overall>=' in config
    assert "compaction_cases" not in config
    workflow = (pytester.path / WORKFLOW).read_text()
    assert "python -m pip install . pytest-compaction\n" in workflow
    assert "pytest --compactor=my_compactor:compact -n 2 " in workflow
    assert {"cases/one.json", "cases/two.json"} <= files(pytester.path).keys()
    result = follow(pytester, captured.out)
    assert " · newly gone 0 <= 0, regained 0 · " in last_line(result)

    before = files(pytester.path)
    assert initialise("one.jsonl", "--yes") == 0
    said = capsys.readouterr().out
    for name in ("my_compactor.py", WORKFLOW, "cases/one.json"):
        assert f"{name} exists, and stays as it is\n" in said
    assert "pyproject.toml has a compaction_threshold, which stays as it is\n" in said
    assert files(pytester.path) == before


@pytest.mark.exhaustive
def test_a_strategy_that_is_named_needs_no_function_and_the_projects_cases_are_measured(
    pytester, capsys
):
    set_up(pytester)
    write_cases(pytester, long_case("first"), long_case("second"))
    pytester.makeini("[pytest]\naddopts = -pno:cacheprovider\n")
    (pytester.path / "requirements.txt").write_text("")
    assert initialise("--yes", "--compactor=truncate") == 0
    said = capsys.readouterr().out
    assert not (pytester.path / "my_compactor.py").exists()
    assert "install -r requirements.txt pytest-compaction\n" in said
    lines = (pytester.path / "tox.ini").read_text().splitlines()
    assert lines[:1] == ["[pytest]"]
    assert lines[1].startswith("# The first run: overall ")
    assert lines[2].startswith("compaction_threshold = overall>=")
    assert lines[3:] == [
        "compaction_baseline = baseline.json",
        "compaction_max_newly_gone = 0",
        "required_plugins = pytest-compaction",
        "addopts = -pno:cacheprovider",
    ]
    assert "2 cases" in lines[1]
    follow(pytester, said)


def test_where_no_words_are_recorded_rules_summarise_in_so_many_words(
    pytester, capsys, no_model_named
):
    set_up(pytester)
    write_cases(pytester, long_case("first"), long_case("second"))
    (pytester.path / "pyproject.toml").write_text(OTHER)
    assert initialise("--compactor=anchored", "--yes") == 0
    config = (pytester.path / "pyproject.toml").read_text()
    assert "Rules summarise (offline), because no words of a model are recorded here.\n" in config
    assert 'compaction_model = "offline"\n' in config
    follow(pytester, capsys.readouterr().out)


@pytest.mark.exhaustive
def test_where_a_model_is_sampled_the_baseline_is_run_twice_and_its_noise_becomes_the_limit(
    pytester, answers, capsys, monkeypatch, no_model_named
):
    pytester.makeconftest(PRICED)
    pytester.makeini("[pytest]\ncompaction_model = gpt-4o-mini\ncompaction_over_budget = report\n")
    write_cases(pytester, priced_case("first"))
    answers += ["y", "y", "y"]
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        assert initialise("--compactor=anchored") == 0
        made = len(stub.calls)
    said = " ".join(capsys.readouterr().out.split())
    first, planned = (
        re.search(r"the first run made (\d+)", said),
        re.search(r"about (\d+) calls", said),
    )
    assert int(planned[1]) == 6 * int(first[1])
    # Equal answers are judged once, and the second run asks for all of its own anew.
    assert 4 * int(first[1]) < made <= int(planned[1])
    bound = re.search(r"Two runs of the same prompt lose (\d+) facts at most", said)[1]
    config = (pytester.path / "tox.ini").read_text()
    assert f"compaction_max_newly_gone = {bound}\n" in config
    assert "compaction_trials = 3\n" in config
    (part,) = json.loads((pytester.path / "baseline.json").read_text())["strategies"].values()
    assert part["sampled"]
    assert {item.get("trial", 1) for item in part["items"]} == {1, 2, 3}


CLIENT = """
from openai import OpenAI

client = OpenAI()
PROMPT = "Summarise."


def compact(messages, budget):
    asked = [{"role": "user", "content": f"{PROMPT} {messages}"}]
    reply = client.chat.completions.create(model="gpt-4o-mini", messages=asked)
    return [{"role": "user", "content": reply.choices[0].message.content}]
"""


PROMPT_OF = re.compile("PROMPT = .*")


@pytest.fixture
def own_client(pytester, monkeypatch):
    """A project whose strategy makes its client on import, and the endpoint that it asks."""
    (pytester.path / "my_agent.py").write_text(CLIENT)
    write_cases(pytester, priced_case("first"), priced_case("second"))
    with endpoint(both_forms) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
        yield server


def test_without_a_terminal_the_estimate_and_the_command_are_said_and_no_model_is_asked(
    pytester, own_client, capsys, monkeypatch
):
    run_here(pytester, monkeypatch)
    before = files(pytester.path)
    assert initialise("--compactor=my_agent:compact", "--data=../our data") == 1
    said = capsys.readouterr().out
    assert "that is about 4 calls and " in said
    command = "pytest-compaction init --compactor=my_agent:compact '--data=../our data' --yes"
    assert f"There is no terminal to ask on. To go on: {command}\n" in said
    assert (own_client.asked, files(pytester.path)) == ([], before)


def test_the_calls_of_a_client_of_ones_own_are_recorded_and_replayed_without_a_key(
    pytester, own_client, answers, capsys, monkeypatch
):
    answers += ["y", "n", "y"]
    assert initialise("--compactor=my_agent:compact") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.index("that is about 4 calls") < said.index("The first run takes a moment")
    assert "about 24 calls, of which the first run made 4." in said
    assert len(own_client.asked) == len(list(pytester.path.glob("calls/*/*.json"))) == 4
    settings = (pytester.path / "pytest.ini").read_text()
    assert "compaction_store = calls\ncompaction_proxy = true\n" in settings
    assert "compaction_baseline = baseline.json\n" in settings
    assert "newly_gone" not in settings
    workflow = (pytester.path / WORKFLOW).read_text()
    assert "OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}" in workflow
    assert "sk-for-this-test" not in workflow


@pytest.mark.exhaustive
def test_the_workflow_replays_without_a_key_and_is_red_when_a_prompt_lost_facts(
    pytester, own_client, tmp_path
):
    """With a key it makes the calls that are not recorded."""
    less = PROMPT_OF.sub('PROMPT = "Be brief."', CLIENT)

    def reply(asked):
        told = asked.body["messages"][0]["content"]
        return Answer(completion("Nothing." if "brief" in told else SUMMARY, usage=(400, 20)))

    own_client.decide = reply
    assert initialise("--compactor=my_agent:compact", "--yes") == 0
    asked = len(own_client.asked)
    service = Service(tmp_path / "github", (pytester.path / WORKFLOW).read_text())
    exit_code, said, summary = service.job(pytester.path, "push")
    assert (exit_code, len(own_client.asked)) == (0, asked), said
    assert "GATE PASSED" in summary
    page = tmp_path / "github/artifacts/1/compaction-page"
    assert {path.name for path in page.iterdir()} == {"compaction.html", "compaction.xml"}

    (pytester.path / "my_agent.py").write_text(less)
    exit_code, said, _ = service.job(pytester.path, "pull_request")
    assert (exit_code, len(own_client.asked)) == (1, asked)
    assert "--compaction-replay" in said
    service.values |= {
        "secrets.OPENAI_API_KEY": os.environ["OPENAI_API_KEY"],
        "vars.OPENAI_BASE_URL": own_client.url,
    }
    exit_code, said, summary = service.job(pytester.path, "pull_request")
    assert exit_code == 1
    assert len(own_client.asked) > asked
    assert "::error title=compaction" in said
    assert "newly gone" in summary


def test_what_holds_text_of_sessions_can_lie_outside_the_repository(pytester, capsys):
    project = pytester.mkdir("project")
    text = public_data("pi-agent/large-session.jsonl").read_bytes()
    (pytester.path / "one.jsonl").write_bytes(text)
    os.chdir(project)
    assert initialise("../one.jsonl", "--data=../ours", "--compactor=truncate", "--yes") == 0
    assert files(pytester.path / "ours").keys() == {"cases/one.json", "baseline.json"}
    assert files(project).keys() == {WORKFLOW, "pytest.ini", "baseline.accepted.json"}
    assert "run download --name compaction-data --dir ../ours" in (project / WORKFLOW).read_text()
    follow(pytester, capsys.readouterr().out)


@pytest.mark.parametrize("given", [[], ["n"]])
def test_nothing_is_written_unless_the_user_says_yes(pytester, answers, capsys, given):
    write_cases(pytester, case())
    before = files(pytester.path)
    answers += given
    assert initialise() == 1
    assert files(pytester.path) == before
    assert "Nothing more is written" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("anchored,truncate", "names several strategies, and a threshold is set for one"),
        (" ", "names no strategy"),
        ("mine:compact:api_key=plenty-of-letters-4711", "api_key=[key] holds a key, which would"),
    ],
)
def test_a_strategy_that_no_gate_can_be_written_for_is_refused(pytester, capsys, strategy, said):
    assert initialise("--yes", f"--compactor={strategy}") == 1
    assert said in capsys.readouterr().err
    assert files(pytester.path) == {}


def test_a_file_that_cannot_be_written_is_named(pytester, capsys):
    set_up(pytester)
    write_cases(pytester, long_case("first"))
    (pytester.path / ".github").write_text("")
    assert initialise("--yes", "--compactor=truncate") == 1
    said = capsys.readouterr().err
    assert ".github" in said
    assert "cannot be written: " in said


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("raises", "out of order"),
        pytest.param("same", "nothing was compacted", marks=pytest.mark.exhaustive),
        ("forget", "threshold of 0"),
    ],
)
def test_a_strategy_that_cannot_be_gated_gets_no_threshold_and_the_reason_is_said(
    pytester, capsys, strategy, said
):
    set_up(pytester, "first")
    assert initialise("--yes", f"--compactor=strategies:{strategy}") == 1
    captured = capsys.readouterr()
    assert said in captured.err
    assert "no threshold is written" in captured.err or "none is written" in captured.err
    assert not (pytester.path / "pytest.ini").exists()
    assert printed_commands(captured.out) == []


def test_a_broken_file_of_settings_or_no_usable_transcript_is_said_before_anything_is_written(
    pytester, capsys
):
    (pytester.path / "none.jsonl").write_text("{")
    assert initialise("--yes", "none.jsonl") == 1
    (pytester.path / "pyproject.toml").write_text("[tool.pytest\n")
    assert initialise("--yes") == 1
    assert "pyproject.toml cannot be read" in capsys.readouterr().err
    assert files(pytester.path).keys() == {"none.jsonl", "pyproject.toml"}


@pytest.mark.exhaustive
def test_an_empty_folder_becomes_a_project_that_gates_on_the_shipped_cases(pytester, capsys):
    assert initialise("--yes") == 0
    said = capsys.readouterr().out
    assert files(pytester.path).keys() == {
        *("my_compactor.py", WORKFLOW, "pytest.ini", "baseline.json")
    }
    config = (pytester.path / "pytest.ini").read_text()
    assert "compaction_cases = shipped\n" in config
    assert "of the shipped cases" in last_line(follow(pytester, said))


def test_the_function_that_is_written_keeps_the_newest_within_the_budget():
    found = {}
    exec((init.compactor_file()).text, found)
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    messages = [
        {"role": "system", "content": "Help."},
        {"role": "user", "content": "first " * 400},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": json.dumps(list(range(50)))},
        {"role": "user", "content": "last"},
    ]
    assert found["compact"](messages, 10_000) == messages
    assert found["compact"](messages, 500) == [messages[0], *messages[2:]]
    assert found["compact"](messages, 150) == [messages[0], messages[4]]
    long = [messages[0], {"role": "user", "content": "x" * 9_000}]
    (_, cut) = found["compact"](long, 100)
    assert found["size"]([cut]) <= 100


@pytest.mark.parametrize(
    "name", ["pytest.ini", pytest.param("pyproject.toml", marks=pytest.mark.exhaustive)]
)
def test_without_the_plugin_the_written_project_is_not_green(
    pytester, capsys, name, no_model_named
):
    set_up(pytester)
    write_cases(pytester, long_case("first"), long_case("second"))
    (pytester.path / name).write_text("[pytest]\n" if name == "pytest.ini" else OTHER)
    assert initialise("--compactor=truncate", "--yes") == 0
    follow(pytester, capsys.readouterr().out)
    (pytester.path / "test_ours.py").write_text("def test_ours(): pass\n")
    result = pytester.runpytest_inprocess(*lean(), "-p", "no:compaction", "test_ours.py")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*Missing required plugins: pytest-compaction*"])


def test_required_plugins_of_a_project_stay_and_are_named(pytester, capsys):
    set_up(pytester)
    write_cases(pytester, long_case("first"), long_case("second"))
    (pytester.path / "pytest.ini").write_text("[pytest]\nrequired_plugins = pytest-xdist\n")
    assert initialise("--compactor=truncate", "--yes") == 0
    said = capsys.readouterr().out
    assert "pytest.ini has required_plugins, which stays as it is; add pytest-compaction" in said
    assert "required_plugins = pytest-xdist\n" in (pytester.path / "pytest.ini").read_text()
