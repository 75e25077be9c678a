"""What moved between two snapshots of verdicts."""

from hypothesis import given
from hypothesis import strategies as st
from support import builders  # noqa: F401 (the Hypothesis profile)

from pytest_compaction.judges import (
    FactOutcome,
    Tolerance,
    Verdict,
    has_moved,
    movements,
    read_snapshot,
    snapshot_of,
    snapshot_text,
)
from pytest_compaction.rubric import CriterionScore
from pytest_compaction.text import Reading

SCORES = st.floats(0, 5).map(lambda score: round(score, 2))
WORDS = st.text(max_size=12)


def outcome(text, used):
    reading = Reading("stated" if used else "absent")
    return FactOutcome(text, "value", Reading("stated"), reading)


VERDICTS = st.builds(
    lambda criteria, overall, facts, traps, response: Verdict(
        tuple(CriterionScore(id, score, said) for id, (score, said) in criteria.items()),
        {"accuracy": overall},
        overall,
        tuple(outcome(text, used) for text, used in facts.items()),
        tuple(traps.items()),
        3.5,
        response,
    ),
    st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(SCORES, WORDS), max_size=8),
    SCORES,
    st.dictionaries(WORDS, st.booleans(), max_size=3),
    st.dictionaries(WORDS, st.booleans(), max_size=3),
    st.text(max_size=300),
)


@given(VERDICTS)
def test_a_snapshot_survives_its_file_and_is_not_moved_from_itself(verdict):
    snapshot = snapshot_of(verdict)
    text = snapshot_text(snapshot)
    assert read_snapshot(text) == snapshot
    assert all(line.isprintable() for line in text.split("\n"))
    assert not has_moved(snapshot, snapshot, Tolerance(0, 0))
    assert movements(snapshot, snapshot) == []


@given(VERDICTS, VERDICTS, SCORES, SCORES)
def test_what_moved_is_said_whichever_way_it_moved(one, other, overall, criterion):
    old, new = snapshot_of(one), snapshot_of(other)
    tolerance = Tolerance(overall, criterion)
    assert has_moved(old, new, tolerance) == has_moved(new, old, tolerance)
    if has_moved(old, new, tolerance):
        assert movements(old, new)
        assert has_moved(old, new, Tolerance(0, 0))
    assert all(line.isprintable() for line in movements(old, new))


def test_lines_that_differ_are_shown_with_what_they_belong_to():
    def says(score, end):
        found = (CriterionScore("depth", score, "because"),)
        return snapshot_of(Verdict(found, {"accuracy": 4.0}, 4.0, (), (), 3.5, end))

    shown = movements(says(4.0, "45 it is."), says(1.0, "30 it is."))
    assert [line[1:].strip() for line in shown if line[0] in "-+"] == [
        *('"score": 4.0', '"score": 1.0'),
        *('"response": "45 it is.",', '"response": "30 it is.",'),
    ]
    assert any('"depth": {' in line for line in shown)
