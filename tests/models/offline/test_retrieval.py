"""Retrieval finds what weighing every unit anew after each one would find."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.builders import assistant, user
from support.compacting import messages_of

from pytest_compaction.models.offline import retrieval
from pytest_compaction.models.offline.retrieval import (
    prepare,
    quotations,
    relevant,
    search_terms,
    topic_cues,
)
from pytest_compaction.text import content_stems, normalize

MANY = [f"name{number}" for number in range(80)]
"""More terms than a number has bits."""
WORDS = st.sampled_from(["gauge", "queue", "limit", "failed", "error", "7", "because", *MANY[60:]])
LINES = st.lists(WORDS, min_size=1, max_size=6).map(" ".join)
TEXTS = st.lists(LINES, min_size=1, max_size=9).map("\n".join)
VIEWS = st.lists(TEXTS, min_size=1, max_size=5)


class Anew:
    """A search by its definition: no queue, and nothing remembered but what was taken."""

    def __init__(self, prepared, question):
        self.prepared, self.units = prepared, prepared.units
        self.weights = dict.fromkeys(search_terms(question), 1.0)
        self.cues = topic_cues(question)

    def total(self, index, number):
        return sum(w * index.term(term).get(number, 0.0) for term, w in self.weights.items())

    def own(self, number):
        """What a unit is worth, its neighbours aside; ``None`` without a term in its passage."""
        passage = self.units[number].passage
        if not any(self.prepared.by_passage.term(term).get(passage) for term in self.weights):
            return None
        factor = retrieval._WEIGHTS[self.units[number].kind]
        if any(cue.search(self.units[number].text) for cue in self.cues):
            factor *= retrieval._CUE
        share = retrieval._PASSAGE_SHARE * self.total(self.prepared.by_passage, passage)
        return factor * (self.total(self.prepared.by_unit, number) + share)

    def best(self, taken):
        owned = {number: self.own(number) for number in range(len(self.units))}
        owned = {number: worth for number, worth in owned.items() if worth is not None}
        best, most = None, 0.0
        for number in sorted(owned.keys() - taken):
            worth = max([owned[number], *self.beside(number, owned)])
            if worth > most + retrieval._EQUAL:
                best, most = number, worth
        return best, most

    def beside(self, number, owned):
        for away, share in enumerate(retrieval._NEIGHBOUR_SHARES, start=1):
            for other in {number - away, number + away} & owned.keys():
                if self.units[other].message == self.units[number].message:
                    yield owned[other] * share

    def lower(self, number):
        """Let the terms that a unit answered weigh less."""
        passage = self.units[number].passage
        for term in self.weights:
            if self.prepared.by_unit.term(term).get(number):
                self.weights[term] *= retrieval._ANSWERED
            elif self.prepared.by_passage.term(term).get(passage):
                self.weights[term] *= retrieval._ANSWERED_NEAR

    def found(self):
        taken, said, first = set(), set(), 0.0
        while True:
            best, most = self.best(taken)
            first = first or most
            if best is None or most < first * retrieval._CUTOFF:
                return
            taken.add(best)
            terms = set(content_stems(self.units[best].normal))
            if terms and len(terms - said) >= retrieval._NOVEL * len(terms):
                self.lower(best)
                said |= terms
                yield self.units[best].text


@given(VIEWS, LINES)
@example(["\n".join(f"{one} {two}" for one, two in pairwise(MANY))], " ".join(MANY))
def test_the_units_are_those_of_weighing_all_of_them_anew_each_time(texts, asked):
    says = [user(text) if number % 2 else assistant(text) for number, text in enumerate(texts)]
    prepared = prepare(tuple(messages_of(says)))
    question = normalize(f"which {asked} did it find, and why?")
    assert list(relevant(prepared, question)) == list(Anew(prepared, question).found())


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
