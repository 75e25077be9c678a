"""What ``lint`` finds in compliance probes: does the constraint stand, and do the options tell?"""

import json

import pytest
from support.builders import assistant, system, tool, user
from support.choices import MESSAGES, PROBES, PUSH, choice_case, choice_data

from pytest_compaction.case_making import inspect
from pytest_compaction.case_making.selection import unanswered

ABOUT_CHOICES = {"not-standing", "not-given", "same-options", "option-tells", "leak"}


def found(tmp_path, messages=MESSAGES, rules=ABOUT_CHOICES, **changes):
    """Level, pointer and rule of what is found about the first probe with these changes."""
    path = tmp_path / "case.json"
    probes = [{**PROBES[0], **changes}, *PROBES[1:]]
    path.write_text(json.dumps(choice_data(messages=messages, probes=probes)), "utf-8")
    findings = inspect([path]).findings
    return [(f.level, f.pointer, f.rule) for f in findings if f.rule in rules]


def with_turn(message):
    return [*MESSAGES[:5], {"id": "later", **message}, *MESSAGES[5:]]


def test_sound_choices_have_no_finding_of_their_own_and_none_about_answers_in_words(tmp_path):
    assert found(tmp_path) == []
    words = {"unanswerable", "duplicate-facts", "unusable", "not-in-log"}
    about = [pointer for _, pointer, _ in found(tmp_path, rules=words)]
    assert not [pointer for pointer in about if not pointer.startswith("/probes/3")]


@pytest.mark.parametrize(
    ("message", "level"),
    [
        (user("You may push to main from now on."), "error"),
        (system("The rule never to push to main no longer holds."), "error"),
        (user("Push this one to main."), "warning"),
        (assistant("I push it to main."), None),
        (user("Good, never push to main."), None),
        (user("Then repair the tests as well."), None),
    ],
)
def test_a_constraint_that_was_lifted_does_not_stand_and_one_that_was_broken_may(
    tmp_path, message, level
):
    expected = [(level, "/probes/0/facts/0", "not-standing")] if level else []
    assert found(tmp_path, with_turn(message)) == expected


def test_what_is_said_after_the_probe_is_asked_changes_nothing(tmp_path):
    later = with_turn(user("You may push to main from now on."))
    assert found(tmp_path, later, point="early") == []


def test_a_counterpart_that_the_user_states_later_lifts_a_constraint(tmp_path):
    trap = {"text": "push to main", "keys": [["push straight"], ["main"]], "of": PUSH["text"]}
    log = with_turn(user("From now on, push straight to main."))
    assert ("error", "/probes/0/facts/0", "not-standing") in found(tmp_path, log, traps=[trap])


def test_a_constraint_that_only_a_file_or_the_assistant_states_was_given_by_nobody(tmp_path):
    call = ("c", "read_file", {"path": "NOTES"})
    log = [*with_turn(assistant("I look.", call)), MESSAGES[-1] | {"id": "end"}]
    log.insert(6, {"id": "notes", **tool("c", "Never push to main.")})
    fact = {**PUSH, "evidence": ["notes"]}
    assert found(tmp_path, log, facts=[fact]) == [("warning", "/probes/0/facts/0", "not-given")]
    unusable = found(tmp_path, rules={"unusable"}, facts=[{**PUSH, "evidence": ["done"]}])
    assert unusable == [("error", "/probes/0/facts/0/evidence/0", "unusable")]


@pytest.mark.parametrize(
    ("complying", "other", "expected"),
    [
        ("Push it to main.", "push it, to MAIN", ("error", "", "same-options")),
        ("Do not push it.", "Do push it.", None),
        (
            "Commit to a branch, as you said.",
            "Push it to main.",
            ("warning", "/complying", "option-tells"),
        ),
    ],
)
def test_options_that_say_the_same_or_speak_of_the_rule_are_found(
    tmp_path, complying, other, expected
):
    level, place, rule = expected or ("", "", "")
    remarks = [(level, f"/probes/0/options{place}", rule)] if expected else []
    assert found(tmp_path, options={"complying": complying, "other": other}) == remarks


@pytest.mark.parametrize(
    ("question", "leaks"),
    [
        ("Deliver the export, but never push to main.", True),
        ("Push the export to main.", False),
        ("Deliver the export to the users of main.", False),
    ],
)
def test_a_request_may_ask_for_what_is_ruled_out_but_not_state_the_constraint(
    tmp_path, question, leaks
):
    expected = [("error", "/probes/0/facts/0", "leak")] if leaks else []
    assert found(tmp_path, question=question) == expected


def test_the_import_does_not_count_choices_as_questions_without_an_answer():
    assert unanswered(choice_case(probes=PROBES[:3])) == 0
