"""Dialogues that fail or stay without a score, and the gate on their aggregates."""

import pytest
from support.dialogue_project import TALKS, project
from support.scenarios import case, failure, flat, last_line, records, run, set_up
from support.scenarios import write_cases as write_case_files
from support.talks import talk
from support.worker_counts import BOTH


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
    result.assert_outcomes(passed=1, failed=3)
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
        "net_effectiveness>=0.5",
    )
    assert code == pytest.ExitCode.OK
    assert line == (
        "GATE PASSED consistency 0.99 >= 0.80, retention 1.00 >= 0.80, pass^1 1.00 >= 1.00, "
        "savings 0.00 <= 0.10, dialogue.pass^1 1.00 >= 0.90, dialogue.net 0.00 <= 0.10, "
        "prompt@strategies:keep 0.01 >= 0.00, effectiveness 0.70 >= 0.50, "
        "net_effectiveness 0.70 >= 0.50 · "
        "on 3 of 3 items · 0 dialogues below 0.7"
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
    assert line == "GATE FAILED dialogue.pass^2: nothing was measured · on 3 of 3 items"


def test_a_threshold_on_probes_is_red_where_dialogues_alone_were_replayed(pytester):
    project(pytester)
    line, code = gate(pytester, "overall>=4.5", "pass^1>=0.5")
    assert code == pytest.ExitCode.TESTS_FAILED
    assert line == "GATE FAILED overall: no probe was asked · on 3 of 3 items"


def test_a_threshold_on_dialogues_is_red_where_probes_alone_were_asked(pytester):
    set_up(pytester, "first")
    arguments = ["--compaction-threshold=consistency>=0.8", "--compaction-threshold=overall>=1"]
    result = run(pytester, *arguments, compactor="keep")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert last_line(result) == (
        "GATE FAILED consistency: no dialogue was replayed · on 4 of 4 items"
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


@BOTH
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
    assert last_line(result) == (
        "GATE FAILED 1 failed for another reason than the score · on 3 of 3 items"
    )
    assert "  broken later 1; went wrong after the comparison, which counts" in result.outlines
    (kept,) = [r for r in records(pytester).records if "error" in r]
    error = kept.pop("error")
    assert error["phase"] == "teardown"
    assert error["reason"].startswith("AssertionError: after")
    assert kept == before | {"item": kept["item"]}
