"""What a cache is charged to keep is in replies, prices and limits of Anthropic's form."""

import asyncio

import pytest
from support import builders

from pytest_compaction.models import Accounts, Call, ModelError, Usage, prices_at
from pytest_compaction.models.calls.spending_limit import SpendingLimit
from pytest_compaction.models.relay import relayed_usage

MODEL = "claude-opus-5"
"""5 US dollars for a million tokens of input, by the table."""
PRICES = prices_at("https://api.anthropic.com")
KEPT = {"cache_creation_input_tokens": 1_000_000, "input_tokens": 0, "output_tokens": 0}


def cost(**used):
    usage = relayed_usage("messages", {"usage": {**KEPT, **used}})
    return PRICES.cost(MODEL, usage)


def test_tokens_kept_for_minutes_cost_a_quarter_more_and_for_an_hour_twice_as_much():
    assert cost() == pytest.approx(6.25)
    assert cost(cache_creation={"ephemeral_1h_input_tokens": 1_000_000}) == pytest.approx(10)
    both = {"ephemeral_5m_input_tokens": 600_000, "ephemeral_1h_input_tokens": 400_000}
    assert cost(cache_creation=both) == pytest.approx(0.6 * 6.25 + 0.4 * 10)
    assert cost(cache_creation_input_tokens=0, input_tokens=1_000_000) == pytest.approx(5)


def test_a_stream_tells_what_is_kept_too():
    start = {"type": "message_start", "message": {"usage": {**KEPT, "output_tokens": 1}}}
    end = {"type": "message_delta", "usage": {"output_tokens": 7}}
    events = [{"event": event["type"], "data": event} for event in (start, end)]
    found = relayed_usage("messages", {"events": events})
    assert found == Usage(1, 1_000_000, 0, 7, kept_tokens=1_000_000)


def test_what_a_host_does_not_charge_for_costs_as_much_as_other_input():
    kept = Usage(1, 1_000_000, 0, 0, kept_tokens=1_000_000)
    gemini = prices_at("https://generativelanguage.googleapis.com")
    for name in ("gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-flash-preview"):
        assert gemini.cost(name, kept) == gemini.cost(name, Usage(1, 1_000_000))


@pytest.mark.parametrize(("ttl", "ratio"), [(None, 1.25), ("5m", 1.25), ("1h", 2.0)])
def test_a_limit_sets_aside_what_a_request_that_asks_for_the_cache_may_cost(tmp_path, ttl, ratio):
    accounts = Accounts(tmp_path / "accounts.sqlite")

    class Endpoint:
        async def call(self, call):
            self.set_aside = accounts.spent()
            raise ModelError("refused")

    endpoint = Endpoint()
    limit = SpendingLimit(endpoint, accounts, PRICES, builders.COUNTER, 1.0)

    def most(**block):
        content = [{"type": "text", "text": "the log " * 1000, **block}]
        said = [{"role": "user", "content": content}]
        body = {"model": MODEL, "max_tokens": 1, "messages": said}
        with pytest.raises(ModelError, match="refused"):
            asyncio.run(limit.call(Call("messages", body, is_ours=False)))
        assert accounts.spent() == 0
        return endpoint.set_aside

    asked = {"type": "ephemeral", **({"ttl": ttl} if ttl else {})}
    assert most(cache_control=asked) == pytest.approx(most() * ratio, rel=0.02)


def test_usage_without_anything_kept_is_written_as_it_always_was():
    assert Usage(1, 2, 3, 4).as_json() == {
        "calls": 1,
        "input_tokens": 2,
        "cached_tokens": 3,
        "output_tokens": 4,
    }
    whole = Usage(2, 9, 0, 1, 5, 3)
    assert Usage(**whole.as_json()) == whole
    assert whole - Usage(1, 4, 0, 0, 5, 0) == Usage(1, 5, 0, 1, 0, 3)
