"""The lines about standing constraints, and about the next action."""

from support.builders import record

from pytest_compaction.reports.one_strategy import compliance_lines, next_action_lines
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


def asked(case, view, tail, full, **more):
    shares = {"view": view, "tail": tail, "full": full}
    return record(case, next_action={"message": "m", "choice": shares, "notes": []}, **more)


def about(records, indent=""):
    return [line.text for line in next_action_lines(records, indent)]


def test_the_part_kept_stands_before_the_shares():
    found = [asked(case, 0.5, 0.0, 1.0) for case in "abcdef"]
    assert about(found) == ["next choice: 50% [50%, 50%]; view 50%, tail 0%, full 100% of 6 points"]
    assert about(found[:1], "  ") == [
        "  next choice: 50% (no interval); view 50%, tail 0%, full 100% of 1 point"
    ]
    (line, *_) = about([asked("a", 1.0, 1.0, 1.0)])
    assert line.startswith("next choice: not defined, no lead of the full log over the tail is")
    assert about([record("a")]) == []


def test_what_is_left_out_is_counted_and_named_with_safe_text():
    none = record("b\x1b[2J", point={"id": "p2"}, next_action={"notes": ["no call"]})
    lines = about([asked("a", None, 0.0, 1.0), none])
    assert lines[0] == "  1 next action without a score, left out: see notes in the record"
    assert lines[1].startswith("  no next call in the log, left out: b")
    assert "\x1b" not in "".join(lines)
