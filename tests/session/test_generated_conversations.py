"""Conversations that the command wrote are cases like any others."""

import re

from support.scenarios import lean

from pytest_compaction import cli
from pytest_compaction.case.kinds import ABILITIES


def test_what_the_command_wrote_runs_and_shows_all_abilities(pytester, capsys):
    assert cli.main(["generate", "--tokens", "20000", "--seed", "1", "-o", "chats/"]) == 0
    assert "20 questions" in capsys.readouterr().out
    arguments = ("--compactor=window,anchored", "--compaction-cases=chats/", "--compaction-show=0")
    shown = pytester.runpytest_inprocess(*lean(), *arguments, "-n0").stdout.str()
    for ability in ABILITIES:
        assert re.search(rf"^  {ability} +20K +\d\.\d\d", shown, re.MULTILINE), ability
