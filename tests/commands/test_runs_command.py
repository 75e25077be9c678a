"""``pytest-compaction runs``: what a folder of runs holds."""

import pytest
from support.changed_runs import before, header, lowered, scored, write

from pytest_compaction.cli import main


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".pytest_compaction/runs"


def test_runs_are_listed_the_newest_last_with_what_differs_and_what_is_damaged(
    folder, capsys, snapshot
):
    write(folder, before())
    write(folder, lowered(0.5), head=header(model="gpt-5", trials=3))
    both = [*before(), scored("case-00", compactor="window")]
    head = header(compactors=["anchored", "window"])
    head["cases"]["case-00"] = "another"
    damaged = write(folder, both, "anchored-window", head)
    damaged.write_bytes(damaged.read_bytes()[:-40])
    (folder / "0004-broken.jsonl").write_text("hello\n")
    (folder / "0005-empty.jsonl").write_text("")
    assert main(["runs"]) == 0
    shown = capsys.readouterr().out
    assert shown == snapshot
    assert all(len(line) <= 100 for line in shown.splitlines())


def test_another_folder_is_listed_and_an_empty_one_is_said(folder, tmp_path, capsys):
    write(tmp_path / "other", before())
    assert main(["runs", "other"]) == 0
    assert capsys.readouterr().out.startswith("0001  24 items, 12 cases\n")
    assert main(["runs"]) == 1
    assert "there is no run in .pytest_compaction/runs" in capsys.readouterr().err
