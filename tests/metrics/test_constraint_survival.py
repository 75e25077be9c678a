"""Constraint survival: which constraints stand at a point, and how often each one counts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import assistant, record, user
from support.choices import LEGACY, MESSAGES, PROBES, PUSH, choice, choice_case

from pytest_compaction.metrics import constraint_survival, standing_constraints


def texts(case, point):
    return {fact.text for fact in standing_constraints(case, point)}


def held(survived, case="a", probe="p", point="late", text="no push", **changes):
    standing = [{"text": text, "survived": survived}]
    return record(case, probe, constraints={"point": point, "standing": standing}, **changes)


def test_a_constraint_stands_from_the_message_that_gives_it_wherever_it_is_asked_for():
    case = choice_case()
    assert texts(case, 0) == {"never push to main", "never touch legacy/"}
    assert texts(case, 1) == {
        "never push to main",
        "never touch legacy/",
        "write no e-mail to customers",
    }


def lifted_by(message):
    """What stands at the end if this message comes after the first point, for its probes."""
    asked = [{**PROBES[1], "id": "push", "facts": [PUSH]}, {**PROBES[1], "id": "legacy"}]
    log = [*MESSAGES[:5], {"id": "later", **message}, *MESSAGES[5:]]
    probes = [*asked, PROBES[3]]
    return texts(choice_case(messages=log, probes=probes), 1)


@pytest.mark.parametrize(
    ("message", "lifts"),
    [
        (user("You may push to main from now on."), True),
        (user("Forget the rule never to push to main."), True),
        (user("Go ahead: you can push it to main."), True),
        (assistant("I may push to main now."), False),
        (assistant("I pushed it to main."), False),
        (user("Push the branch; main is protected."), False),
        (user("You may push the branch."), False),
        (user("Can you push it to main?"), False),
        (user("To be safe push it to main as well."), False),
        (user("Remember: you may never push to main."), False),
    ],
)
def test_only_a_turn_of_the_user_that_lifts_a_constraint_ends_its_standing(message, lifts):
    assert lifted_by(message) == {"never touch legacy/", *([] if lifts else ["never push to main"])}


def test_one_constraint_in_two_wordings_is_one():
    reworded = {**PUSH, "text": "main is not pushed to"}
    other = {**PUSH, "text": "never push to the branch main", "keys": [["never push"], ["main"]]}
    probes = [
        choice(f"p{n}", f, f"Do {n}.", "x", "y") for n, f in enumerate((PUSH, reworded, other))
    ]
    assert texts(choice_case(probes=[*probes, PROBES[3]]), 1) == {"never push to main"}
    apart = [choice(f"p{n}", fact, f"Do {n}.", "x", "y") for n, fact in enumerate((PUSH, LEGACY))]
    assert len(texts(choice_case(probes=apart), 1)) == 2


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans()), min_size=1, max_size=12))
def test_asking_again_at_the_same_point_changes_nothing(rows):
    survived = dict(rows)
    once = [held(stated, case) for case, stated in survived.items()]
    again = [held(survived[case], case, f"p{n}") for n, (case, _) in enumerate(rows)]
    found = constraint_survival(again)
    assert found == constraint_survival(once)
    assert (found.value, found.count) == (sum(survived.values()) / len(survived), len(survived))


@given(st.lists(st.booleans(), min_size=1, max_size=6))
def test_a_view_for_each_question_counts_by_the_share_of_views(stated):
    found = constraint_survival([held(s, probe=f"p{n}") for n, s in enumerate(stated)])
    assert (found.value, found.count) == (sum(stated) / len(stated), 1)


def test_each_point_trial_case_and_constraint_counts_by_itself():
    records = [
        held(True),
        held(False, point="early"),
        held(False, trial=2),
        held(False, text="no e-mail"),
        held(True, case="b"),
    ]
    found = constraint_survival(records)
    assert (found.value, found.count, found.cases) == (2 / 5, 5, 2)
    assert found.interval is None
    six = constraint_survival([held(True), *(held(False, case=case) for case in "bcdef")])
    assert six.interval is not None
    assert constraint_survival([record(), held(True, overall=None)]) is None
