"""``pytest-compaction compare``: two runs side by side, in text, Markdown and JSON."""

import json

import pytest
from support.changed_runs import before, fact, header, lowered, run_of, scored, write

from pytest_compaction.cli import main
from pytest_compaction.records import write_baseline_file


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def runs(folder):
    """The names of two files; answers and facts differ."""
    first = [{**each, "response": "The limit is 45."} for each in before()]
    second = [{**each, "response": "I do not know."} for each in lowered(0.5, spread=0.25)]
    return [write(folder, records).name for records in (first, second)]


def compared(capsys, *arguments):
    code = main(["compare", *arguments])
    shown = capsys.readouterr()
    assert code == 0, shown.err
    return shown.out


def refused(capsys, *arguments):
    assert main(["compare", *arguments]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_two_runs_are_compared_in_text_and_markdown(runs, capsys, snapshot, form):
    shown = compared(capsys, *runs, "--items=2", f"--format={form}")
    assert shown == snapshot
    assert form != "text" or all(len(line) <= 80 for line in shown.splitlines())


def test_the_same_as_json_has_every_change(runs, capsys):
    (one,) = json.loads(compared(capsys, *runs, "--format=json"))["comparisons"]
    assert (one["first"]["run"], one["second"]["run"]) == ("0001", "0002")
    assert (one["items"], one["cases"]) == (24, 12)
    overall = one["figures"]["overall"]
    assert overall["difference"] == pytest.approx(-0.5)
    low, high = overall["interval"]
    assert low < -0.5 < high < 0
    assert (overall["up"], overall["same"], overall["down"]) == (0, 0, 24)
    assert overall["p"] < 0.01
    assert len(one["facts"]["gone"]) == len(one["changed"]) == 24
    assert one["changed"][0]["responses"] == ["The limit is 45.", "I do not know."]


def test_strategies_of_one_run_are_compared_by_name(folder, capsys):
    both = [*before(), *run_of(lambda number, probe: 2.0, compactor="truncate")]
    name = write(folder, both).name
    shown = compared(capsys, f"{name}@anchored", f"{name}@truncate")
    assert shown.startswith("0001 anchored -> 0001 truncate: 24 items of 12 cases\n")
    assert "anchored  truncate  difference" in shown


def test_without_a_name_the_strategies_that_both_have_are_compared(folder, capsys):
    first = write(folder, [*before(), *run_of(lambda n, p: 2.0, compactor="truncate")]).name
    second = write(folder, [*before(), *run_of(lambda n, p: 2.0, compactor="window")]).name
    shown = compared(capsys, first, second)
    assert shown.count(" -> 0002 ") == 1
    assert "anchored -> 0002 anchored" in shown
    third = write(folder, run_of(lambda n, p: 2.0, compactor="window")).name
    assert "no strategy in common; name one of each, as in" in refused(capsys, first, third)


def test_several_runs_are_compared_with_the_first_and_a_committed_file_with_the_last(
    runs, folder, capsys
):
    third = write(folder, before()).name
    shown = compared(capsys, *runs, third)
    assert [line for line in shown.splitlines() if "->" in line and "items" in line] == [
        "0001 anchored -> 0002 anchored: 24 items of 12 cases",
        "0001 anchored -> 0003 anchored: 24 items of 12 cases",
    ]
    write_baseline_file(folder / "main.json", header(), {"anchored": before()})
    write(folder / ".pytest_compaction/runs", lowered(0.5))
    shown = compared(capsys, "main.json", "last")
    assert shown.startswith("main anchored -> 0001 anchored: 24 items of 12 cases\n")


def test_runs_of_other_settings_are_refused_unless_one_insists(runs, folder, capsys):
    other = write(folder, before(), head=header(model="gpt-5", pass_score=3.0)).name
    text = refused(capsys, runs[0], other)
    assert "0001 and 0003 cannot be compared" in text
    assert "the model differs: offline in 0001, gpt-5 in 0003" in text
    shown = compared(capsys, runs[0], other, "--anyway")
    assert "the model differs: offline in 0001, gpt-5 in 0003" in shown


def test_damage_goes_to_the_error_stream_and_the_rest_is_compared(runs, folder, capsys):
    path = folder / runs[1]
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:20], b"hello\n", lines[20][:30]]))
    assert main(["compare", *runs]) == 0
    shown = capsys.readouterr()
    assert "0002-anchored.jsonl:21 is not JSON" in shown.err
    assert "0002-anchored.jsonl:22 is cut short" in shown.err
    assert "19 items of 10 cases" in shown.out
    assert "only in 0001: 5 probes" in shown.out


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("gone.jsonl", "cannot read the run gone.jsonl"),
        ("gone.json", "cannot read the baseline gone.json"),
        ("last", "there is no run in .pytest_compaction/runs yet"),
        ("0001-anchored.jsonl@codex", "holds no run of codex, only of anchored"),
    ],
)
def test_what_cannot_be_read_is_said(runs, capsys, other, said):
    assert said in refused(capsys, runs[0], other)


def test_what_is_written_is_what_the_suffix_says(runs, folder, capsys):
    assert compared(capsys, *runs, "-o", "changes.md") == "written: changes.md\n"
    assert (folder / "changes.md").read_text("utf-8").startswith("## 0001 anchored")
    compared(capsys, *runs, "-o", "changes.json")
    json.loads((folder / "changes.json").read_text("utf-8"))
    assert "cannot be written" in refused(capsys, *runs, "-o", "no/folder.md")


def test_hostile_texts_are_safe_in_every_form(folder, capsys):
    hostile = "\x1b[2J\u202e<script>|`x`\n# y"
    first = [scored("case-00", overall=5.0, facts=[fact(hostile)], response=hostile)]
    second = [scored("case-00", overall=0.0, facts=[fact(hostile, False)], response=hostile * 90)]
    names = [write(folder, records).name for records in (first, second)]
    shown = compared(capsys, *names)
    assert not set(shown) & {"\x1b", "\u202e"}
    assert all(len(line) <= 80 for line in shown.splitlines())
    page = compared(capsys, *names, "--format=markdown")
    assert not set(page) & {"\x1b", "\u202e"}
    assert "<script>" not in page
    assert json.loads(compared(capsys, *names, "--format=json"))
