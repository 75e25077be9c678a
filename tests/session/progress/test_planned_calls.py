"""The calls that are planned for items are those of a dry run."""

import json

import pytest
from support import sessions
from support.choices import choice_data
from support.sessions import MODEL, ids, selection, session_of
from support.talks import talk, write

from pytest_compaction.session.estimate import estimate
from pytest_compaction.session.items.collection import Selection, items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.progress_line import planned_calls


def besides_the_check(found):
    """The calls of an estimate without those that check the endpoint."""
    return sum(part.usage.calls for part in found.planned if part.role != "check")


@pytest.mark.parametrize("judges", [(MODEL,), (MODEL, "gpt-4.1-mini"), ("offline",)])
def test_answers_and_judgements_are_those_of_a_dry_run(tmp_path, judges):
    session = session_of(tmp_path, "truncate", trials=2, judges=judges)
    try:
        chosen = selection(session, ids(session, 2))
        found = estimate(session, session.endpoints, chosen)
        assert planned_calls(session, chosen) == (besides_the_check(found), False)
    finally:
        session.close()


def test_compactions_are_planned_once_for_a_case_and_are_a_guess(tmp_path):
    session = session_of(tmp_path, "anchored", "truncate")
    try:
        chosen = selection(session, ids(session, 3))
        points = len(session.case_set.entries[0].points)
        assert planned_calls(session, chosen) == (2 * len(chosen) + points, True)
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
        assert planned_calls(session, chosen)[0] == besides_the_check(found) + found.stored
    finally:
        session.close()


def test_a_dialogue_is_planned_with_both_arms(tmp_path, monkeypatch):
    monkeypatch.setattr(sessions, "CASE", write(tmp_path, talk(1), talk(2, 3, "GR")))
    session = session_of(tmp_path, "truncate")
    try:
        chosen = [Selection(item) for item in items_of(KINDS["dialogue"], session).values()]
        turns = sum(len(one.item.dialogue.turns) for one in chosen)
        assert planned_calls(session, chosen) == (3 * turns, True)
    finally:
        session.close()
