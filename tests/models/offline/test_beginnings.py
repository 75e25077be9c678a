"""The beginning of a view, cut from the whole, answers as one that was prepared by itself."""

import pytest
from support.shipped import shipped

from pytest_compaction.cache import SizedCache
from pytest_compaction.case import AnswerSpec
from pytest_compaction.conversation import TokenCounter
from pytest_compaction.models.offline import retrieval
from pytest_compaction.models.offline.answer import answer
from pytest_compaction.text import BM25


def test_an_index_of_the_first_documents_scores_as_one_of_them_alone():
    documents = [["a", "b"] * 20, ["b"], ["c", "a"], [], ["d", "b", "b"]]
    whole = BM25(documents)
    for size in range(len(documents) + 1):
        part, alone = whole.beginning(size), BM25(documents[:size])
        assert [*part.scores("abcd")] == [*alone.scores("abcd")]
        assert [part.idf(term) for term in "abcd"] == [alone.idf(term) for term in "abcd"]
    with pytest.raises(TypeError):
        whole.beginning(1).add(["a"])


def test_answers_from_a_beginning_are_those_of_a_view_of_its_own():
    case = next(case for case in shipped() if case.id == "lease_queue")
    count = TokenCounter().text
    ends = [point.index + 1 for point in case.points]

    def answers():
        return [
            answer(case.messages[:end], probe.question, AnswerSpec(), count)
            for end in ends
            for probe in case.probes
        ]

    retrieval._PREPARED.forget()
    alone = answers()
    retrieval._PREPARED.forget()
    retrieval.prepare_beginnings(case.messages, ends)
    assert answers() == alone
    assert len(set(alone)) > len(case.probes)


def test_views_that_are_held_are_read_once_however_long_they_are(monkeypatch):
    case = next(case for case in shipped() if case.id == "lease_queue")
    ends = [point.index + 1 for point in case.points]
    read = []
    retrieval._PREPARED.forget()
    prepared = retrieval._prepared
    monkeypatch.setattr(retrieval, "_PREPARED", SizedCache(1, lambda made: len(made.units)))
    monkeypatch.setattr(retrieval, "_prepared", lambda view: read.append(view) or prepared(view))
    held = retrieval.prepare_beginnings(case.messages, ends)
    for end in (*ends, *ends):
        assert retrieval.prepare(case.messages[:end]) in held
    assert read == [case.messages]
    held.clear()
    retrieval.prepare(case.messages[: ends[0]])
    assert len(read) == 2
