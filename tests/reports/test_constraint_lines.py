"""The lines about standing constraints: survival, compliance, and effect retention."""

from support.builders import record

from pytest_compaction.reports.summary.constraints import (
    compliance_lines,
    constraint_lines,
    short_constraints,
)


def chosen(case, complied, reminded, **changes):
    second = {"chosen": "A", "complied": reminded, "reason": ""}
    found = {"complying": "A", "chosen": "A", "complied": complied, "reminded": second}
    standing = [{"text": "no push", "survived": complied}]
    held = {"point": "late", "standing": standing}
    return record(case, compliance=found, constraints=held, **changes)


MINE = [chosen("a", True, True), chosen("b", False, True), chosen("c", True, True)]
CONTROL = [chosen(case, case == "c", None, compactor="none") for case in "abc"]


def texts(lines):
    return [line.text for line in lines]


def test_one_strategy_shows_survival_shares_with_intervals_and_the_ratio():
    assert texts(constraint_lines(MINE, CONTROL)) == [
        "constraints   67% (no interval) of 3 still stated",
        "compliance    67% (no interval) of 3 choices",
        "  c_compacted 67%, c_long 33%, c_upper 100%; ER 0.50",
    ]


def test_one_of_several_strategies_shows_the_same_indented():
    assert texts(compliance_lines(MINE, CONTROL)) == [
        "  compliance 67% (no interval) of 3 choices",
        "    c_compacted 67%, c_long 33%, c_upper 100%; ER 0.50",
    ]
    assert short_constraints(MINE) == ", constraints 67%"


def test_what_is_missing_is_said_and_what_does_not_apply_is_not():
    assert texts(constraint_lines(MINE, []))[2] == (
        "  ER not defined: the control is missing; add --compaction-control"
    )
    assert len(texts(constraint_lines(CONTROL, CONTROL))) == 2
    assert texts(constraint_lines([record()], CONTROL)) == []
    assert (texts(compliance_lines([record()], [])), short_constraints([record()])) == ([], "")
    (unread,) = texts(compliance_lines([chosen("a", None, None)], CONTROL))[:1]
    assert unread == "  compliance no choice could be read"
