"""Conversations that the command wrote are cases like any others."""

import re

import pytest
from support.pages import DOCS, arguments, code
from support.scenarios import lean, records

from pytest_compaction import cli
from pytest_compaction.case.kinds import ABILITIES
from pytest_compaction.session.session import shipped_long_memory


def test_what_the_command_wrote_runs_and_shows_all_abilities(pytester, capsys):
    assert cli.main(["generate", "--tokens", "20000", "--seed", "1", "-o", "chats/"]) == 0
    assert "20 questions" in capsys.readouterr().out
    arguments = ("--compactor=window,anchored", "--compaction-cases=chats/", "--compaction-show=0")
    shown = pytester.runpytest_inprocess(*lean(), *arguments, "-n0").stdout.str()
    for ability in ABILITIES:
        assert re.search(rf"^  {ability} +20K +\d\.\d\d", shown, re.MULTILINE), ability


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.json")
    }


def test_the_conversation_of_the_package_is_what_the_command_writes_and_runs_by_its_name(
    pytester, tmp_path
):
    assert cli.main(["generate", "--tokens", "30000", "--seed", "300", "-o", str(tmp_path)]) == 0
    assert files(tmp_path) == files(shipped_long_memory())
    given = arguments(code(DOCS / "long-memory.md", "console", "cases=long-memory").strip())
    pytester.runpytest_inprocess(*lean(), *given, "-k", "knowledge_update", "-n0")
    assert {record["case"] for record in records(pytester).records} == {"30K-300"}


def test_a_folder_of_that_name_goes_before_the_conversation_of_the_package(pytester):
    folder = pytester.mkdir("long-memory")
    result = pytester.runpytest_inprocess(
        *lean(), "--compactor=window", f"--compaction-cases={folder.name}", "-n0"
    )
    assert "30K-300" not in result.stdout.str()
    assert result.ret != pytest.ExitCode.OK
