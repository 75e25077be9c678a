"""The lines about the next action: the part of the lead kept, the shares, and what is left out."""

from support.builders import record

from pytest_compaction.reports.one_strategy import next_action_lines


def asked(case, view, tail, full, **more):
    shares = {"view": view, "tail": tail, "full": full}
    return record(case, next_action={"message": "m", "choice": shares, "notes": []}, **more)


def texts(records, indent=""):
    return [line.text for line in next_action_lines(records, indent)]


def test_the_part_kept_stands_before_the_shares():
    found = [asked(case, 0.5, 0.0, 1.0) for case in "abcdef"]
    assert texts(found) == ["next choice: 50% [50%, 50%]; view 50%, tail 0%, full 100% of 6 points"]
    assert texts(found[:1], "  ") == [
        "  next choice: 50% (no interval); view 50%, tail 0%, full 100% of 1 point"
    ]
    (line, *_) = texts([asked("a", 1.0, 1.0, 1.0)])
    assert line.startswith("next choice: not defined, no lead of the full log over the tail is")
    assert texts([record("a")]) == []


def test_what_is_left_out_is_counted_and_named_with_safe_text():
    none = record("b\x1b[2J", point={"id": "p2"}, next_action={"notes": ["no call"]})
    lines = texts([asked("a", None, 0.0, 1.0), none])
    assert lines[0] == "  1 next action without a score, left out: see notes in the record"
    assert lines[1].startswith("  no next call in the log, left out: b")
    assert "\x1b" not in "".join(lines)
