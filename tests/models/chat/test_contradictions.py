"""A judgement whose scores its own findings rule out is no judgement."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.endpoint_builders import Replies, ask, chat, judge_request, judged
from support.endpoint_replies import completion

from pytest_compaction.case import Fact, FactType, Trap
from pytest_compaction.metrics import criterion_score, readings_of
from pytest_compaction.models.chat.judgement import contradiction

FACTS = (
    Fact("the limit is 45", type="value"),
    Fact("a.py", type="path", change="created"),
    Fact("never delete logs", type="constraint"),
)
TRAPS = (Trap("the limit is 30", of="the limit is 45"), Trap("b.py", type="path"))


def said(scores=4, stated=(True, True, True), hit=(False, False), **changes):
    """The contradiction of a judgement; ``changes`` are scores by criterion."""
    request = judge_request(kind="continuation", facts=FACTS, traps=TRAPS)
    given = {criterion.id: float(scores) for criterion in request.criteria} | changes
    return contradiction(request, given, stated, hit)


def test_nothing_stated_every_trap_hit_and_all_fives_is_unscored_after_one_repair():
    request = judge_request(facts=FACTS, traps=TRAPS)
    data = judged(request, score=5)
    for fact in data["facts"].values():
        fact["stated"] = False
    for claim in data["stale_claims"].values():
        claim["hit"] = True
    caller = Replies(completion(json.dumps(data)))
    reply = ask(chat(caller).judge(request))
    assert (
        "it contradicts itself: no fact is stated, but criteria.completeness_coverage is 5, above 3"
        in reply.unscored
    )
    assert (len(caller.calls), reply.criteria) == (2, ())
    assert "it contradicts itself" in caller.calls[1].body["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("judgement", "expected"),
    [
        (
            {"scores": 0, "stated": (False,) * 3, "completeness_depth": 4},
            "no fact is stated, but criteria.completeness_depth is 4, above 3",
        ),
        (
            {"stated": (True, False, True), "artifact_files_created": 5},
            "facts.2 is not stated, but criteria.artifact_files_created is 5",
        ),
        (
            {"stated": (True, False, True), "completeness_coverage": 5},
            "facts.2 is not stated, but criteria.completeness_coverage is 5",
        ),
        (
            {"hit": (True, False), "scores": 5},
            "stale_claims.1 is hit, but nothing is taken from accuracy_factual, accuracy_technical",
        ),
        (
            {"hit": (False, True), "scores": 5},
            "stale_claims.2 is hit, but nothing is taken from accuracy_factual, accuracy_technical",
        ),
        (
            {"artifact_files_created": 0},
            "all facts are stated, but criteria.artifact_files_created is 0",
        ),
        (
            {"stated": (True, False, True), "artifact_files_created": 4.999},
            "facts.2 is not stated, but criteria.artifact_files_created is 4.999, and 5 is for all",
        ),
        (
            {"hit": (True, False), "scores": 4.95},
            "stale_claims.1 is hit, but nothing is taken from accuracy_factual, accuracy_technical",
        ),
        (
            {"artifact_files_created": 1e-9},
            "all facts are stated, but criteria.artifact_files_created is 1e-09, and 0 is for none",
        ),
    ],
    ids=[
        "nothing stated",
        "a file",
        "coverage",
        "stale value",
        "stale file",
        "all stated",
        "nearly 5",
        "nearly 5 and stale",
        "nearly 0",
    ],
)
def test_a_score_that_the_findings_rule_out_is_named(judgement, expected):
    assert said(**judgement).startswith(f"it contradicts itself: {expected}")


@pytest.mark.parametrize(
    "judgement",
    [
        {"scores": 5},
        {"scores": 0, "stated": (False,) * 3, "hit": (True, True)},
        {"scores": 3, "stated": (False,) * 3, "accuracy_factual": 5},
        {"stated": (True, False, True), "accuracy_factual": 5, "instruction_constraints": 5},
        {"accuracy_factual": 0},
        {"instruction_constraints": 0},
        {"hit": (True, False), "artifact_files_created": 5, "accuracy_factual": 0},
        {"stated": (True, False, False), "scores": 3, "artifact_files_created": 1},
    ],
    ids=[
        "all",
        "nothing",
        "vague and right",
        "others",
        "made up",
        "beyond limits",
        "stale",
        "partly",
    ],
)
def test_a_score_that_the_findings_leave_open_is_the_judges_own(judgement):
    assert said(**judgement) is None


def test_a_stale_claim_lowers_accuracy_coverage_or_what_is_about_it():
    request = judge_request(facts=FACTS, traps=(Trap("it is green", type="state"),))
    fives = {criterion.id: 5.0 for criterion in request.criteria}
    assert contradiction(request, fives, (True,) * 3, (True,)) == (
        "it contradicts itself: stale_claims.1 is hit, but nothing is taken from "
        "accuracy_factual, accuracy_technical, context_conversation_state, completeness_coverage"
    )
    lowered = fives | {"completeness_coverage": 4.0}
    assert contradiction(request, lowered, (True,) * 3, (True,)) is None


_TYPES = st.sampled_from(get_args(FactType))
_CHANGES = st.sampled_from(["created", "modified", "read", None])


@given(
    st.lists(st.tuples(_TYPES, _CHANGES, st.booleans()), min_size=1, max_size=12),
    st.lists(st.tuples(_TYPES, st.booleans(), st.booleans()), max_size=4),
    st.sampled_from([int, float]),
)
def test_a_judge_that_counts_its_own_findings_never_contradicts_itself(facts, traps, rounded):
    known = tuple(
        Fact(f"fact {n}", type=type, change=change if type == "path" else None)
        for n, (type, change, _) in enumerate(facts)
    )
    stale = tuple(
        Trap(f"trap {n}", type=type, of="fact 0" if counterpart else None)
        for n, (type, counterpart, _) in enumerate(traps)
    )
    request = judge_request(facts=known, traps=stale)
    stated = tuple(held for _, _, held in facts)
    # Beside the current value a stale one is no hit.
    hit = tuple(fell and not (counterpart and stated[0]) for _, counterpart, fell in traps)
    readings = readings_of(stated, hit, known, stale)
    share = sum(readings.stated) / len(known)
    scores = {criterion.id: float(rounded(5 * share)) for criterion in request.criteria}
    for criterion in request.criteria:
        score = criterion_score(criterion, known, stale, readings)
        if score is not None:
            scores[criterion.id] = float(rounded(score.score)) if any(stated) else 0.0
    assert contradiction(request, scores, stated, hit) is None
