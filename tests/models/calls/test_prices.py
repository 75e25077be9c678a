"""List prices: hosts, names of models, the parts of a usage, long requests, and no guesses."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import DEFAULT_PRICING
from pytest_compaction.models import Usage, prices_at
from pytest_compaction.records import run_pricing

OPENAI = prices_at(None)
NAMES = ["gpt-4o", "gpt-4.1-mini", "gpt-5", "gpt-5-pro", "gpt-6.1-sol", "o3"]
PAID = [{"usd": {"responder": 0.1}}]


@pytest.mark.parametrize(
    ("name", "usd"),
    [
        ("gpt-5-mini", 0.25),
        ("GPT-5-mini", 0.25),
        ("gpt-5-mini-2025-08-07", 0.25),
        ("gpt-4o-2024-08-06", 2.5),
        ("gpt-4o-2024-05-13", 5),
        ("o3-2025-04-16", 2),
    ],
)
def test_a_dated_name_costs_what_the_model_costs(name, usd):
    assert OPENAI.cost(name, Usage(1, 100_000)) == pytest.approx(usd / 10)


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://api.anthropic.com/v1/", "claude-haiku-4-5-20251001"),
        ("https://generativelanguage.googleapis.com/v1beta/openai/", "models/gemini-2.5-flash"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "gemini-2.5-flash-preview-09-2025",
        ),
        ("https://api.deepseek.com", "deepseek-chat"),
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5"),
    ],
)
def test_other_providers_are_known_by_their_address(url, name):
    assert prices_at(url).knows(name)


@pytest.mark.parametrize(
    "name", ["gpt-5-minimal", "gpt-5-mini-finetuned", "gpt-99", "my-gpt-5", ""]
)
def test_a_model_that_is_not_in_the_list_has_no_price(name):
    assert not OPENAI.knows(name)
    assert OPENAI.cost(name, Usage(1, 1000, 0, 1000)) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8000/v1",
        "https://api.openai.com@example.org/v1",
        "localhost:8000",
        "http://[::1",
    ],
)
def test_a_host_that_is_not_in_the_list_has_no_prices(url):
    assert not prices_at(url).knows("gpt-5-mini")


def test_the_default_host_is_that_of_the_openai_package():
    assert OPENAI.host == prices_at("").host == "api.openai.com"
    assert prices_at("https://user:secret@api.openai.com:443/v1").knows("gpt-5-mini")


def test_the_header_names_the_version_of_the_list_and_no_credential():
    table = prices_at("https://user:secret@api.openai.com/v1")
    assert table.as_json() == {"source": table.edition}
    assert table.edition.startswith("genai-prices 0.")
    assert "secret" not in repr(table)


def test_cached_input_is_cheaper_and_part_of_the_input():
    def cost(*usage):
        return OPENAI.cost("gpt-4o-mini", Usage(1, *usage))

    assert cost(1_000_000, 0, 0) == pytest.approx(0.15)
    assert cost(1_000_000, 1_000_000, 0) == pytest.approx(0.075)
    assert cost(1_000_000, 400_000, 100_000) == pytest.approx(0.6 * 0.15 + 0.4 * 0.075 + 0.06)


def test_without_a_price_for_cached_input_it_costs_what_input_costs():
    read = [OPENAI.cost("gpt-5-pro", Usage(1, 1000, cached, 0)) for cached in (0, 1000)]
    assert read[0] == read[1] > 0


def test_a_long_request_costs_more_and_two_of_half_its_length_do_not():
    limit = 272_000
    short, long = (OPENAI.cost("gpt-5.4", Usage(1, limit + more)) for more in (0, 1))
    assert long == pytest.approx(2 * short, rel=1e-4)
    assert OPENAI.cost("gpt-5.4", Usage(2, limit + 1)) == pytest.approx(short, rel=1e-4)


@given(
    st.sampled_from(NAMES),
    *[st.integers(0, 100_000)] * 3,
    *[st.integers(0, 100_000)] * 3,
)
def test_cost_is_never_negative_and_adds_up(name, read, cached, written, read2, cached2, written2):
    one = Usage(1, read, min(cached, read), written)
    two = Usage(1, read2, min(cached2, read2), written2)
    costs = [OPENAI.cost(name, usage) for usage in (one, two, one + two)]
    assert min(costs) >= 0
    assert costs[2] == pytest.approx(costs[0] + costs[1])


@pytest.mark.parametrize(
    ("model", "read", "write", "output", "usd"),
    [
        ("claude-opus-5", 0.1, 1.25, 5, 5),
        ("claude-opus-5-5", 0.05, 1.25, 5, 4),
        ("claude-fable-5-2", 0.025, 1.25, 5, 8),
        ("gpt-5", 0.1, 1, 8, 1.25),
        ("gpt-5-2025-08-07", 0.1, 1, 8, 1.25),
        ("gpt-4o", 0.5, 1, 4, 2.5),
        ("gpt-5.6-sol", 0.1, 1.25, 5, 4),
        ("gpt-6.1-sol", 0.05, 1.25, 5, 2),
        ("gpt-5-pro", 1, 1, 8, 15),
        ("gemini-2.0-flash", 0.25, 1, 4, 0.1),
    ],
)
def test_a_run_is_priced_by_the_ratios_of_its_model(model, read, write, output, usd):
    found = run_pricing(model, PAID)
    assert (found.ratios.write, found.input_usd) == pytest.approx((write, usd))
    assert (found.ratios.read, found.ratios.output) == pytest.approx((read, output))
    assert found.name == f"{model}, prices of {OPENAI.edition}"


@pytest.mark.parametrize(
    ("model", "records"),
    [("", PAID), ("offline", PAID), ("my-model", PAID), ("claude-unknown", PAID), ("gpt-5", [])],
)
def test_a_model_without_a_known_price_has_stated_ratios_and_no_dollars(model, records):
    found = run_pricing(model, records)
    assert found is DEFAULT_PRICING
    assert (found.ratios.read, found.ratios.write, found.ratios.output) == (0.1, 1.25, 5)
    assert found.input_usd is None
    assert "read 0.1, write 1.25, output 5" in found.name
