"""Runs over long conversations: tables of abilities, gates by kind, rounding, a second format."""

import json
import re
import shutil
from itertools import chain

import pytest
from support.long_conversations import write
from support.scenarios import lean, records

from pytest_compaction.case.kinds import ABILITIES

FOLDER = "chats"
WORKERS = pytest.mark.parametrize(
    "workers", ["-n0", pytest.param("-n2", marks=pytest.mark.exhaustive)]
)


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


@WORKERS
def test_a_run_shows_abilities_order_and_place_and_gates_on_a_kind(project, workers):
    reports = ("--compaction-report=run.md", "--compaction-report=run.html")
    rules = ("knowledge_update.overall@rag>=4", "summarization.overall@window>=4.9")
    gates = [f"--compaction-threshold={rule}" for rule in rules]
    result = run(project, workers, *reports, *gates)
    shown = result.stdout.str()
    for title in ("Abilities by size of the conversation", "Order of events"):
        assert title in shown
        assert title in (project.path / "run.md").read_text("utf-8")
        assert title in (project.path / "run.html").read_text("utf-8")
    assert "Dimensions" not in (project.path / "run.md").read_text("utf-8")
    for ability in (*ABILITIES, "all"):
        assert re.search(rf"^  {ability} +100K +\d\.\d\d \[", shown, re.M), ability
    assert re.search(r"^  1 of 10 +\d+ +\d\.\d\d", shown, re.M)
    first = next(n for n, line in enumerate(result.outlines) if line.startswith("Abilities by"))
    last = next(n for n, line in enumerate(result.outlines) if line.startswith("records:"))
    assert all(len(line) <= 80 for line in result.outlines[first:last])
    assert result.ret == 1
    (failed,) = re.findall(r"^GATE FAILED .*", shown, re.M)
    assert failed.startswith("GATE FAILED summarization.overall@window")
    assert "knowledge_update" not in failed


def test_a_record_holds_nuggets_score_and_place_beside_the_rubric(project):
    run(project, "-n0", strategies="rag", folder=f"{FOLDER}/100K/1")
    found = {record["kind"]: record for record in records(project).records}
    assert set(found) == set(ABILITIES)
    record = found["knowledge_update"]
    assert (record["size"], record["reading"], record["criteria"]) == ("100K", "answer", [])
    assert record["overall"] == pytest.approx(5 * record["score"])
    assert [nugget["text"] for nugget in record["nuggets"]] == [
        "LLM response should state: 1,200 euros"
    ]
    assert record["tenths"] == [1, 9]
    assert found["abstention"]["tenths"] == []
    ordering = found["event_ordering"]["ordering"]
    assert found["event_ordering"]["score"] == ordering["product"]
    assert ordering["product"] == pytest.approx(ordering["order"] * ordering["f1"], abs=1e-3)
    assert all(record["nulls"] == {} for record in found.values())


def test_the_reason_of_a_low_order_says_how_the_events_stand(project):
    run(project, "-n0", strategies="window", folder=f"{FOLDER}/100K/1")
    (found,) = (each for each in records(project).records if each["kind"] == "event_ordering")
    assert found["status"] == "failed"
    assert found["reason"].endswith(f"nuggets, order {found['ordering']['order']:.2f}")


def test_published_rounding_lowers_what_is_satisfied_in_part(project):
    one = f"{FOLDER}/100K/1"
    run(project, "-n0", strategies="rag", folder=one)
    exact = {record["probe"]: record for record in records(project).records}
    run(project, "-n0", "--compaction-published-rounding", strategies="rag", folder=one)
    for record in records(project).records:
        before = exact[record["probe"]]
        assert record["hashes"]["settings"] != before["hashes"]["settings"]
        assert record["nuggets"] == before["nuggets"]
        if record["kind"] == "event_ordering":
            assert record["score"] == before["score"]
        else:
            whole = [int(nugget["score"]) for nugget in record["nuggets"]]
            assert record["score"] == pytest.approx(sum(whole) / len(whole))


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


def test_the_control_is_a_row_and_kept_is_told_of_the_score(project):
    result = run(project, "-n0", "--compaction-control", strategies="window")
    assert re.search(r"^overall +\d\.\d\d .* \d+%$", result.stdout.str(), re.M)
    assert re.search(r"^  ability +size +window +none$", result.stdout.str(), re.M)


@WORKERS
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
