"""Vectors as they are kept, replies that are none, and models without them."""

import asyncio

import pytest
from support.builders import COUNTER

from pytest_compaction.models import EmbedRequest, OfflineModel, UnsupportedError, embedded
from pytest_compaction.models.embeddings import unpacked, vectors_in, with_kept_vectors


def reply(*vectors):
    return {"data": [{"index": n, "embedding": vector} for n, vector in enumerate(vectors)]}


def test_a_vector_is_kept_in_two_bytes_a_number_with_length_1():
    kept = with_kept_vectors({**reply([3, 4.0, 0], [0, 0, 0]), "usage": {"prompt_tokens": 2}})
    assert [len(item["embedding"]) for item in kept["data"]] == [8, 8]
    assert kept["usage"] == {"prompt_tokens": 2}
    assert with_kept_vectors(kept) == kept
    long, none = map(unpacked, vectors_in(kept, 2))
    assert list(long) == pytest.approx([0.6, 0.8, 0], abs=1e-3)
    assert list(none) == [0, 0, 0]


def test_vectors_stand_in_the_order_of_their_texts():
    data = {"data": reply([1, 0], [0, 1])["data"][::-1]}
    assert [list(unpacked(vector)) for vector in vectors_in(data, 2)] == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "has 0 vectors for 1 texts"),
        (reply([1], [2]), "has 2 vectors for 1 texts"),
        ({"data": [{"index": 0}]}, "no list of numbers"),
        (reply(["a"]), "no list of numbers"),
        (reply("not base64"), "no list of numbers"),
        (reply("YQ=="), "no list of numbers"),
    ],
)
def test_another_reply_is_refused_with_a_sentence(body, said):
    with pytest.raises(ValueError, match=said):
        vectors_in(body, 1)


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="different lengths"):
        vectors_in(reply([1], [1, 2]), 2)


def test_rules_have_no_embeddings_and_say_what_to_do():
    with pytest.raises(UnsupportedError, match="leave embedding= out"):
        asyncio.run(embedded(OfflineModel(COUNTER), EmbedRequest("m", ("a",))))
