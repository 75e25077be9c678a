"""Answers of rules: made only where somebody asks for them or reads one."""

import json

import pytest
from support.scenarios import flat, last_line, records, run, run_files, set_up

from pytest_compaction.cli import main
from pytest_compaction.models import OfflineModel

WITH = "--compaction-answers"
READS = """
def test_own(case, probe, compactor, judge):
    response = compactor(case).ask(probe)
    judge(probe, response)
    if probe.id == "limit":
        assert response.text.startswith("The retry limit must be 45")
"""


def test_where_rules_answer_and_judge_no_answer_is_made(pytester, monkeypatch):
    monkeypatch.delattr(OfflineModel, "answer_text")
    monkeypatch.delattr(OfflineModel, "judge")
    set_up(pytester)
    run(pytester).assert_outcomes(passed=8)


@pytest.mark.parametrize("flag", [[], [WITH]])
def test_a_test_that_reads_an_answer_gets_the_same_one(pytester, flag):
    set_up(pytester, "first").joinpath("test_own.py").write_text(READS)
    run(pytester, *flag).assert_outcomes(passed=4)


def test_the_verdict_is_that_of_the_view_with_answers_and_without(pytester):
    set_up(pytester)
    found = []
    for flag in ([], [WITH]):
        run(pytester, *flag, compactor="forget_limit")
        found.append(records(pytester).records)
    for plain, answered in zip(*found, strict=True):
        for key in ("status", "overall", "dimensions", "criteria", "traps", "reason"):
            assert plain[key] == answered[key]
        assert {fact["used"] for fact in plain["facts"]} == {None}
        assert {type(fact["used"]) for fact in answered["facts"]} == {bool}


@pytest.mark.parametrize("rule", ["answers>=1", "unused@strategies:keep<=0.5", "real.unused<=1"])
def test_a_threshold_on_answers_needs_answers(pytester, rule):
    set_up(pytester)
    refused = run(pytester, f"--compaction-threshold={rule}")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    assert flat(refused.errlines).endswith(
        "is on answers, and where rules answer none are made; add --compaction-answers"
    )


def test_with_answers_a_threshold_on_them_decides(pytester, capsys):
    set_up(pytester)
    rules = ["--compaction-threshold=answers>=4", "--compaction-threshold=unused<=0"]
    shown = run(pytester, WITH, *rules)
    shown.stdout.fnmatch_lines(["compaction: * | with answers*"])
    assert last_line(shown).startswith("GATE PASSED answers 5.00 >= 4.00, unused 0.00 <= 0.00")
    run(pytester)
    assert main(["gate", str(run_files(pytester)[-1]), "--threshold=unused<=0"]) == 1
    assert "no answers were made; add --compaction-answers" in capsys.readouterr().out


def test_a_run_without_answers_shows_nothing_of_them(pytester, capsys):
    set_up(pytester)
    outlets = [f"--compaction-report=out.{form}" for form in ("md", "json", "csv", "html")]
    shown = run(pytester, *outlets, compactor="forget_limit")
    (file,) = run_files(pytester)
    capsys.readouterr()
    assert main(["show", str(file), "first-limit"]) == 0
    assert main(["report", str(file)]) == 0
    assert main(["agree", str(file)]) == 1
    read = capsys.readouterr()
    assert "--compaction-answers" in read.err
    markdown = pytester.path.joinpath("out.md").read_text()
    assert "with answers" not in shown.stdout.str()
    said = shown.stdout.str().partition("collected")[2]
    for text in (said, read.out, markdown):
        assert "unused" not in text
        assert "answer" not in text
    report = json.loads(pytester.path.joinpath("out.json").read_text())
    assert report["strategies"][0]["facts"]["unused"] is None
    assert {item["unused"] for item in report["items"]} == {None}
    page = pytester.path.joinpath("out.html").read_text()
    assert "and in the answer <svg" not in page


def test_answers_of_rules_are_not_asked_for_where_a_model_answers(pytester):
    set_up(pytester, "first")
    shown = run(pytester, WITH, "--compaction-responder=mute").stdout.str()
    assert "--compaction-answers has no effect: a model answers" in shown
