"""A text of the index of a log, or the first ones, are read as if nothing else were there."""

import pytest
from support.paths import public_data

from pytest_compaction.case_making import ProbeLog
from pytest_compaction.case_making.log import Candidate
from pytest_compaction.case_making.needed import agent_sentences, user_sentences
from pytest_compaction.conversation import readable
from pytest_compaction.importers import conversations, importer_for, load_importers
from pytest_compaction.text import LogIndex, Statement, TextIndex
from pytest_compaction.text.sentence_splitting import MESSAGE_END

BETWEEN = f"\n\n{MESSAGE_END}\n\n"


@pytest.fixture(scope="module")
def real():
    """The texts of a real session, and what its sentences state."""
    path = public_data("claude-code/session.jsonl")
    importer = importer_for(path, load_importers().importers)
    messages = next(iter(conversations(importer, path))).messages
    log = ProbeLog(messages, [len(messages) - 1])
    said = [*agent_sentences(log), *user_sentences(log)]
    facts = filter(None, (log.fact(Candidate(each.text, "state")) for each in said))
    statements = {fact.statement for fact in facts}
    return [readable(message) for message in messages], sorted(statements, key=lambda one: one.text)


def test_each_text_is_read_as_alone(real):
    texts, statements = real
    index = LogIndex(texts)
    read = [
        (index.text(place).read(one).outcome, TextIndex(text).read(one).outcome)
        for place, text in enumerate(texts)
        for one in statements[::3]
        if any(key.casefold() in text.casefold() for group in one.keys for key in group)
    ]
    assert [mine for mine, _ in read] == [alone for _, alone in read]
    assert {"stated", "absent"} <= {alone for _, alone in read}


def test_the_first_texts_are_read_as_if_no_other_came(real):
    texts, statements = real
    index = LogIndex(texts)
    outcomes = set()
    for end in (len(texts) // 3, len(texts)):
        alone = TextIndex(BETWEEN.join(texts[:end]))
        part = index.beginning(end)
        for one in (*statements, Statement("a heron sleeps", keys=(("heron",),))):
            assert part.is_stated(one) == alone.is_stated(one)
            outcomes.add(alone.is_stated(one))
    assert outcomes == {True, False}


def test_names_that_come_later_are_not_known_before():
    texts = ["The handler of jobs is fast.", "We call it JobQueue now.", "jobqueue takes 7 jobs"]
    statement = Statement("the queue takes 7 jobs", keys=(("queue",), ("7 jobs",)))
    index = LogIndex(texts)
    assert index.beginning(3).is_stated(statement)
    assert not index.text(2).is_stated(statement)


def test_equal_texts_are_found_at_each_place():
    index = LogIndex(["the queue takes 7 jobs", "nothing", "the queue takes 7 jobs"])
    statement = Statement("the queue takes 7 jobs", keys=(("7 jobs",),))
    assert index.candidates(statement) == [0, 2]
