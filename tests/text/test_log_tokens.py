"""The tokens of a log and its sentences agree on which claims are supported."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pytest_compaction.text.claim as claim_module
from pytest_compaction.text import Claim, LogTokens, TextIndex, claims

LOG = """Edited `src/api/rate_limiter.py` and ran pytest: 5,000 requests took 41.5s.
RateLimiter.acquire() raised "window is not open yet" in tests/test_limits.py:77.
The retry budget is 12."""
WORDS = st.sampled_from(
    [*LOG.split(), "lib/quux.py", "rate_limiter", "41.5", "5000", "4", "77", '"not open"', "api.py"]
)


@pytest.mark.parametrize(
    ("kind", "text", "held"),
    [
        ("path", "src/api/rate_limiter.py", True),
        ("path", "api/rate_limiter.py", True),
        ("path", "/home/dev/src/api/rate_limiter.py", True),
        ("path", "lib/rate_limiter.py", False),
        ("path", "quux.py", False),
        ("name", "RateLimiter", True),
        ("name", "RateBreaker", False),
        ("number", "5000", True),
        ("number", "500", False),
        ("quote", "window is not open", True),
        ("quote", "window is open", False),
        ("quote", "indow is not open", False),
    ],
)
def test_a_claim_is_held_where_the_log_has_its_tokens(kind, text, held):
    assert LogTokens(LOG).holds(Claim(kind, text)) is held


def test_a_file_is_named_where_a_search_prints_it_with_what_it_found():
    log = LogTokens("src/api/utils.ts:export function pad(line)\nlib/pad.go:12:func pad(")
    held = ["src/api/utils.ts", "utils.ts", "lib/pad.go"]
    assert all(log.holds(Claim("path", path)) for path in held)
    assert not log.holds(Claim("path", "lib/utils.ts"))


@given(st.lists(WORDS).map(" ".join), st.lists(WORDS, max_size=6).map(" ".join))
def test_tokens_and_sentences_agree_on_what_is_supported(log, answer):
    tokens, sentences = LogTokens(log), TextIndex(log)
    for claim in claims(answer):
        if claim.kind == "path":
            assert tokens.holds(claim) == sentences.states([claim.text]), claim
        elif claim.kind == "quote":
            assert tokens.holds(claim) <= sentences.contains(claim.text), claim


@given(st.lists(st.lists(WORDS).map(" ".join), max_size=4), st.lists(WORDS, max_size=6))
def test_a_log_is_read_by_message_as_it_is_whole(messages, answer):
    whole = "\n".join(messages)
    by_message, at_once = LogTokens(whole, messages), LogTokens(whole)
    for claim in claims(" ".join(answer)):
        if claim.kind == "quote":  # which may not begin in one message and end in the next
            held = any(LogTokens(message).holds(claim) for message in messages)
            assert by_message.holds(claim) == held <= at_once.holds(claim)
        else:
            assert by_message.holds(claim) == at_once.holds(claim)


def test_the_tokens_of_a_message_are_read_once_for_the_log_up_to_each_point(monkeypatch):
    read = []
    monkeypatch.setattr(claim_module, "posted", lambda token: read.append(token) or (token,))
    messages = ["quartz jackdaws", "vex sphinxes", "of black quartzite"]
    for point in (1, 2, 3):
        LogTokens("\n".join(messages[:point]), messages[:point])
    assert sorted(read) == sorted(" ".join(messages).split())
