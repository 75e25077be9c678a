"""Neither a search for words nor the place in the conversation gives the answers away.

The seeds were not looked at while the wordings were written.
"""

from statistics import fmean

import pytest

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.case.nuggets import Nugget
from pytest_compaction.long_conversations.assemble import make_conversation
from pytest_compaction.models.offline.nuggets.judge import judge_nuggets
from pytest_compaction.models.protocol import NO_LOG, JudgeRequest
from pytest_compaction.text.bm25 import BM25
from pytest_compaction.text.words import content_stems, normalize

SEEDS = (101, 102, 103)
MOST = 0.6
"""What such a reader may score at most."""
ANSWERED = 0.95
"""What the answers of the questions themselves score at least."""


def score(probing, response):
    """The score of a question for a text, the mean over its nuggets."""
    nuggets = tuple(Nugget(truth.nugget) for truth in probing.truths)
    kind = probing.ability
    request = JudgeRequest(
        kind, probing.question, response, (), (), AnswerSpec(), NO_LOG, nuggets=nuggets
    )
    return fmean(each.score for each in judge_nuggets(request).nuggets)


def messages(conversation):
    turns = (turn for batch in conversation.batches for turn in batch.turns)
    pairs = (pair for turn in turns for pair in turn)
    return [text for pair in pairs for text in (pair.user, pair.assistant)]


def stems(text):
    return list(content_stems(normalize(text)))


def by_words(conversation):
    """The message that has the words of a question, whatever it asks."""
    texts = messages(conversation)
    index = BM25(stems(text) for text in texts)

    def found(question):
        scores = index.scores(stems(question))
        return texts[max(range(len(texts)), key=lambda number: scores[number])]

    return found


def by_place(conversation):
    """The last tenth, whatever is asked."""
    texts = messages(conversation)
    tail = "\n".join(texts[-(len(texts) // 10) :])
    return lambda question: tail


@pytest.mark.parametrize(
    "tokens", [4_000, 30_000, pytest.param(100_000, marks=pytest.mark.exhaustive)]
)
@pytest.mark.parametrize("reader", [by_words, by_place])
def test_no_simple_reader_knows_the_answers(reader, tokens, record_property):
    scores = []
    for seed in SEEDS:
        conversation = make_conversation(tokens, seed)
        answer = reader(conversation)
        scores += [score(each, answer(each.question)) for each in conversation.probings]
    record_property("score", fmean(scores))
    assert len(scores) == (10 if tokens < 20_000 else 20) * len(SEEDS)
    assert fmean(scores) < MOST


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("tokens", [4_000, 30_000])
def test_the_right_answers_score_well(seed, tokens):
    probings = make_conversation(tokens, seed).probings
    scores = {each.question: score(each, each.answer) for each in probings}
    assert fmean(scores.values()) >= ANSWERED, scores
