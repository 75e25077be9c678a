"""The calls that are planned for items are those of a dry run, and records replace them."""

import json

import pytest
from support import sessions
from support.choices import choice_data
from support.sessions import MODEL, ids, selection, session_of
from support.talks import talk, write

from pytest_compaction.session.estimate import Selection, estimate
from pytest_compaction.session.items.collection import items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.progress_line import CallLedger, CallPlans


def planned(session, chosen):
    plans = CallPlans(session)
    return CallLedger({str(n): plans.of(one.item) for n, one in enumerate(chosen)})


def besides_the_check(found):
    """The calls of an estimate without those that check the endpoint."""
    return sum(part.usage.calls for part in found.planned if part.role != "check")


@pytest.mark.parametrize("judges", [(MODEL,), (MODEL, "gpt-4.1-mini"), ("offline",)])
def test_answers_and_judgements_are_those_of_a_dry_run(tmp_path, judges):
    session = session_of(tmp_path, "truncate", trials=2, judges=judges)
    try:
        chosen = selection(session, ids(session, 2))
        found = estimate(session, session.endpoints, chosen)
        ledger = planned(session, chosen)
        assert (ledger.total, ledger.guessed) == (besides_the_check(found), False)
    finally:
        session.close()


def test_compactions_are_planned_once_for_a_case_and_are_a_guess(tmp_path):
    session = session_of(tmp_path, "anchored", "truncate")
    try:
        chosen = selection(session, ids(session, 3))
        ledger = planned(session, chosen)
        points = len(session.case_set.entries[0].points)
        assert ledger.total == 2 * len(chosen) + points
        assert ledger.guessed
    finally:
        session.close()


def test_a_forced_choice_is_read_by_rules(tmp_path, monkeypatch):
    path = tmp_path / "choices.json"
    path.write_text(json.dumps(choice_data("export")))
    monkeypatch.setattr(sessions, "CASE", path)
    session = session_of(tmp_path, "none", "truncate")
    try:
        chosen = selection(session)
        found = estimate(session, session.endpoints, chosen)
        assert {one.item.probe.kind for one in chosen} >= {"compliance"}
        assert planned(session, chosen).total == besides_the_check(found) + found.stored
    finally:
        session.close()


def test_a_dialogue_is_planned_with_both_arms(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "CASE", write(tmp_path, talk(1), talk(2, 3, "GR")))
    session = session_of(tmp_path, "truncate")
    try:
        chosen = [Selection(item) for item in items_of(KINDS["dialogue"], session).values()]
        ledger = planned(session, chosen)
        turns = sum(len(one.item.dialogue.turns) for one in chosen)
        assert (ledger.total, ledger.guessed) == (3 * turns, True)
    finally:
        session.close()


@pytest.mark.parametrize(
    ("record", "taken"),
    [
        ({"usage": {r: {"calls": 2} for r in ("compaction", "responder", "judge")}}, (4, 2)),
        (
            {
                "type": "dialogue",
                "usage": {
                    r: {"calls": 3} for r in ("compaction", "baseline", "responder", "judge")
                },
            },
            (9, 3),
        ),
        ({}, (0, 0)),
    ],
)
def test_what_an_item_took_stands_in_its_record(tmp_path, record, taken):
    session = session_of(tmp_path, "anchored")
    assert CallPlans(session).taken(record) == taken
    session.close()


def test_what_rules_did_is_no_call(tmp_path):
    session = session_of(tmp_path, "anchored", judges=("offline",))
    record = {"usage": {"judge": {"calls": 2}, "responder": {"calls": 1}}}
    assert CallPlans(session).taken(record) == (1, 0)
    session.close()
