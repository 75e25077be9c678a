"""What is done once for each message of a long log, and not once for each message and step."""

import asyncio

import pytest
from support.builders import COUNTER

from pytest_compaction.compactors import Context
from pytest_compaction.compactors.base import passages as passages_module
from pytest_compaction.compactors.base.passages import Passage, best_passages, indexed_by
from pytest_compaction.compactors.strategies.plain import NoCompaction
from pytest_compaction.compactors.strategies.rag import Rag
from pytest_compaction.conversation import text_message
from pytest_compaction.models import OfflineModel
from pytest_compaction.run import CheckedStrategy, Feeder, parse_trigger
from pytest_compaction.text import BM25

CONTEXT = Context(1000, 500, COUNTER, OfflineModel(COUNTER))


class CountingRenders(NoCompaction):
    def __init__(self):
        self.renders = 0

    def render(self, state, context, probe=None):
        self.renders += 1
        return super().render(state, context, probe)


def asked_after_each_message(trigger, messages):
    """How often the view is made while the feeder is asked after each message."""
    strategy = CountingRenders()

    async def feed():
        feeder = Feeder(CheckedStrategy(strategy, 60), parse_trigger(trigger))
        for number in range(messages):
            await feeder.observe([text_message(f"m{number}", "user", "again")], CONTEXT)
            await feeder.is_time(CONTEXT)
        feeder.strategy.close()

    asyncio.run(feed())
    return strategy.renders


@pytest.mark.parametrize("trigger", ["turns:1000", "auto"])
def test_a_trigger_that_does_not_weigh_the_view_does_not_make_it(trigger):
    assert asked_after_each_message(trigger, 30) == 0


@pytest.mark.parametrize("trigger", ["tokens:100000", "window:1", "adaptive"])
def test_a_trigger_that_weighs_the_view_makes_it_once_for_each_question(trigger):
    assert asked_after_each_message(trigger, 30) == 30


@pytest.mark.parametrize("room", [1000, 4000, 16000])
def test_the_passages_found_are_counted_as_a_whole_only_near_the_limit(room):
    passages = [
        Passage(f"m{n}", f"cache line {n} of the log was read again", n) for n in range(2000)
    ]
    whole = []

    def count(text):
        whole.extend([text] if text.count("cache") > 1 else [])
        return COUNTER.text(text)

    archive = indexed_by(passages, (each.text for each in passages))
    found = best_passages(archive, "cache", room, count)
    assert room - 100 < COUNTER.text(found) <= room
    assert len(whole) < 40


def test_an_archive_is_indexed_once_for_all_questions(monkeypatch):
    made = []
    monkeypatch.setattr(passages_module, "BM25", lambda texts: made.append(BM25(texts)) or made[-1])
    rag, context = Rag(), Context(1000, 100, COUNTER, OfflineModel(COUNTER))
    messages = [text_message(f"m{n}", "user", f"cache line {n}") for n in range(60)]
    state = rag.observe(rag.start(), messages, context)
    state = asyncio.run(rag.compact(state, context)).state
    found = [rag.render(state, context, probe) for probe in ("cache line 4", "line 3")]
    texts = ["\n".join(message.text for message in view.messages) for view in found]
    assert "cache line 4" in texts[0] and "cache line 3" in texts[1]
    assert len(made) == 1
