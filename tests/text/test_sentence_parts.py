"""Which value of a sentence belongs to which subject, where it speaks of more than one."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def outcome(text, *groups):
    keys = tuple(tuple(group.split("|")) for group in groups)
    return lambda said: TextIndex(said).read(Statement(text, keys=keys)).outcome


BREAD = outcome("the loaves bake at 230 degrees", "loaves|loaf", "230")
PROBE = outcome("the probe's antenna opens at 14:20", "probe", "antenna", "14:20")
RULE = outcome("rule 12 caps the fine at 900", "rule 12", "900")


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (BREAD, "The loaves rise for 40 minutes and will bake at 230 degrees."),
        (BREAD, "The loaves, 12 to a tray, are baked at 230 degrees."),
        (BREAD, "For the loaves the card has page 12, with stage 3 and the oven heat 230."),
        (BREAD, "Of the two trays, the first is for loaves, at 230 degrees."),
        (PROBE, "The probe, 310 kg, has left orbit 3 and opens its antenna at 14:20."),
        (PROBE, "2 May was quiet: at the probe, the antenna opened at 14:20."),
        (RULE, "Two appeals failed: both under rule 12, which caps the fine at 900."),
    ],
)
def test_what_goes_on_about_one_subject_is_one_part(read, said):
    assert read(said) == "stated"


@pytest.mark.parametrize(
    ("read", "said"),
    [
        (BREAD, "The loaves bake at 210 degrees, the tarts at 230."),
        (BREAD, "Oven: loaves 210 degrees, tarts 230 degrees."),
        (PROBE, "The probe turns at 13:05, the lander's antenna opens at 14:20."),
        (RULE, "Rule 12 caps the fine at 700, and rule 13 the costs at 900."),
        (RULE, "Fines: rule 12 caps 700 of them, must not exceed 900 by rule 13."),
    ],
)
def test_the_value_of_another_subject_is_not_taken(read, said):
    assert read(said) != "stated"


@pytest.mark.parametrize("text", ["; the lease table is empty", "; the lease table is empty; go"])
def test_a_text_may_begin_with_a_semicolon(text):
    keys = (("lease",), ("empty",))
    assert TextIndex(text).is_stated(Statement("the lease table is empty", keys=keys))
