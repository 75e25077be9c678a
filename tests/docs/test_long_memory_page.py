"""The commands of docs/long-memory.md, over a short conversation in the place that they name."""

import pytest
from support.long_conversations import write
from support.pages import DOCS, arguments, code
from support.scenarios import lean, records, run_files

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
