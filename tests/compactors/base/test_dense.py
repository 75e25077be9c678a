"""Dense retrieval beside BM25 in ``rag`` and ``light``: both rankings, and what is asked for."""

import asyncio

import pytest
from support.builders import COUNTER, context_of, session
from support.compacting import compacted, in_a_row

from pytest_compaction.compactors.base.passages import fused
from pytest_compaction.compactors.strategies.light import MEMORY_ID, Light
from pytest_compaction.compactors.strategies.rag import PASSAGES_ID, Rag
from pytest_compaction.models import EmbedReply, OfflineModel
from pytest_compaction.models.embeddings import vectors_in

QUESTION = "Wie oft wird es noch einmal versucht?"
"""Shares no word with the log."""
NEAR = ("src/module_1.py", "must be 101")


def is_near(text):
    return all(part in text for part in NEAR)


class Embedding(OfflineModel):
    """An endpoint for which what is near is all that bears on a question."""

    def __init__(self):
        super().__init__(COUNTER)
        self.texts = []

    async def embed(self, request):
        self.texts += request.texts
        await asyncio.sleep(0)
        near = [text == QUESTION or is_near(text) for text in request.texts]
        data = [{"embedding": [1.0, 0.0] if each else [0.0, 1.0]} for each in near]
        return EmbedReply(vectors_in({"data": data}, len(near)))


def asked(compactor, model, *questions):
    """The views for questions that are asked at the same time."""
    context = context_of(700, model=model)
    outcome, _ = compacted(compactor, session(12), context)

    async def views():
        return await asyncio.gather(
            *(compactor.asked_view(outcome.state, context, each) for each in questions)
        )

    return [view.messages for view in asyncio.run(views())]


def found(view, id):
    return next((message.text for message in view if message.id == id), "")


def test_a_place_in_both_rankings_counts_more_than_a_better_one_in_one_of_them():
    assert fused([[4, 1, 2], [3, 1]]) == [1, 3, 4, 2]
    assert fused([[2, 0]]) == [2, 0]


@pytest.mark.parametrize(
    ("strategy", "parameters", "id"),
    [
        (Rag, {}, PASSAGES_ID),
        (Rag, {"unit": "pair", "k": 1}, PASSAGES_ID),
        (Light, {"notes": "pair", "k": 1}, MEMORY_ID),
        (Light, {"notes": "span", "k": 1}, MEMORY_ID),
    ],
)
def test_what_shares_no_word_with_the_question_is_found(strategy, parameters, id):
    model = Embedding()
    [view] = asked(strategy(embedding="m", **parameters), model, QUESTION)
    [plain] = asked(strategy(**parameters), model, QUESTION)
    assert is_near(found(view, id))
    assert not is_near(found(plain, id))
    assert COUNTER.messages(view) <= 700


def test_a_text_is_embedded_once_for_all_questions():
    model = Embedding()
    asked(Rag(embedding="m"), model, QUESTION, "And why?")
    assert len(model.texts) == len(set(model.texts)) > 3


def test_no_embedding_is_asked_for_unless_a_model_is_named():
    model = Embedding()
    asked(Rag(), model, QUESTION)
    assert (model.texts, Rag().traits.needs_model) == ([], False)
    assert Rag(embedding="m").traits.needs_model


@pytest.mark.parametrize("strategy", [Rag, Light])
def test_where_there_are_no_embeddings_nothing_is_compacted(strategy):
    context = context_of(700, model=OfflineModel(COUNTER))
    outcome, _ = compacted(strategy(embedding="m"), session(12), context)
    assert outcome.status == "failed"
    assert "has no embeddings" in outcome.error


def test_a_log_that_grew_is_embedded_from_where_it_ended():
    model = Embedding()
    context, chat = context_of(700, model=model), session(24)
    outcomes = in_a_row(Rag(embedding="m"), [chat[:40], chat[40:]], context)
    assert [outcome.status for outcome in outcomes] == ["truncated", "truncated"]
    assert len(model.texts) == len(set(model.texts))


def test_the_name_of_a_model_is_a_text():
    with pytest.raises(ValueError, match="embedding=3 must be the name"):
        Rag(embedding=3)
