"""Dialogues as items: from a file on the command line to records, tables and the gate."""

import json

import pytest
from support import stub_endpoint
from support.paths import CASES
from support.scenarios import case, failure, flat, last_line, own, records, run, run_files, set_up
from support.scenarios import write_cases as write_case_files
from support.talks import chat, talk, write

from pytest_compaction import cli
from pytest_compaction.dialogues.dialogue import Comparison
from pytest_compaction.dialogues.evaluation import evaluations_of_records
from pytest_compaction.records.run_file import load_run

BENCHMARK = CASES / "test_dialogues.py"
TALKS = "--compaction-cases=talks.jsonl"


def project(pytester, *values):
    """A project with strategies and a dialogue file."""
    set_up(pytester)
    for path in (pytester.path / "cases").iterdir():
        path.unlink()
    return write(pytester.path, *(values or (talk(1), talk(2, 3, "GR"), talk(3, 2, "SA"))))


def ids(pytester):
    return [record["item"].partition("[")[2].rstrip("]") for record in records(pytester).records]


def test_a_dialogue_file_on_the_command_line_is_all_that_is_needed(pytester):
    project(pytester)
    result = run(pytester, TALKS, compactor="keep")
    result.assert_outcomes(passed=3)
    assert ids(pytester) == [
        "strategies:keep-CM_1",
        "strategies:keep-GR_2",
        "strategies:keep-SA_3",
    ]
    assert {r["item"].partition("[")[0] for r in records(pytester).records} == {"::test_dialogue"}


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


def test_a_record_holds_every_reply_so_that_all_figures_can_be_computed_again(pytester, capsys):
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
    comparison = Comparison.from_json(record["comparison"])
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


def test_without_dialogue_files_nothing_of_dialogues_appears(pytester):
    place = set_up(pytester, "first")
    (place / "test_dialogues.py").write_text(BENCHMARK.read_text())
    (place / "test_probes.py").write_text((BENCHMARK.parent / "test_probes.py").read_text())
    result = run(pytester, compactor="keep")
    result.assert_outcomes(passed=4)
    begin = result.outlines.index("collected 4 items")
    assert "ialogue" not in "\n".join(result.outlines[begin:])
    assert "dialogues" not in records(pytester).header


def test_a_test_over_dialogues_alone_has_nothing_to_run_without_a_file(pytester):
    place = set_up(pytester, "first")
    (place / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, "cases/test_dialogues.py", compactor="keep")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_a_test_over_probes_has_nothing_to_run_with_dialogues_alone(pytester):
    project(pytester)
    for name in ("test_dialogues.py", "test_probes.py"):
        (pytester.path / "cases" / name).write_text((BENCHMARK.parent / name).read_text())
    result = run(pytester, TALKS, "cases", compactor="keep")
    result.assert_outcomes(passed=3)
    assert "collected 3 items" in result.outlines


def test_the_module_of_the_benchmark_runs_where_it_lies(pytester):
    project(pytester)
    (pytester.path / "cases" / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, TALKS, "--compaction-cases=cases", "-v", compactor="keep")
    assert "cases/test_dialogues.py::test_dialogue[strategies:keep-CM_1] PASSED 1.00" in str(
        result.stdout
    )


def test_cases_and_dialogues_can_be_measured_in_one_run(pytester):
    project(pytester)
    write_case_files(pytester, case("first"))
    for workers in ("-n0", "-n2"):
        result = run(pytester, workers, TALKS, "--compaction-cases=cases", compactor="keep")
        result.assert_outcomes(passed=7)
        assert "Pass^1        100.0% (4 of 4 items)" in result.outlines
        assert "strategies:keep: 3 dialogues, 3 passed, 0 failed" in result.outlines
    first, second = [file.read_bytes() for file in run_files(pytester)]
    assert first == second


def test_without_a_compactor_dialogues_are_deselected_with_one_line(pytester):
    project(pytester)
    (pytester.path / "cases" / "test_dialogues.py").write_text(BENCHMARK.read_text())
    result = run(pytester, TALKS, "cases", compactor=None)
    result.assert_outcomes(deselected=1)
    assert "compaction: 1 benchmark test deselected; name a strategy" in flat(result.outlines)


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_broken_line_is_one_failing_item_and_the_others_run(pytester, workers):
    project(pytester, talk(1), talk(2, task="XX"), '{"task": ', talk(4))
    result = run(pytester, workers, TALKS, compactor="keep")
    result.assert_outcomes(passed=2, failed=2)
    shown = failure(result, "broken-1-talks.jsonl_2")
    assert shown[0] == "dialogue talks.jsonl:2 cannot be used:"
    assert shown[1].startswith("  /task: found 'XX'; expected one of AR, CC,")
    assert len(shown) <= 4
    assert "talks.jsonl:3 cannot be used" in str(result.stdout)
    assert ids(pytester) == ["strategies:keep-CM_1", "strategies:keep-CM_4"]


def test_tasks_and_a_limit_choose_dialogues(pytester):
    project(pytester, *(talk(n, 2, task) for n, task in enumerate(("GR", "SA", "GR", "SC", "GR"))))
    run(pytester, TALKS, "--compaction-tasks=GR,SC", "--compaction-limit=2", compactor="keep")
    assert [id.rpartition("-")[2] for id in ids(pytester)] == ["GR_0", "GR_2", "SC_3"]
    run(pytester, TALKS, "--compaction-tasks=SA", "--compaction-tasks=sc", compactor="keep")
    assert [id.rpartition("-")[2] for id in ids(pytester)] == ["SA_1", "SC_3"]


def test_an_unknown_task_ends_the_run_with_those_that_there_are(pytester):
    project(pytester)
    result = run(pytester, TALKS, "--compaction-tasks=GX", compactor="keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "--compaction-tasks=GX: no dialogue has this task; there are CM" in str(result.stderr)


def test_a_dialogue_whose_arms_part_fails_with_where_they_do(pytester):
    project(pytester, talk(1))
    result = run(pytester, TALKS, "--compaction-consistency=0.99", compactor="forget")
    result.assert_outcomes(failed=1)
    shown = failure(result, "strategies:forget-CM_1")
    assert shown[0].endswith("is below 0.99")
    assert shown[1].startswith("  least in turn")
    assert any(line.startswith("  full history: ") for line in shown)
    assert records(pytester).records[0]["status"] == "failed"
    assert last_line(result).startswith("1 failed") or "1 failed" in last_line(result)


def test_a_strategy_that_raises_is_an_error_of_its_dialogues(pytester):
    project(pytester)
    result = run(pytester, TALKS, compactor="raises")
    result.assert_outcomes(passed=1, failed=2)
    assert "the summariser is out of order" in flat(failure(result, "strategies:raises-CM_1"))
    by_case = {record["case"]: record for record in records(pytester).records}
    assert by_case["CM_1"]["status"] == "error"
    assert by_case["CM_1"]["comparison"] is None
    assert by_case["SA_3"]["status"] == "passed", "two turns: nothing was ever compacted"
    assert "strategies:raises: 3 dialogues, 1 passed, 0 failed, 2 error" in result.outlines


def test_a_responder_that_does_not_answer_leaves_dialogues_unscored_and_never_green(pytester):
    project(pytester, talk(1))
    result = run(
        pytester,
        TALKS,
        "--compaction-responder=unreachable",
        "--compaction-threshold=consistency>=0",
        compactor="keep",
    )
    assert "1 unscored" in str(result.stdout)
    assert "refused the connection" in flat(result.outlines)
    assert records(pytester).records[0]["comparison"] is None
    assert last_line(result).startswith("GATE FAILED consistency: nothing was measured")
    assert result.ret == pytest.ExitCode.TESTS_FAILED


DEAD = """
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import ModelError


class Dead(OfflineModel):
    name = "dead"

    async def summarize(self, request):
        raise ModelError("the endpoint http://localhost:9 refused the connection")


def pytest_compaction_models(config):
    return {"dead": Dead()}
"""


def test_where_the_summarising_model_is_away_dialogues_are_unscored_and_the_gate_fails(pytester):
    project(pytester, talk(1, 6), talk(2, 2))
    pytester.makeconftest(DEAD)
    result = run(
        pytester,
        TALKS,
        "--compactor=anchored",
        "--compaction-model=dead",
        "--compaction-responder=offline",
        "--compaction-judge=offline",
        compactor=None,
    )
    statuses = {record["case"]: record["status"] for record in records(pytester).records}
    assert statuses == {"CM_1": "unscored", "CM_2": "passed"}
    assert last_line(result).startswith("GATE FAILED unscored 1 > 0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "refused the connection" in flat(result.outlines)


PARTLY = """
import json

from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import AnswerReply, ModelError


class Partly(OfflineModel):
    name = "partly"
    trial = 1

    def at_trial(self, trial):
        made = Partly()
        made.trial = trial
        return made

    async def answer(self, request):
        if self.trial == 2:
            raise ModelError("the judge is away")
        return AnswerReply(json.dumps({"similarity": 0.2, "items": []}))


def pytest_compaction_models(config):
    return {"partly": Partly()}
"""


def test_a_judge_that_fails_in_one_trial_leaves_item_tables_and_gate_without_a_score(pytester):
    project(pytester, talk(1))
    pytester.makeconftest(PARTLY)
    result = run(
        pytester,
        TALKS,
        "--compaction-judge=partly",
        "--compaction-trials=3",
        "--compaction-threshold=consistency>=0",
        compactor="forget",
    )
    (record,) = records(pytester).records
    assert (record["status"], record["consistency"], record["retention"]) == (
        "unscored",
        None,
        None,
    )
    assert record["reason"].startswith("1 of 3 trials: turn ")
    shown = [" ".join(line.split()) for line in result.outlines]
    assert {"not scored 1", "trials not scored 1", "consistency -", "retention -"} <= set(shown)
    assert not any(line.startswith(("Pass^1 ", "Pass^2 ")) for line in shown)
    assert "strategies:forget: 1 dialogues, 0 passed, 0 failed, 1 unscored" in result.outlines
    assert last_line(result).startswith("GATE FAILED consistency: nothing was measured, unscored 1")


def test_a_wrong_first_line_and_ids_in_any_script_are_no_obstacle(pytester):
    values = [talk(id, task="GR") for id in ("对话一", "对话二", "a b", "a-b", 5)]
    project(pytester, '{"task": "GR", "id": 1}', *values)
    for workers in ("-n0", "-n2"):
        result = run(pytester, workers, TALKS, compactor="keep")
        result.assert_outcomes(passed=5, failed=1)
    shown = failure(result, "broken-1-talks.jsonl_1")
    assert shown[0] == "dialogue talks.jsonl:1 cannot be used:"
    assert len({record["case"] for record in records(pytester).records}) == 5


def gate(pytester, *thresholds, compactor="keep"):
    arguments = [f"--compaction-threshold={text}" for text in thresholds]
    result = run(pytester, TALKS, *arguments, compactor=compactor)
    return last_line(result), result.ret


def test_a_gate_names_aggregates_of_dialogues(pytester):
    project(pytester)
    line, code = gate(
        pytester,
        "consistency>=0.8",
        "retention>=0.8",
        "pass^1>=1",
        "savings<=0.1",
        "dialogue.pass^1>=90%",
        "dialogue.net<=0.1",
        "prompt@strategies:keep>=0",
        "effectiveness>=0.5",
    )
    assert code == pytest.ExitCode.OK
    assert line == (
        "GATE PASSED consistency 1.00 >= 0.80, retention 1.00 >= 0.80, pass^1 1.00 >= 1.00, "
        "savings 0.00 <= 0.10, dialogue.pass^1 1.00 >= 0.90, dialogue.net 0.00 <= 0.10, "
        "prompt@strategies:keep 0.00 >= 0.00, effectiveness 0.70 >= 0.50 · "
        "0 dialogues below 0.7"
    )


def test_a_gate_on_dialogues_fails_when_an_aggregate_falls_short(pytester):
    project(pytester)
    line, code = gate(pytester, "consistency>=0.99", "savings>=0.01", compactor="forget")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert line.startswith("GATE FAILED consistency 0.")
    assert "savings" not in line


def test_pass_k_of_dialogues_is_absent_where_there_are_fewer_trials(pytester):
    project(pytester)
    line, code = gate(pytester, "dialogue.pass^2>=0")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert line == "GATE FAILED dialogue.pass^2: nothing was measured"


def test_a_threshold_on_probes_is_not_applied_to_dialogues_alone_and_says_so(pytester):
    project(pytester)
    line, code = gate(pytester, "overall>=4.5", "pass^1>=0.5")
    assert code == pytest.ExitCode.OK
    assert line == (
        "GATE PASSED pass^1 1.00 >= 0.50 · not applied, no probe was asked: overall>=4.5 · "
        "0 dialogues below 0.7"
    )
    line, code = gate(pytester, "overall>=4.5")
    assert (line, code) == ("no gate: no probe was asked: overall>=4.5", pytest.ExitCode.OK)


def test_a_threshold_on_dialogues_is_not_applied_to_probes_alone_and_says_so(pytester):
    set_up(pytester, "first")
    arguments = ["--compaction-threshold=consistency>=0.8", "--compaction-threshold=overall>=1"]
    result = run(pytester, *arguments, compactor="keep")
    assert result.ret == pytest.ExitCode.OK
    assert last_line(result) == (
        "GATE PASSED overall 5.00 >= 1.00 · not applied, no dialogue was replayed: "
        "consistency>=0.8 · 0 items below 3.5"
    )


def test_pass_k_is_that_of_the_probes_where_both_were_measured(pytester):
    project(pytester)
    write_case_files(pytester, case("first"))
    result = run(
        pytester,
        TALKS,
        "--compaction-cases=cases",
        "--compaction-threshold=pass^1<=0.9",
        "--compaction-threshold=dialogue.pass^1>=1",
        "--compaction-consistency=0",
        compactor="forget",
    )
    assert last_line(result).startswith("GATE PASSED pass^1 0.")
    assert ", 0 dialogues below 0" in last_line(result)


@pytest.mark.parametrize("text", ["consistent>=1", "dialogue.accuracy>=1", "dialogue.pass^0>=1"])
def test_an_unknown_aggregate_says_which_there_are(pytester, text):
    project(pytester)
    result = run(pytester, TALKS, f"--compaction-threshold={text}", compactor="keep")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "for dialogues consistency, retention, savings, prompt, net" in str(result.stderr)


def test_a_test_of_ones_own_over_dialogues_needs_no_strategy_fixture(pytester):
    project(pytester, talk(1), chat(3))
    pytester.makepyfile(
        test_own="""
        def test_it_has_turns(dialogue):
            assert len(dialogue.turns) > 1
        """
    )
    result = run(pytester, "-v", TALKS, "test_own.py", compactor="keep")
    result.assert_outcomes(passed=2)
    assert "test_own.py::test_it_has_turns[CM_1]" in str(result.stdout)


def test_a_fixture_named_dialogue_of_ones_own_is_left_alone(pytester):
    project(pytester)
    pytester.makepyfile(
        test_own="""
        import pytest

        @pytest.fixture
        def dialogue():
            return "mine"

        def test_mine(dialogue):
            assert dialogue == "mine"
        """
    )
    run(pytester, TALKS, "test_own.py", compactor="keep").assert_outcomes(passed=1)


def test_items_of_dialogues_are_chosen_like_any_other(pytester):
    project(pytester)
    run(pytester, TALKS, "-m", "compaction(task='GR')", compactor="keep").assert_outcomes(
        passed=1, deselected=2
    )
    run(pytester, TALKS, "::test_dialogue[strategies:keep-CM_1]", compactor="keep").assert_outcomes(
        passed=1
    )
    assert ids(pytester) == ["strategies:keep-CM_1"]


def test_adaptive_is_a_trigger_for_cases_as_well(pytester):
    set_up(pytester, "first")
    run(pytester, "--compaction-trigger=adaptive", compactor="keep").assert_outcomes(passed=4)
    steps = {str(record["compaction"]["steps"]) for record in records(pytester).records}
    assert steps == {"{}"}, "nothing of this case is above its budget, so nothing can be saved"


def test_junit_has_the_figures_of_a_dialogue(pytester):
    project(pytester, talk(1))
    run(pytester, TALKS, "--junitxml=out.xml", compactor="keep")
    text = (pytester.path / "out.xml").read_text()
    assert '<property name="compaction.consistency" value="1.0"' in text
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
    trials = record["comparison"]["summary"]
    assert all(trial["generation_calls"] > 0 for trial in trials)
    assert trials[0]["replies"][0]["text"] != trials[1]["replies"][0]["text"]
    assert "sk-of-no-use" not in run_files(pytester)[-1].read_text()
    again = run(pytester, "--compaction-replay", *arguments, compactor=None)
    again.assert_outcomes(passed=2)
    one, other = [load_run(file).records for file in run_files(pytester)]
    assert one == other
    assert len(stub.calls) == asked


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_failing_teardown_keeps_the_comparison_and_is_red_whatever_the_mean(pytester, workers):
    project(pytester)
    run(pytester, workers, TALKS, compactor="keep")
    (before,) = [r for r in records(pytester).records if r["case"] == "GR_2"]
    pytester.makepyfile(
        test_own="""
        import pytest

        @pytest.fixture
        def around(dialogue):
            yield
            assert dialogue.id != "GR_2", "after"

        def test_dialogue(dialogue, replay, around):
            replay(dialogue).check()
        """
    )
    result = run(
        pytester,
        workers,
        TALKS,
        "--compaction-threshold=consistency>=0.1",
        "test_own.py",
        compactor="keep",
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert result.parseoutcomes()["errors"] == 1
    assert last_line(result) == "GATE FAILED 1 failed for another reason than the score"
    assert "  broken later 1; went wrong after the comparison, which counts" in result.outlines
    (kept,) = [r for r in records(pytester).records if "error" in r]
    error = kept.pop("error")
    assert error["phase"] == "teardown"
    assert error["reason"].startswith("AssertionError: after")
    assert kept == before | {"item": kept["item"]}
