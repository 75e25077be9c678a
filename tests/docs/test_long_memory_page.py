"""The commands of docs/long-memory.md, over a short conversation in the place that they name."""

import pytest
from support.endpoint_builders import servers_in_environment
from support.endpoint_replies import Answer
from support.long_conversations import write
from support.pages import DOCS, arguments, code
from support.scenarios import lean, records, run_files
from support.scripted_author import Author

from pytest_compaction import cli

PAGE = DOCS / "long-memory.md"


@pytest.mark.parametrize("mark", ["window,rag,light", "light:episodic=off", "light:k=5"])
def test_a_command_runs_and_each_strategy_is_a_column(pytester, capsys, mark):
    write(pytester.path / "chats" / "100K" / "1", 3000)
    given = arguments(code(PAGE, "console", mark).strip())
    less = ("--compaction-budget=1200", "-k", "knowledge_update", "-n0")
    shown = pytester.runpytest_inprocess(*lean(), *given, *less).stdout.str()
    assert "Abilities by size of the conversation" in shown
    (named,) = [argument for argument in given if argument.startswith("--compactor=")]
    found = {record["compactor"] for record in records(pytester).records}
    assert found == set(named.partition("=")[2].split(","))
    capsys.readouterr()
    (run,) = run_files(pytester)
    assert cli.main(["report", str(run), "--table", "abilities"]) == 0
    assert "knowledge_update" in capsys.readouterr().out


def test_what_a_model_wrote_runs_as_a_case(pytester, capsys, monkeypatch):
    commands = code(PAGE, "console", "generate --model").strip().splitlines()
    written, run = (arguments(command) for command in commands)
    author = Author()
    with servers_in_environment(monkeypatch) as serve:
        serve(lambda asked: Answer(author(asked.body)))
        assert cli.main([*written, "--tokens", "20000"]) == 0
    assert "chats/20K/1: " in capsys.readouterr().out
    shown = pytester.runpytest_inprocess(*lean(), *run, "-n0").stdout.str()
    assert "Abilities by size of the conversation" in shown
    assert {record["case"] for record in records(pytester).records} == {"20K-1"}
    assert len(records(pytester).records) == 40
