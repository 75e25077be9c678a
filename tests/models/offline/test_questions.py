"""What the offline model takes from the words of a question."""

import pytest

from pytest_compaction.models.offline.question import quotations


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who said “wait for the tide…”?", ("wait for the tide",)),
        ('What of `run_all` and "the old store"?', ("run_all", "the old store")),
        ("What came after “he said “wait for us” then?", ("wait for us",)),
        ("Which “line\nends here”?", ()),
        ("“" * 5000, ()),
    ],
    ids=["phrase", "code and phrase", "opened twice", "two lines", "never closed"],
)
def test_quotations_of_a_question_are_found(question, quoted):
    assert quotations(question) == quoted
