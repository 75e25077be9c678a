"""Runs over different versions of the shipped cases: what changed is named."""

import pytest

from pytest_compaction.records import cases_note

NAMES = ("main", "this run")


def header(version, **cases):
    return {"versions": {"cases": version} if version else {}, "cases": cases}


OLD = header("1", kept="a", asked="b", left="c")


def test_what_changed_is_named():
    new = header("2", kept="a", asked="B", added="d", more="e")
    assert cases_note(OLD, new, NAMES) == (
        "main has version 1 of the shipped cases and this run version 2: the case asked is not the "
        "same in main and this run"
    )


def test_a_run_from_before_there_was_a_version_is_of_an_earlier_one():
    note = cases_note(header(None, kept="a"), header("2", kept="b"), NAMES)
    assert note.startswith(
        "main has an earlier version of the shipped cases and this run version 2"
    )


@pytest.mark.parametrize(
    "other",
    [
        header("1", kept="x"),
        header("2", kept="a", asked="b", left="c"),
        header("2", other="a"),
        header(None, other="a"),
        {},
    ],
    ids=["same version", "same cases", "nothing in common", "own cases", "no header"],
)
def test_where_nothing_changed_or_nothing_is_shared_there_is_no_note(other):
    assert cases_note(OLD, other, NAMES) is None
