"""``pytest-compaction show RUN [ITEM]``: the items of a run, and one with all its record says."""

import json

import pytest
from support.changed_runs import fact, scored, write
from support.scenarios import case, run, set_up

from pytest_compaction.cli import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path / ".pytest_compaction/runs"


def shown(capsys, *arguments):
    assert main(["show", *arguments]) == 0
    return capsys.readouterr().out


@pytest.fixture
def made(folder):
    facts = [
        fact("it is 45", **{"class": "number"}, source={"message": "m3", "tokens": 9}),
        fact("src/queue.py", False, False, loss="dropped", recoverable=True, evidence=["m1", "m2"]),
        fact("because the broker restarts", False, False, loss="dropped", recoverable=False),
    ]
    low = scored(
        "case-00",
        "limit",
        overall=0.81,
        facts=facts,
        question="What is the limit?",
        response="I do not know.",
        point={"id": "late"},
        reason="accuracy 0.8, 2 of 3 facts dropped",
        criteria=[{"id": "accuracy_factual", "score": 0.81, "reasoning": "missing: src/queue.py"}],
        traps=[{"text": "the limit is 30", "hit": True}],
    )
    others = [scored("case-00", "limits", overall=4.5), scored("case-01", "next", trial=2)]
    return write(folder, [low, *others])


def test_the_items_of_a_run_are_listed_the_lowest_first(made, capsys, snapshot):
    assert shown(capsys, "last") == snapshot
    assert shown(capsys, str(made)) == shown(capsys, "last")


def test_an_item_is_shown_with_what_became_of_each_fact_and_why(made, capsys, snapshot):
    page = shown(capsys, "last", "case-00-limit")
    assert page == snapshot
    assert all(len(line) <= 80 for line in page.splitlines())


def test_an_item_judged_by_nuggets_is_shown_with_each_of_them_and_the_order(folder, capsys):
    nuggets = [
        {"text": "the \x1b[31mlease", "score": 1.0, "reasoning": "says so"},
        {"text": "the movers", "score": 0.5, "reasoning": "names them"},
    ]
    figures = {"precision": 1.0, "recall": 0.5, "f1": 0.667, "order": 0.9, "product": 0.6}
    more = {"score": 0.6, "nuggets": nuggets, "ordering": figures}
    write(folder, [scored("talk", "order-1", overall=3.0, **more)])
    text = shown(capsys, "last", "talk-order-1")
    lines = text.splitlines()
    assert "nuggets   2, score 0.60 of 1" in lines
    assert "  1.00  the \\x1b[31mlease" in lines
    assert lines[lines.index("  0.50  the movers") + 1].strip() == "names them"
    words = " ".join(text.split())
    assert "order precision 1.00, recall 0.50, f1 0.67, order 0.90, product 0.60" in words


@pytest.mark.parametrize("text", ["0.81", "anchored-case-00-limit", "case-00-limit"])
def test_an_item_is_named_by_its_id_a_part_of_it_or_its_score(made, capsys, text):
    assert shown(capsys, "last", text).startswith("anchored-case-00-limit\n0.81 of 5, failed")


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (["case-00"], "2 items of * hold 'case-00': anchored-case-00-limit, anchored-case-00-"),
        (["nix"], "no item 'nix'"),
        (["case-00-limis"], "did you mean 'anchored-case-00-limits'?"),
        (["a", "b"], "takes one item; there are 2"),
    ],
)
def test_an_item_that_is_not_one_and_a_run_that_is_not_there_are_said(made, capsys, items, said):
    assert main(["show", "last", *items]) == 1
    text = capsys.readouterr().err
    assert all(part in text for part in said.split("*"))
    made.unlink()
    assert main(["show", "last"]) == 1
    assert "there is no run in .pytest_compaction/runs yet" in capsys.readouterr().err


def test_the_view_of_a_real_run_is_shown_from_the_file_beside_it(pytester, monkeypatch, capsys):
    set_up(pytester, "first")
    run(pytester, compactor="forget_limit")
    page = shown(capsys, "last", "first-files")
    assert "question  Which files were edited?" in page
    assert "view      4 messages, " in page
    assert "    done assistant: The edit of src/queue.py is done." in page
    assert "  stated      src/queue.py (path" in page
    for file in (pytester.path / ".pytest_compaction/runs/views").iterdir():
        file.unlink()
    assert "its text is not beside the run" in shown(capsys, "last", "first-files")


def test_a_file_of_cases_that_looks_like_a_run_by_its_name_is_shown_as_cases(folder, capsys):
    (folder.parent.parent / "cases.jsonl").write_text(json.dumps(case("first")) + "\n")
    assert "Which files were edited?" in shown(capsys, "cases.jsonl", "--probes")


def test_damage_and_hostile_texts_are_shown_safely(folder, capsys):
    hostile = "\x1b[2J\u202e" + "x" * 3000
    path = write(folder, [scored("case-00", facts=[fact(hostile)], response=hostile)])
    path.write_bytes(path.read_bytes() + b"hello\n")
    assert main(["show", "last", "case-00"]) == 0
    out, err = capsys.readouterr()
    assert not set(out) & {"\x1b", "\u202e"}
    assert ":3 is not JSON" in err
    assert len(shown(capsys, "last", "case-00", "--full")) > len(out) + 2000
