"""The lines about standing constraints: survival, compliance, and effect retention."""

from support.builders import record

from pytest_compaction.reports.one_strategy import compliance_lines
from pytest_compaction.reports.summary import run_summary


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


def test_a_strategy_shows_shares_with_intervals_and_the_ratio():
    assert texts(compliance_lines(MINE, CONTROL, "")) == [
        "compliance 67% (no interval) of 3 choices",
        "  c_compacted 67%, c_long 33%, c_upper 100%; ER 0.50",
    ]
    assert texts(compliance_lines(MINE, CONTROL, "  ")) == [
        "  compliance 67% (no interval) of 3 choices",
        "    c_compacted 67%, c_long 33%, c_upper 100%; ER 0.50",
    ]


def test_how_many_constraints_are_still_stated_takes_v():
    several = [*MINE, *(chosen(case, True, True, compactor="other") for case in "abc")]
    for records in (MINE, several):
        for verbose in (False, True):
            shown = "\n".join(texts(run_summary(records, [], False, verbose=verbose)))
            assert (", constraints 67%" in shown) is verbose


def test_what_is_missing_is_said_and_what_does_not_apply_is_not():
    assert texts(compliance_lines(MINE, [], ""))[1] == (
        "  ER not defined: the control is missing; add --compaction-control"
    )
    assert len(texts(compliance_lines(CONTROL, CONTROL, ""))) == 1
    assert texts(compliance_lines([record()], CONTROL, "")) == []
    (unread,) = texts(compliance_lines([chosen("a", None, None)], CONTROL, ""))[:1]
    assert unread == "compliance no choice could be read"
