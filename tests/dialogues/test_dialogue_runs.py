"""A run over dialogues: its header, records, reports, and calls of an endpoint."""

import json

import pytest
from support import stub_endpoint
from support.dialogue_project import TALKS, project
from support.scenarios import last_line, own, records, run, run_files, set_up
from support.talks import talk

from pytest_compaction import cli
from pytest_compaction.dialogues import BothArms, evaluations_of_records
from pytest_compaction.records import load_run


@pytest.mark.exhaustive
def test_any_number_of_workers_writes_the_same_bytes(pytester):
    project(pytester)
    arguments = [
        TALKS,
        f"--compactor={own('forget')},truncate,anchored",
        "--compaction-trials=2",
        "--compaction-trigger=turns:1",
    ]
    results = [run(pytester, n, *arguments, compactor=None) for n in ("-n0", "-n2", "-n0")]
    first, second, third = [file.read_bytes() for file in run_files(pytester)]
    assert first == second == third
    assert len(first.splitlines()) == 1 + 3 * 3
    shown = [
        [line for line in result.outlines if not line.startswith(("records:", "=", "["))]
        for result in results
    ]
    tables = [
        lines[
            lines.index("Side by side") : lines.index(
                next(line for line in lines if line.startswith("  lowest"))
            )
        ]
        for lines in shown
    ]
    assert tables[0] == tables[1]


def test_a_record_holds_every_reply_so_that_all_figures_can_be_computed_again(
    pytester, capsys, monkeypatch
):
    monkeypatch.setenv("COLUMNS", "80")  # for what is printed again, too
    project(pytester)
    result = run(pytester, TALKS, "--compaction-trials=2", compactor="forget")
    run_file = run_files(pytester)[-1]
    loaded = records(pytester)
    record = loaded.records[0]
    assert (record["type"], record["case"], record["task"]) == ("dialogue", "CM_1", "CM")
    assert (record["compactor"], record["history"], record["pass_at"]) == (
        own("forget"),
        "recorded",
        0.7,
    )
    assert set(record["usage"]) == {"compaction", "baseline", "responder", "judge"}
    assert record["compaction"]["steps"] == {"compacted": 2}
    comparison = BothArms.from_json(record["comparison"])
    assert len(comparison.baseline) == len(comparison.summary) == 2
    assert [len(trial.replies) for trial in comparison.summary] == [4, 4]
    assert comparison.summary[0].replies[2].summarised is True
    (evaluation,) = evaluations_of_records(loaded.records)
    assert evaluation.whole.dialogues == 3
    assert str(pytester.path) not in run_file.read_text()
    capsys.readouterr()
    assert cli.main(["dialogues", str(run_file)]) == 0
    again = capsys.readouterr().out.splitlines()
    assert len(again) > 40
    missing = [line for line in again[1:] if line.rstrip() not in result.outlines]
    assert missing == []


def test_the_header_says_which_dialogues_and_how_they_are_replayed(pytester):
    project(pytester)
    result = run(pytester, TALKS, "--compaction-dialogue-budget=0.4", compactor="keep")
    result.stdout.fnmatch_lines(
        [
            "compaction: strategies:keep | 3 dialogues (recorded history, budget 40%, "
            "trigger turns:2) | model offline | trigger case | trials 1"
        ]
    )
    header = records(pytester).header
    assert header["dialogues"]["count"] == 3
    assert header["settings"]["dialogues"]["budget"] == 0.4
    other = run(pytester, TALKS, "--compaction-trigger=adaptive", compactor="keep")
    other.stdout.fnmatch_lines(["compaction: * budget 50%) | * | trigger adaptive | *"])


def test_adaptive_is_a_trigger_for_cases_as_well(pytester):
    set_up(pytester, "first")
    result = run(pytester, "--compaction-trigger=adaptive", compactor="keep")
    result.assert_outcomes(passed=4, failed=1)
    assert last_line(result).startswith("GATE FAILED strategies:keep: nothing was compacted: ")
    steps = {str(record["compaction"]["steps"]) for record in records(pytester).records}
    assert steps == {"{}"}, "nothing of this case is above its budget, so nothing can be saved"


def test_junit_has_the_figures_of_a_dialogue(pytester):
    project(pytester, talk(1))
    run(pytester, TALKS, "--junitxml=out.xml", compactor="keep")
    text = (pytester.path / "out.xml").read_text()
    assert '<property name="compaction.consistency" value="0.9' in text
    assert '<property name="compaction.status" value="passed"' in text


def test_any_answer_of_a_model_can_be_kept_and_shown(pytester):
    project(pytester, talk(1))
    result = run(pytester, TALKS, "--compaction-responder=echo", compactor="forget")
    result.assert_outcomes(failed=1)
    assert "\x1b[2J" not in str(result.stdout)
    (record,) = records(pytester).records
    texts = [reply["text"] for reply in record["comparison"]["summary"][0]["replies"]]
    assert all(text.startswith("\x1b[2J\x1b]0;owned\x07 ? ") for text in texts)


def test_text_of_a_dialogue_reaches_the_terminal_only_made_safe(pytester):
    hostile = talk(1)
    for item in hostile["history"]:
        item["bot"] += "\x1b[2J\x1b]0;owned\x07\u202e"
    project(pytester, hostile, json.dumps(talk(2, task="\x1b[31m")))
    result = run(pytester, TALKS, "--compaction-consistency=0.99", compactor="forget")
    result.assert_outcomes(failed=2)
    assert "\x1b[2J" not in str(result.stdout)
    assert "\u202e" not in str(result.stdout)


def judged(body):
    """The reply of the stub; a judgement if two answers are compared."""
    reply = stub_endpoint.plain_reply_to(body)
    if '"similarity"' in str(body["messages"][-1]["content"]):
        judgement = {"reasoning": "so", "similarity": 0.9, "items": [{"text": "45", "kept": True}]}
        reply["choices"][0]["message"]["content"] = json.dumps(judgement)
    return reply


def test_through_an_endpoint_every_call_is_counted_stored_and_can_be_replayed(
    pytester, monkeypatch
):
    project(pytester, talk(1, 7), talk(2, 3, "GR"))
    monkeypatch.setattr(stub_endpoint, "plain_reply_to", stub_endpoint.reply_to, raising=False)
    monkeypatch.setattr(stub_endpoint, "reply_to", judged)
    arguments = [
        TALKS,
        "--compactor=anchored",
        "--compaction-model=stub-model",
        "--compaction-trials=2",
        "--compaction-trigger=turns:1",
        "--compaction-dialogue-budget=0.3",
    ]
    with stub_endpoint.serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-no-use")
        first = run(pytester, *arguments, compactor=None)
        asked = len(stub.calls)
    first.assert_outcomes(passed=2)
    assert asked == len(set(stub.calls)), "no request is paid for twice"
    by_case = {record["case"]: record for record in records(pytester).records}
    record = by_case["CM_1"]
    assert (record["history"], record["comparison"]["method"]) == ("own", "model")
    assert record["usage"]["judge"]["calls"] > 0
    [told] = records(pytester).header["settings"]["prompts"]
    assert record["hashes"]["summary_prompt"] == told["digest"]
    trials = record["comparison"]["summary"]
    assert all(trial["generation_calls"] > 0 for trial in trials)
    assert trials[0]["replies"][0]["text"] != trials[1]["replies"][0]["text"]
    assert "sk-of-no-use" not in run_files(pytester)[-1].read_text()
    again = run(pytester, "--compaction-replay", *arguments, compactor=None)
    again.assert_outcomes(passed=2)
    one, other = [load_run(file).records for file in run_files(pytester)]
    assert one == other
    assert len(stub.calls) == asked
