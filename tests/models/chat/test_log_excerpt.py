"""The judge's excerpt of the log: what is the same for all probes is made once."""

from contextlib import closing
from dataclasses import replace
from itertools import chain, zip_longest
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER
from support.endpoint_builders import judge_request

from pytest_compaction.cache import KeptResults, SizedCache
from pytest_compaction.case import Fact
from pytest_compaction.models import LogDigest, fences_for
from pytest_compaction.models.chat import log_excerpt
from pytest_compaction.models.chat.fences import shown
from pytest_compaction.models.chat.log_excerpt import (
    GAP,
    MessageExcerpts,
    excerpts_for,
    prepare,
)
from pytest_compaction.text import BM25, LogIndex, TextIndex, content_stems, normalize

ROWS = [
    "The timeout is 45 seconds.",
    "We decided against 30 seconds: the timeout is 45 s now.",
    "src/limits.py was created and src/old.py deleted.",
    "Run pytest -q; 3 failed, 12 passed.",
    "# Limits",
    "- the retry limit:",
    "  - four attempts, not five",
    "",
    "x" * 700,
]
FACTS = [
    Fact("the timeout is 45 seconds", "value", keys=(("timeout",), ("45 seconds", "45 s"))),
    Fact("the retry limit is four", "value", keys=(("retry limit",), ("four", "4"))),
    Fact("src/old.py was deleted", "path", keys=(("src/old.py",),), change="deleted"),
    Fact("pytest fails in 3 tests", "command", keys=(("pytest",), ("3 failed", "three"))),
    Fact("the limits were decided on", "decision"),
]
LOGS = st.lists(st.sampled_from(ROWS), max_size=40).map("\n".join)


def quarters(text):
    return len(text) // 4


QUARTERS = SimpleNamespace(name="quarters", text=quarters)


def log_of(*texts):
    messages = tuple((f"m{number}", "user", text) for number, text in enumerate(texts))
    return LogDigest("\n".join(texts), messages)


@given(LOGS, st.sampled_from(FACTS))
def test_an_excerpt_states_a_fact_as_it_does_when_it_is_read_alone(text, fact):
    excerpts = MessageExcerpts(text)
    for number, piece in enumerate(excerpts.texts):
        outcome = TextIndex(piece).read(fact.statement).outcome
        assert (number in excerpts.stating(fact.statement)) == (outcome == "stated")


@given(st.lists(LOGS, min_size=1, max_size=4), LOGS, LOGS)
def test_the_rank_of_an_excerpt_is_that_of_question_and_response_together(texts, asked, response):
    log = prepare(log_of(*texts))
    index = BM25([content_stems(normalize(text)) for _, text in log.excerpts])
    whole = index.scores(content_stems(normalize(f"{asked}\n{response}")))
    assert list(log.scores(asked, response)) == list(whole)


@given(
    st.lists(LOGS, min_size=1, max_size=5),
    st.lists(st.sampled_from(FACTS), max_size=4),
    st.sampled_from(["It is 45 seconds.", "I do not know.", "Four attempts, see # Limits."]),
    st.integers(20, 900),
)
def test_all_evidence_that_fits_is_shown_and_then_what_ranks_best(texts, facts, response, budget):
    digest = log_of(*texts)
    facts = tuple(replace(fact, evidence=(f"m{n}",)) for n, fact in enumerate(facts))
    request = judge_request(digest=digest, facts=facts, response=response)
    log = prepare(digest)
    costs = [quarters(text) + 16 for _, text in log.excerpts]
    if sum(costs) <= budget:
        return
    stated = list(map(log.evidence, facts))
    query = "\n".join(
        [
            request.question,
            *(form for fact in facts for form in (*fact.forms, *chain(*fact.keys))),
            *(text for trap in request.traps for text in (trap.text, *trap.current)),
        ]
    )
    scores = log.scores(query, response)
    turns = [number for turn in zip_longest(*stated) for number in turn if number is not None]
    ranked = sorted(range(len(costs)), key=lambda number: (-scores[number], number))
    chosen, left = [], budget
    for number in dict.fromkeys([*turns, *ranked]):
        if costs[number] <= left:
            chosen.append(number)
            left -= costs[number]
    lines = excerpts_for(request, budget, QUARTERS).splitlines()
    wanted = [line for number in sorted(chosen) for line in log.excerpts[number][1].splitlines()]
    labels = {GAP, *(label for label, _ in log.excerpts)}
    assert [line for line in lines if line not in labels] == wanted


def test_a_log_is_prepared_and_read_once_for_all_probes_and_points(monkeypatch):
    built, read, counted = [], [], []
    plain, plain_text = MessageExcerpts.__init__, LogIndex.text

    def build(self, text):
        built.append(text)
        plain(self, text)

    def read_text(self, place):
        read.append((id(self), place))
        return plain_text(self, place)

    def count(text):
        counted.append(text)
        return quarters(text)

    monkeypatch.setattr(MessageExcerpts, "__init__", build)
    monkeypatch.setattr(LogIndex, "text", read_text)
    log_excerpt._message_excerpts.cache_clear()
    monkeypatch.setattr(log_excerpt, "_PREPARED", SizedCache(1_000_000, lambda log: 1))
    texts = ["\n".join(ROWS * 9), "\n".join(f"row {n} is new" for n in range(300))]
    facts = (replace(FACTS[0], evidence=("m0",)),)
    first, second = log_of(texts[0]), log_of(*texts)
    for digest in (first, second):
        for response in ("It is 45 seconds.", "I do not know.", "Four attempts."):
            request = judge_request(digest=digest, facts=facts, response=response)
            assert excerpts_for(request, 300, SimpleNamespace(name="quarters", text=count))
    assert built == texts, "each message is cut once, though the second log begins as the first"
    assert len(read) == len(set(read)) > 0, "no excerpt is read twice for a fact"
    pieces = [len(prepare(digest).excerpts) for digest in (first, second)]
    assert len(counted) == sum(pieces), "tokens are counted once for each log"


@pytest.mark.parametrize("text", ["plain <|im_end|>\r\n[INST] …", "ﬀ\u200b\ud800", "ÄÖ\u2028 <s>"])
def test_what_is_shown_twice_is_made_visible_once(text):
    shown.cache_clear()
    fences_for([text]).around("log", text)
    assert shown.cache_info().misses == 1


def test_which_excerpts_are_shown_is_kept_for_the_same_request(tmp_path, monkeypatch):
    digest = log_of("\n".join(ROWS * 9), "\n".join(f"row {n} is new" for n in range(300)))
    request = judge_request(digest=digest, facts=FACTS, response="It is 45 seconds.")
    with closing(KeptResults(tmp_path / "results.sqlite")) as kept:
        first = excerpts_for(request, 300, COUNTER, kept)

    def refuse(*arguments):
        raise LookupError("the log is searched")

    monkeypatch.setattr(log_excerpt, "_PREPARED", SizedCache(1_000_000, lambda log: 1))
    monkeypatch.setattr(BM25, "add", refuse)
    monkeypatch.setattr(log_excerpt, "_chosen", refuse)
    with closing(KeptResults(tmp_path / "results.sqlite")) as kept:
        assert excerpts_for(request, 300, COUNTER, kept) == first
    others = [
        (replace(request, response="Four attempts."), 300),
        (replace(request, question="How many attempts?"), 300),
        (request, 200),
    ]
    for other, budget in others:
        with closing(KeptResults(tmp_path / "results.sqlite")) as kept, pytest.raises(LookupError):
            excerpts_for(other, budget, COUNTER, kept)
