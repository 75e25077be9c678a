"""``python -m tests.benchmarks``: what it lists, and small runs of the benchmarks it names."""

import json
import subprocess
import sys

import pytest
from support.stub_endpoint import long_case

from tests.benchmarks.__main__ import BENCHMARKS, main
from tests.benchmarks.checkouts import ROOT, commit_of
from tests.benchmarks.offline import offline_strategies

ONLY = "300 ms, 32 in flight, -n 0"
"""One row of the benchmark ``limit``."""


@pytest.fixture
def cases(tmp_path):
    """A folder with one small case."""
    folder = tmp_path / "cases"
    folder.mkdir()
    (folder / "small.json").write_text(json.dumps(long_case("small")), "utf-8")
    return folder


def rows(text):
    """The rows of the table in a text, by their name, each a dictionary of its cells."""
    lines = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("|")]
    head, _, *others = lines
    return {cells[0]: dict(zip(head, cells, strict=False)) for cells in others}


def test_the_benchmarks_are_listed_with_what_each_measures_and_no_other_is_run(capsys):
    command = [sys.executable, "-m", "tests.benchmarks"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    assert names == list(BENCHMARKS)
    assert all(len(line.split()) > 4 for line in listed.splitlines())
    with pytest.raises(SystemExit):
        main(["speed"])
    complaint = capsys.readouterr().err
    assert all(name in complaint for name in BENCHMARKS)


def test_the_shipped_cases_are_measured_where_no_others_are_named(capsys):
    assert main(["startup", "--only=no item, -n 0"]) == 0
    printed = capsys.readouterr()
    (found,) = rows(printed.out).values()
    assert float(found["CPU time (s)"]) > 0
    assert "--compaction-cases=shipped" in printed.err


@pytest.mark.exhaustive
def test_the_limit_is_measured_and_put_on_a_page(cases, tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- table limit -->\n<!-- /table limit -->\n", "utf-8")
    assert main(["limit", f"--cases={cases}", f"--only={ONLY}", f"--page={page}"]) == 0
    shown = capsys.readouterr().out
    head = shown.splitlines()[0]
    assert head.startswith(f"`python -m tests.benchmarks limit --cases={cases} ")
    assert f", commit {commit_of(ROOT)} on " in head
    assert shown.strip() in page.read_text("utf-8")
    found = rows(shown)
    alone = ("300 ms, 32 in flight, openai alone", "300 ms, 32 in flight, mock endpoint alone")
    assert list(found) == [f"{ONLY}, first", f"{ONLY}, again", *alone]
    # Four answers and their verdicts for each of two strategies, and the summaries.
    calls = found[f"{ONLY}, first"]["calls"]
    assert int(calls) > 16
    assert found[f"{ONLY}, again"]["calls"] == calls
    # Two calls of a run check the endpoint.
    assert {found[name]["calls"] for name in alone} == {str(int(calls) - 2)}


def test_long_conversations_are_written_and_read_for_their_benchmark(capsys):
    assert main(["long_memory", "--most=100000", "--only=read"]) == 0
    shown = capsys.readouterr().out
    assert "0.1M: 0.4 MB of text" in shown
    (found,) = rows(shown).values()
    assert found["work"] == "read"
    assert float(found["0.1M (MB)"]) > 10


def test_statistics_are_measured_and_put_on_a_page(tmp_path, capsys):
    page = tmp_path / "page.md"
    page.write_text("<!-- table statistics -->\n<!-- /table statistics -->\n", "utf-8")
    assert main(["statistics", "--runs=10", f"--page={page}"]) == 0
    shown = capsys.readouterr().out
    assert shown.strip() in page.read_text("utf-8")
    assert shown.count("| ordinary, sizes as they are |") == 8
    assert shown.count("| compactions and answers |") == 4
    assert " nan" not in shown


@pytest.mark.exhaustive
def test_two_checkouts_are_compared(cases, tmp_path, capsys):
    other = tmp_path / "before"
    other.mkdir()
    (other / "pytest_compaction").symlink_to(ROOT / "pytest_compaction")
    arguments = [f"--cases={cases}", f"--only={ONLY}", f"--against={other}", "--repeat=2"]
    assert main(["limit", *arguments]) == 0
    _, _, before, after, *_ = capsys.readouterr().out.strip().splitlines()[2:]
    assert before.startswith(f"| {ONLY}, first | no commit | ")
    assert after.startswith(f"| {ONLY}, first | {commit_of(ROOT)} | ")
    calls = [line.split(" | ")[2].split(" / ") for line in (before, after)]
    assert calls == [[calls[0][0]] * 3] * 2


EMPTY = ("without the plugin", "with the plugin unused")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "given", "names"),
    [
        (
            "startup",
            "empty test",
            [*(f"an empty test, {how}" for how in EMPTY), "an unused plugin"],
        ),
        ("offline", "none, -n 0", [f"none, -n 0, {when}" for when in ("first", "again")]),
        (
            *("collection", "collect"),
            [f"collect 8 items, {when}" for when in ("plain parameters", "first", "again")],
        ),
    ],
)
def test_a_benchmark_prints_its_table(name, given, names, cases, capsys):
    more = "--items=8" if name == "collection" else f"--cases={cases}"
    assert main([name, f"--only={given}", more]) == 0
    assert list(rows(capsys.readouterr().out)) == names


def test_strategies_that_need_an_endpoint_or_a_record_are_not_run_offline():
    found = offline_strategies()
    assert {"anchored", "claude-code", "said-only"} <= set(found)
    assert not {"anthropic", "external", "none", "openai-compact", "recorded"} & set(found)
