"""From readings of facts to criteria and dimensions: what counts, what does not, no floor."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import builders  # noqa: F401 (the Hypothesis profile)

from pytest_compaction.case import Change, Fact, FactType, Trap
from pytest_compaction.metrics import Readings, read, readings_of, view_scores
from pytest_compaction.rubric import CRITERIA, dimension_scores, overall_score
from pytest_compaction.text import Outcome, Reading, TextIndex

TYPES = get_args(FactType)
OF_TYPE = {
    ("value", None): "accuracy_factual",
    ("error", None): "accuracy_technical",
    ("state", None): "context_conversation_state",
    ("path", None): "context_artifact_state",
    ("path", "read"): "context_artifact_state",
    ("path", "created"): "artifact_files_created",
    ("path", "modified"): "artifact_files_modified",
    ("path", "deleted"): "artifact_files_modified",
    ("path", "renamed"): "artifact_files_modified",
    ("identifier", None): "artifact_key_details",
    ("command", None): "continuity_work_state",
    ("next_step", None): "continuity_todo_state",
    ("decision", None): "continuity_reasoning",
    ("reason", None): "continuity_reasoning",
    ("constraint", None): "instruction_constraints",
}


def readings(*outcomes, hit=()):
    return Readings(tuple(Reading(outcome) for outcome in outcomes), tuple(hit))


def scores(facts, found, traps=()):
    return {score.id: score.score for score in view_scores(facts, traps, found)}


@pytest.mark.parametrize(("type", "change"), OF_TYPE)
def test_every_type_of_fact_is_read_by_one_criterion_of_one_dimension(type, change):
    fact = Fact("x", type=type, change=change)
    found = scores([fact], readings("stated"))
    assert found == {OF_TYPE[type, change]: 5.0, "completeness_coverage": 5.0}
    assert {type for type, _ in OF_TYPE} == set(TYPES)
    assert {change for _, change in OF_TYPE} == {None, *get_args(Change)}


@pytest.mark.parametrize(
    ("outcomes", "score"),
    [
        (["stated", "stated", "stated", "stated"], 5.0),
        (["stated", "stated", "absent", "absent"], 2.5),
        (["stated", "stated", "uncertain", "uncertain"], 2.5),
        (["stated", "stated", "contradicted", "absent"], 1.25),
        (["stated", "contradicted", "contradicted", "absent"], 0.0),
        (["uncertain", "uncertain", "uncertain", "uncertain"], 0.0),
    ],
)
def test_a_criterion_is_the_share_stated_less_the_share_contradicted(outcomes, score):
    facts = [Fact(name, type="state") for name in "abcd"]
    assert scores(facts, readings(*outcomes))["context_conversation_state"] == score


def test_the_reasoning_names_the_facts_by_outcome():
    facts = [Fact(name) for name in "abcd"]
    found = readings("stated", "absent", "contradicted", "uncertain", hit=[True])
    said = view_scores(facts, [Trap("e")], found)[0]
    assert said.reasoning == "missing: b; contradicted: c; uncertain: d; stale: e"
    assert said.lists_facts


def test_a_part_is_complete_when_all_facts_of_its_type_are_stated():
    facts = [Fact("a"), Fact("b"), Fact("c", type="state"), Fact("d", type="reason")]
    found = readings("stated", "absent", "stated", "uncertain")
    assert scores(facts, found)["completeness_coverage"] == pytest.approx(5 / 3, abs=1e-4)


def test_a_loose_trap_counts_as_a_contradicted_fact_of_its_type():
    facts = [Fact("a"), Fact("b"), Fact("c", type="state")]
    traps = [Trap("z", type="value")]
    found = scores(facts, readings("stated", "stated", "stated", hit=[True]), traps)
    assert found["accuracy_factual"] == 2.5
    assert found["context_conversation_state"] == 5.0
    assert found["completeness_coverage"] == 2.5, "the values are not known completely"
    found = scores([Fact("a")], readings("stated", hit=[True]), [Trap("z", type="error")])
    assert found == {"accuracy_factual": 5.0, "completeness_coverage": 2.5}, "a type without facts"


def test_a_trap_of_a_fact_counts_once_as_that_fact_contradicted():
    fact = Fact("the limit is 45", keys=(("limit",), ("45",)))
    trap = Trap("the limit is 30", keys=(("limit",), ("30",)), of=fact.text)
    found = read([fact], [trap], TextIndex("The limit is 30."))
    assert found.hit == (True,)
    assert found.facts[0].outcome == "contradicted"
    assert "limit is 30" in found.facts[0].why
    both = read([fact], [trap], TextIndex("The limit is 30.\nThen: the limit is 45."))
    assert (both.hit, both.stated) == ((False,), (True,))
    others = [fact, Fact("src/a.py", keys=(("src/a.py",),))]
    told = read(others, [trap], TextIndex("The limit is 30. See src/a.py."))
    assert scores(others, told, [trap])["accuracy_factual"] == 0.0


def test_a_judge_that_only_says_yes_or_no_contradicts_by_the_traps_it_saw():
    facts = [Fact("a"), Fact("b"), Fact("c")]
    found = readings_of([True, False, False], [True], facts, [Trap("z", of="b")])
    assert [reading.outcome for reading in found.facts] == ["stated", "contradicted", "absent"]


FACTS = st.lists(
    st.builds(Fact, st.text("abc", min_size=1), type=st.sampled_from(TYPES)), min_size=1, max_size=8
)
OUTCOMES = st.sampled_from([outcome for outcome in get_args(Outcome) if outcome != "unread"])


@given(FACTS, st.data())
def test_a_text_that_states_nothing_scores_0_on_everything(facts, data):
    unknown = st.sampled_from(["absent", "contradicted", "uncertain"])
    found = [data.draw(unknown) for _ in facts]
    assert set(scores(facts, readings(*found)).values()) == {0.0}


@given(FACTS, st.data())
def test_one_more_fact_stated_lowers_nothing(facts, data):
    before = [data.draw(OUTCOMES) for _ in facts]
    place = data.draw(st.integers(0, len(facts) - 1))
    after = [*before[:place], "stated", *before[place + 1 :]]
    low, high = scores(facts, readings(*before)), scores(facts, readings(*after))
    assert low.keys() == high.keys()
    assert all(0 <= low[id] <= high[id] <= 5 for id in low)
    dimensions = [overall_score(dimension_scores(found)) for found in (low, high)]
    assert dimensions[0] <= dimensions[1]


@given(FACTS, st.data())
def test_facts_of_other_types_move_only_the_completeness(facts, data):
    outcomes = [data.draw(OUTCOMES) for _ in facts]
    type, other = data.draw(st.sampled_from(TYPES)), data.draw(OUTCOMES)
    changed = [other if fact.type == type else o for fact, o in zip(facts, outcomes, strict=True)]
    one, two = scores(facts, readings(*outcomes)), scores(facts, readings(*changed))
    own = {c.id for c in CRITERIA if type in c.types} | {"completeness_coverage"}
    assert {id for id in one if one[id] != two[id]} <= own
