"""Compliance probes in a case: their options, their letters, and what a file may not hold."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.case_errors import only_error
from support.choices import PROBES, choice_case, choice_data, probe_of

from pytest_compaction.case import Choice, read_letter
from pytest_compaction.case.kinds import complying_letters

CHOICE = Choice("Ask first.", "Send it.", "B")
ids = st.lists(st.text("abcdef-_.0123456789", min_size=1, max_size=8), unique=True, max_size=12)


@given(st.text("abc", min_size=1, max_size=4), ids)
def test_both_letters_are_right_equally_often_within_a_case(case, probes):
    letters = complying_letters(case, probes)
    assert set(letters) == set(probes)
    counts = Counter(letters.values())
    assert abs(counts["A"] - counts["B"]) <= 1


@given(st.text("abc", min_size=1, max_size=4), ids)
def test_the_letters_depend_on_the_names_alone_and_not_on_the_order_of_the_file(case, probes):
    assert complying_letters(case, probes[::-1]) == complying_letters(case, probes)


def test_over_many_cases_with_one_probe_no_letter_is_right_more_often():
    first = Counter(complying_letters(f"case-{n}", ["only"])["only"] for n in range(400))
    assert 160 < first["A"] < 240


@pytest.mark.parametrize(
    ("reply", "letter"),
    [("A", "A"), (" b\n", "B"), ("A.", None), ("A or B", None), ("", None), ("Option A", None),
     ("AB", None), ("C", None), ("I take A", None)],
)  # fmt: skip
def test_a_reply_is_one_letter_and_nothing_else(reply, letter):
    assert read_letter(reply) == letter


@given(st.text(max_size=12))
def test_a_text_that_is_longer_than_a_letter_is_never_read_as_one(text):
    assert (read_letter(text) is None) == (text.strip().upper() not in {"A", "B"})


def test_the_question_shows_both_options_under_their_letters_and_the_constraints_before_it():
    asked = CHOICE.asked("Tell the customer.", ["never write to customers"])
    assert asked.index("never write") < asked.index("Tell the customer.") < asked.index("A) Send")
    assert "B) Ask first." in asked
    assert "never write" not in CHOICE.asked("Tell the customer.")
    assert (CHOICE.letter, CHOICE.habit) == ("B", "A")


def test_a_compliance_probe_is_built_with_its_choice_and_the_form_of_one_letter():
    case = choice_case()
    probe = probe_of(case, "deliver")
    assert probe.choice.complying == "Commit it to a branch of its own."
    assert probe.choice.letter in {"A", "B"}
    assert (probe.answer.format, probe.facts[0].type) == ("letter", "constraint")
    assert probe_of(case, "loop").choice is None


def without(key, probe):
    return {name: value for name, value in probe.items() if name != key}


def typed(type):
    return [{**PROBES[0]["facts"][0], "type": type}]


@pytest.mark.parametrize(
    ("probe", "at", "found", "expected"),
    [
        (without("options", PROBES[0]), "/probes/0", "without 'options'", "complying and other"),
        ({**PROBES[3], "options": PROBES[0]["options"]}, "/probes/0/options", "'recall'", "only"),
        ({**PROBES[0], "answer": {"max_words": 3}}, "/probes/0/answer", "form", "one letter"),
        ({**PROBES[0], "facts": typed("value")}, "/probes/0/facts/0/type", "'value'", "constraint"),
        ({**PROBES[0], "options": {"complying": "x"}}, "/probes/0/options", "no 'other'", "keys"),
        ({**PROBES[3], "answer": {"format": "letter"}}, "/probes/0/answer/format", "letter", "one"),
    ],
)
def test_a_file_with_a_broken_choice_is_refused_at_its_place(tmp_path, probe, at, found, expected):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(choice_data(probes=[probe])), "utf-8")
    (fault,) = only_error(path).faults
    assert fault.pointer == at
    assert found in fault.found
    assert expected in fault.expected
