"""``pytest-compaction agree``: two runs side by side, in text, Markdown and JSON."""

import json

import pytest
from support.changed_runs import write
from support.two_runs import run, spread

from pytest_compaction.cli import main


@pytest.fixture
def runs(tmp_path):
    first, second = run(spread), run(lambda *item: spread(*item) - 0.25)
    for number, one in enumerate(second):
        given = {"criteria": {"accuracy_factual": number % 4}, "unscored": None}
        one["judges"] = [
            {"name": "m", "overall": number % 4, **given},
            {"name": "m#2", "overall": number % 3, **given},
        ]
    return write(tmp_path, first, "offline", {}), write(tmp_path, second, "model", {})


def test_two_runs_are_compared_and_the_judgements_of_one(runs, capsys):
    assert main(["agree", *map(str, runs)]) == 0
    shown = capsys.readouterr().out
    assert "0001-offline.jsonl against 0002-model.jsonl" in shown
    assert "0002-model.jsonl: m against m#2" in shown
    row = next(line for line in shown.splitlines() if "scores of items" in line and "Spear" in line)
    assert row.split() == "scores of items Spearman 1.00 [1.00, 1.00] 36 6".split()
    assert "intervals are 95 % intervals over cases" in shown
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_what_was_written_is_what_the_suffix_says(runs, tmp_path, capsys):
    assert main(["agree", *map(str, runs), "-o", str(tmp_path / "found.json")]) == 0
    data = json.loads((tmp_path / "found.json").read_text("utf-8"))["agreement"]
    assert [each["second"] for each in data] == ["0002-model.jsonl", "m#2"]
    figures = {(f["of"], f["measure"]): f for f in data[0]["figures"]}
    assert figures["scores of items", "difference"]["value"] == -0.25
    assert figures["facts stated", "kappa"]["value"] is None
    assert "always says 1" in figures["facts stated", "kappa"]["undefined"]
    assert main(["agree", *map(str, runs), "-o", str(tmp_path / "found.md")]) == 0
    page = (tmp_path / "found.md").read_text("utf-8")
    assert "## 0001-offline.jsonl against 0002-model.jsonl" in page
    assert "| scores of items | Spearman | 1.00 |" in page
    assert "facts stated, kappa: not defined: the first always says 1" in page


def test_a_run_with_nothing_to_compare_and_a_file_that_is_no_run_are_told(runs, tmp_path, capsys):
    (tmp_path / "notes.jsonl").write_text("{}\n")
    for others, said in (
        ([], "name a second run to compare it with"),
        (["notes.jsonl"], "is not a record of this format"),
        (["none.jsonl"], "cannot read the run"),
    ):
        assert main(["agree", str(runs[0]), *(str(tmp_path / name) for name in others)]) == 1
        assert said in capsys.readouterr().err
    assert main(["agree", str(runs[1])]) == 0
