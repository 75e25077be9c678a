"""LoCoMo's JSON: dated sessions of two people, and questions by category with evidence."""

import copy
import json

import pytest
from support.long_conversations import replace_at

from pytest_compaction.case import find_cases

SAMPLE = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ines",
        "speaker_b": "Marek",
        "session_1_date_time": "4:10 pm on 3 June, 2023",
        "session_1": [
            {"speaker": "Ines", "dia_id": "D1:1", "text": "I started to row in May."},
            {"speaker": "Marek", "dia_id": "D1:2", "text": "Nice!", "blip_caption": "a boat"},
        ],
        "session_2_date_time": "9:00 am on 12 July, 2023",
        "session_2": [{"speaker": "Marek", "dia_id": "D2:1", "text": "How was the regatta?"}],
        "session_10": [{"speaker": "Ines", "dia_id": "D10:1", "text": "We came in fourth."}],
        "session_11_date_time": "a session that was not held",
    },
    "qa": [
        {"question": "What sport does Ines do?", "answer": "rowing", "evidence": ["D1:1"],
         "category": 4},
        {"question": "When did Ines start to row?", "answer": "May 2023",
         "evidence": ["D1:1; D2:1"], "category": 2},
        {"question": "How did the regatta end?", "answer": 4, "evidence": ["D2:1", "D10:1"],
         "category": 1},
        {"question": "Would Ines like a paddle?", "answer": "Yes", "evidence": [], "category": 3},
        {"question": "What did Marek row?", "adversarial_answer": "a canoe", "evidence": ["D1:2"],
         "category": 5},
    ],
}  # fmt: skip


@pytest.fixture
def file(tmp_path):
    return tmp_path / "talks.json"


def write(file, *samples):
    file.write_text(json.dumps(samples), "utf-8")


def test_each_conversation_of_a_file_is_a_case(file):
    write(file, SAMPLE, {**SAMPLE, "sample_id": "talk-2"})
    found = find_cases([file])
    assert [entry.id for entry in found.entries] == ["locomo-talk-1", "locomo-talk-2"]
    case = found.case("locomo-talk-1")
    assert [(m.id, m.role, m.text) for m in case.messages] == [
        ("D1:1", "user", "[4:10 pm on 3 June, 2023]\nInes: I started to row in May."),
        ("D1:2", "assistant", "Marek: Nice!\n[shares an image: a boat]"),
        ("D2:1", "assistant", "[9:00 am on 12 July, 2023]\nMarek: How was the regatta?"),
        ("D10:1", "user", "Ines: We came in fourth."),
    ]


def test_two_conversations_of_the_same_content_stay_two(file):
    sample = {key: value for key, value in SAMPLE.items() if key != "sample_id"}
    write(file, sample, sample)
    found = find_cases([file])
    assert [found.case(entry.id).id for entry in found.entries] == [
        "locomo-talks-1",
        "locomo-talks-2",
    ]


def test_categories_are_kinds_and_answers_nuggets(file):
    write(file, SAMPLE)
    probes = find_cases([file.parent]).case("locomo-talk-1").probes
    assert [(probe.id, probe.nuggets[0].text, probe.nuggets[0].evidence) for probe in probes] == [
        ("information_extraction-1", "rowing", ("D1:1",)),
        ("temporal_reasoning-1", "May 2023", ("D1:1", "D2:1")),
        ("multi_session_reasoning-1", "4", ("D2:1", "D10:1")),
        ("multi_session_reasoning-2", "Yes", ()),
        (
            "abstention-1",
            "Based on the provided chat, there is no information on this: What did Marek row",
            ("D1:2",),
        ),
    ]


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        (["D1:1", "D1:1 D2:1"], ("D1:1", "D2:1")),
        (["D:10:1"], ("D10:1",)),
        (["D01:02"], ("D1:2",)),
        (["D", "D" + "9" * 5000 + ":1", "D7:7"], ()),
    ],
)
def test_evidence_is_read_as_it_is_mistyped_and_named_once(file, named, expected):
    sample = copy.deepcopy(SAMPLE)
    sample["qa"][0]["evidence"] = named
    write(file, sample)
    assert find_cases([file]).case("locomo-talk-1").probes[0].nuggets[0].evidence == expected


def test_the_number_of_a_session_may_begin_with_zero(file):
    sample = copy.deepcopy(SAMPLE)
    sample["conversation"]["session_02"] = sample["conversation"].pop("session_2")
    write(file, sample)
    ids = [message.id for message in find_cases([file]).case("locomo-talk-1").messages]
    assert ids == ["D1:1", "D1:2", "D2:1", "D10:1"]


TURN = "conversation/session_2/0"
WRONG = [
    ("qa/1/category", 9, "found int 9; expected one of 1,"),
    ("qa/1/category", True, "found bool True; expected one of 1,"),
    ("conversation/speaker_a", None, "found null; expected the name of the speaker"),
    ("qa/0/answer", None, "found null; expected the answer"),
    ("qa/0/evidence/0", 3, "found int 3; expected"),
    ("qa", {}, "found an empty object; expected a list of questions"),
    (f"{TURN}/text", 5, "found int 5; expected a text"),
    (f"{TURN}/dia_id", "D1:1", "found the id 'D1:1' a second time; expected an id"),
    (f"{TURN}/dia_id", "", "found str ''; expected an id of 1 to 200 characters"),
    (f"{TURN}/dia_id", "D" * 201, "found str 'DDD"),
    ("conversation/session_2", "none", "found str 'none'; expected a list of turns"),
]


@pytest.mark.parametrize(("path", "value", "fault"), WRONG)
def test_another_shape_is_named_by_its_place_and_loses_no_other_conversation(
    file, path, value, fault
):
    broken = copy.deepcopy(SAMPLE)
    replace_at(broken, path, value)
    write(file, broken, {**SAMPLE, "sample_id": "talk-2"})
    found = find_cases([file])
    assert [case.id for case in found.cases] == ["locomo-talk-2"]
    ((told,),) = [error.faults for error in found.errors]
    assert str(told).startswith(f"/0/{path}: {fault}")
