"""The workflow that splits a run over machines does what the page says of it."""

import re

import pytest
from support.pages import DOCS, arguments, code, step, text
from support.scenarios import lean, long_case, write_cases
from support.sharded import IDS

from pytest_compaction.cli import main
from pytest_compaction.records import load_run

CI_PAGE = DOCS / "ci.md"
MATRIX = code(CI_PAGE, "yaml", "matrix:")
LAST = {
    "PASSED": (0, "--threshold=overall>=0"),
    "FAILED": (1, "--threshold=overall>=4.9"),
}


def run_shards(pytester):
    """Each job of the matrix; the files that all of them upload come together in one folder."""
    source = code(DOCS / "own-compactor.md", "python", "# my_compactor.py")
    pytester.makepyfile(my_compactor=source)
    write_cases(pytester, *(long_case(id) for id in IDS))
    together = pytester.mkdir("shards")
    (shards,) = re.findall(r"shard: \[(.+)\]", MATRIX)
    for shard in shards.split(", "):
        command = step(CI_PAGE, "--compaction-shard").replace("${{ matrix.shard }}", shard)
        result = pytester.runpytest_inprocess(*lean(), *arguments(command), "-n0")
        assert result.ret == pytest.ExitCode.OK
        (file,) = pytester.path.glob("runs/*.jsonl")
        file.rename(together / file.name)
    return together


def test_the_workflow_measures_in_shards_and_gates_on_the_merged_run(pytester, capsys, monkeypatch):
    together = run_shards(pytester)
    monkeypatch.chdir(pytester.path)
    name, *given = arguments(step(CI_PAGE, "merge"))
    assert (name, given[0]) == ("merge", "shards/*.jsonl")
    files = sorted(map(str, together.glob("*.jsonl")))
    assert len(files) == 3
    for word, (exit_code, threshold) in LAST.items():
        capsys.readouterr()
        assert main([name, *files, *given[1:], threshold]) == exit_code
        assert f"GATE {word} overall" in capsys.readouterr().out
    assert {record["case"] for record in load_run(pytester.path / "merged.jsonl").records} == set(
        IDS
    )


def test_the_workflow_uploads_what_its_runs_write_and_the_shards_are_as_many_as_the_matrix_has():
    command = step(CI_PAGE, "--compaction-shard")
    (folder,) = re.findall(r"--compaction-runs=(\S+)", command)
    assert f"path: {folder}/*.jsonl" in MATRIX
    (shards,) = re.findall(r"shard: \[(.+)\]", MATRIX)
    count = len(shards.split(", "))
    assert shards == ", ".join(str(number) for number in range(1, count + 1))
    assert f"/{count} " in command


def test_the_page_names_every_word_of_the_last_line_of_a_shard():
    shown = re.findall(r"^SHARD \d/\d ([A-Z]+)", text(CI_PAGE), re.MULTILINE)
    assert shown == ["MEASURED", "EMPTY", "FAILED"]
