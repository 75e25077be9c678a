"""Completion by argcomplete: of strategies and options of pytest, and of the commands."""

import argparse
import os
import subprocess
import sys

import pytest

from pytest_compaction.compactors.registry import Registry
from pytest_compaction.options import completion
from pytest_compaction.options.table import OPTIONS


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("ancho", ["anchored", "anchors"]),
        ("anchored,tru", ["anchored,truncate"]),
        ("anchored+lig", ["anchored+light"]),
        ("no-such", []),
        ("", sorted(Registry().names())),
    ],
)
def test_the_names_of_strategies_are_completed_where_the_value_ends(prefix, expected):
    assert sorted(completion.strategies(prefix=prefix, parser=None)) == expected


def test_options_with_a_completer_are_read_as_without():
    parser = argparse.ArgumentParser()
    for option in OPTIONS:
        usual = "append" if option.repeatable else "store"
        if found := completion.action(option.flag, option.choices, usual):
            parser.add_argument(option.flag, action=found, dest=option.key)
    given = ["--compactor=a", "--compactor=b", "--compaction-trigger=auto"]
    options = parser.parse_args(given)
    assert (options.compactor, options.compaction_trigger) == (["a", "b"], "auto")
    assert completion.action("--compaction-cases", (), "append") is None


def completed(line, program, folder):
    """What argcomplete offers at the end of a command line."""
    pytest.importorskip("argcomplete")
    file = folder / "offered"
    environment = os.environ | {
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(file),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    subprocess.run([sys.executable, "-m", program], env=environment, cwd=folder, check=False)
    return {text.strip().partition("=")[2] or text.strip() for text in file.read_text().split("\n")}


def test_pytest_completes_strategies_and_options(tmp_path):
    assert completed("pytest --compactor=anchored,trun", "pytest", tmp_path) == {
        "anchored,truncate"
    }
    assert completed("pytest --compaction-over-budget=", "pytest", tmp_path) == {"fail", "report"}
    assert "--compaction-threshold" in completed("pytest --compaction-thr", "pytest", tmp_path)


def test_the_commands_are_completed(tmp_path):
    assert completed("pytest-compaction im", "pytest_compaction.cli", tmp_path) == {"import"}
