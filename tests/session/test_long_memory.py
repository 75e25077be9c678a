"""Runs over long conversations: tables of abilities, gates by kind, rounding, a second format."""

import json
import re
import shutil
from itertools import chain

import pytest
from support.long_conversations import write
from support.scenarios import lean, records
from support.worker_counts import BOTH

from pytest_compaction.case import ABILITIES

FOLDER = "chats"


@pytest.fixture
def project(pytester):
    for number in (1, 2):
        write(pytester.path / FOLDER / "100K" / str(number), 8000, seed=number)
    return pytester


def run(project, *arguments, strategies="window,rag", folder=FOLDER):
    return project.runpytest_inprocess(
        *lean(),
        f"--compactor={strategies}",
        f"--compaction-cases={folder}",
        "--compaction-budget=1500",
        "--compaction-show=0",
        *arguments,
    )


JUDGE = """
from pytest_compaction.metrics.nuggets import NuggetScore
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import JudgeReply


class Reader(OfflineModel):
    name = "reader"

    async def judge(self, request):
        scores = [NuggetScore(0.5 if n else 1.0, "read") for n in range(len(request.nuggets))]
        events = (1, 0) if request.kind == "event_ordering" else None
        return JudgeReply(nuggets=tuple(scores), events=events)


def pytest_compaction_models(config):
    return {"reader": Reader()}
"""


@pytest.fixture
def read_by_a_model(project):
    project.makeconftest(JUDGE)
    return ("-n0", "--compaction-judge=reader")


@BOTH
def test_a_run_by_rules_shows_abilities_and_place_and_gates_on_a_kind(project, workers):
    reports = ("--compaction-report=run.md", "--compaction-report=run.html")
    rules = ("knowledge_update.overall@rag>=4", "summarization.overall@window>=4.9")
    gates = [f"--compaction-threshold={rule}" for rule in rules]
    result = run(project, workers, *reports, *gates)
    shown = result.stdout.str()
    title = "Abilities by size of the conversation"
    assert title in shown
    assert title in (project.path / "run.md").read_text("utf-8")
    assert title in (project.path / "run.html").read_text("utf-8")
    assert "Dimensions" not in (project.path / "run.md").read_text("utf-8")
    for ability in ("knowledge_update", "summarization", "event_ordering", "all"):
        assert re.search(rf"^  {ability} +100K +\d\.\d\d", shown, re.M), ability
    assert not re.search(r"^  abstention ", shown, re.M)
    assert "Order of events" not in shown
    assert re.search(r"^  1 of 10 +\d+ +\d\.\d\d", shown, re.M)
    first = next(n for n, line in enumerate(result.outlines) if line.startswith("Abilities by"))
    last = next(n for n, line in enumerate(result.outlines) if line.startswith("records:"))
    assert all(len(line) <= 80 for line in result.outlines[first:last])
    assert result.ret == 1
    (failed,) = re.findall(r"^GATE FAILED .*", shown, re.M)
    assert failed.startswith("GATE FAILED summarization.overall@window")
    assert "knowledge_update" not in failed


def test_rules_score_what_the_view_states_and_leave_null_what_only_an_answer_satisfies(project):
    result = run(project, "-n0", strategies="rag", folder=f"{FOLDER}/100K/1")
    result.assert_outcomes(passed=5, failed=1, skipped=4)
    found = {record["kind"]: record for record in records(project).records}
    assert set(found) == set(ABILITIES)
    update = found["knowledge_update"]
    assert (update["size"], update["reading"], update["criteria"]) == ("100K", "view", [])
    assert (update["score"], update["overall"]) == (1, 5)
    assert update["tenths"] == [1, 9]
    two_sides = found["contradiction_resolution"]
    assert [nugget["score"] for nugget in two_sides["nuggets"]] == [None, 1, 1, None]
    assert two_sides["score"] == 1
    null = {kind for kind, record in found.items() if record["status"] == "skipped"}
    form = {"instruction_following", "preference_following"}
    assert null == {"abstention", "temporal_reasoning", *form}
    for kind in null:
        record = found[kind]
        assert (record["score"], record["overall"]) == (None, None)
        assert {nugget["score"] for nugget in record["nuggets"]} == {None}
    assert found["abstention"]["tenths"] == []
    assert all(record["nulls"] == {} for record in found.values())


def test_a_report_says_how_many_nuggets_are_null_and_what_would_judge_them(project):
    result = run(project, "-n0", strategies="rag", folder=f"{FOLDER}/100K/1")
    said = " ".join(result.stdout.str().split())
    assert "Rules judge: the score is the share of nuggets that the view states" in said
    assert "7 nuggets that only an answer can satisfy (abstention, form, values to calc" in said
    assert "a model judges them: --compaction-judge=NAME." in said
    assert not any(line.startswith("unscored") for line in result.outlines)


def test_a_run_of_questions_that_rules_cannot_judge_is_not_green(project):
    result = run(project, "-n0", "-k", "abstention", "--compaction-threshold=overall>=0")
    result.assert_outcomes(skipped=4, failed=4)
    assert "none of 2 items could be scored" in result.stdout.str()
    assert result.ret == 1


def test_a_model_judges_every_nugget_and_the_order_of_events(project, read_by_a_model):
    result = run(project, *read_by_a_model, strategies="window", folder=f"{FOLDER}/100K/1")
    found = {record["kind"]: record for record in records(project).records}
    assert {record["reading"] for record in found.values()} == {"answer"}
    assert None not in {n["score"] for record in found.values() for n in record["nuggets"]}
    ordering = found["event_ordering"]["ordering"]
    assert found["event_ordering"]["score"] == ordering["product"]
    assert ordering["product"] == pytest.approx(ordering["order"] * ordering["f1"], abs=1e-3)
    assert found["event_ordering"]["reason"].endswith(f"nuggets, order {ordering['order']:.2f}")
    shown = result.stdout.str()
    assert "Order of events" in shown
    assert "are null and in no mean" not in shown
    for ability in (*ABILITIES, "all"):
        assert re.search(rf"^  {ability} +100K +\d\.\d\d", shown, re.M), ability


def test_published_rounding_lowers_what_is_satisfied_in_part(project, read_by_a_model):
    given = {"strategies": "rag", "folder": f"{FOLDER}/100K/1"}
    run(project, *read_by_a_model, **given)
    exact = {record["probe"]: record for record in records(project).records}
    run(project, *read_by_a_model, "--compaction-published-rounding", **given)
    for record in records(project).records:
        before = exact[record["probe"]]
        assert record["hashes"]["settings"] != before["hashes"]["settings"]
        assert record["nuggets"] == before["nuggets"]
        if record["kind"] == "event_ordering":
            assert record["score"] == before["score"]
        else:
            whole = [int(nugget["score"]) for nugget in record["nuggets"]]
            assert record["score"] == pytest.approx(sum(whole) / len(whole), abs=1e-4)


def test_a_broken_conversation_is_an_error_and_the_other_one_runs(project):
    place = project.path / FOLDER / "100K" / "2" / "probing_questions" / "probing_questions.json"
    asked = json.loads(place.read_text("utf-8"))
    asked["abstention"][0]["rubric"] = "  "
    place.write_text(json.dumps(asked), "utf-8")
    result = run(project, "-n0", strategies="window")
    result.stdout.fnmatch_lines(
        ["*100K/2/probing_questions/probing_questions.json cannot be used*"]
    )
    assert "/abstention/0/rubric" in result.stdout.str()
    assert {record["case"] for record in records(project).records} == {"100K-1"}
    assert result.ret == 1


def test_a_broken_conversation_is_selected_by_its_id_as_a_sound_one_is(project):
    folder = project.path / FOLDER / "100K"
    write(folder.parent / "10M" / "3", 8000, plans=3)
    (folder / "1" / "chat.json").write_text("[", "utf-8")
    (folder / "2" / "probing_questions" / "probing_questions.json").write_text("[", "utf-8")
    (folder.parent / "10M" / "3" / "plan-1" / "chat.json").unlink()
    listed = run(project, "-n0", "--collect-only", "-q", strategies="window").stdout.str()
    assert re.findall(r"\[(broken-.*)\]", listed) == [
        "broken-100K-1-chat.json",
        "broken-100K-2-probing_questions.json",
        "broken-10M-3-chat.json",
    ]
    result = run(project, "-n0", "-k", "100K-2", strategies="window")
    result.assert_outcomes(failed=1, deselected=2)


def test_the_control_is_a_column_of_the_table_of_abilities(project):
    result = run(project, "-n0", "--compaction-control", strategies="window")
    assert re.search(r"^  ability +size +window +none$", result.stdout.str(), re.M)


@BOTH
def test_a_folder_in_a_conversation_stands_for_all_of_it(pytester, workers):
    folder = write(pytester.path / FOLDER / "10M" / "1", 8000, plans=2)
    (folder / "plan-0" / "topic.json").write_text("{}", "utf-8")
    run(pytester, workers, strategies="window", folder=f"{FOLDER}/10M/1/plan-0")
    assert {record["case"] for record in records(pytester).records} == {"10M-1"}
    assert len(records(pytester).records) == len(ABILITIES)


def test_turns_with_questions_beside_them_are_no_dialogue_in_any_shape(project):
    file = project.path / FOLDER / "100K" / "1" / "chat.json"
    batches = json.loads(file.read_text("utf-8"))
    file.write_text(json.dumps([list(chain(*batch["turns"])) for batch in batches]), "utf-8")
    run(project, "-n0", strategies="window", folder=f"{FOLDER}/100K/1/chat.json")
    assert {record["case"] for record in records(project).records} == {"100K-1"}


def test_a_folder_of_cases_may_hold_long_conversations_alone(project):
    shutil.move(project.path / FOLDER, project.path / "cases")
    for questions in project.path.glob("cases/100K/*/probing_questions/*.json"):
        asked = json.loads(questions.read_text("utf-8"))
        questions.write_text(json.dumps({"abstention": asked["abstention"]}), "utf-8")
    project.runpytest_inprocess(*lean(), "--compactor=window", "--compaction-budget=1500", "-n0")
    assert {record["case"] for record in records(project).records} == {"100K-1", "100K-2"}


def test_a_folder_of_cases_may_hold_talks_of_locomo_alone(pytester):
    cases = pytester.path / "cases"
    cases.mkdir()
    said = {"speaker": "Ines", "dia_id": "D1:1", "text": "I row."}
    sample = {
        "conversation": {"speaker_a": "Ines", "session_1": [said]},
        "qa": [{"question": "What does Ines do?", "answer": "rowing", "category": 4}],
    }
    (cases / "talks.json").write_text(json.dumps([sample]), "utf-8")
    pytester.runpytest_inprocess(*lean(), "--compactor=window", "-n0")
    assert {record["case"] for record in records(pytester).records} == {"locomo-talks-1"}
