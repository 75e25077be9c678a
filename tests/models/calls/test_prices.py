"""The price table: its file, the look-up of names, and no guesses."""

import json
from datetime import date
from importlib import resources

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_compaction.models.calls.prices import prices_at
from pytest_compaction.models.usage import Usage

TABLE = json.loads(
    resources.files("pytest_compaction.models.calls").joinpath("prices.json").read_text("utf-8")
)
MODEL = {
    "type": "object",
    "required": ["name", "input", "cached_input", "output"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": r"^[a-z0-9.\-]+$"},
        "input": {"type": "number", "exclusiveMinimum": 0, "maximum": 200},
        "cached_input": {"type": ["number", "null"], "exclusiveMinimum": 0},
        "output": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
        "up_to_input_tokens": {"type": "integer", "minimum": 1000},
        "note": {"type": "string", "minLength": 1},
    },
}
SCHEMA = {
    "type": "object",
    "required": ["as_of", "source", "currency", "per_tokens", "providers"],
    "additionalProperties": False,
    "properties": {
        "as_of": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "source": {"type": "string", "minLength": 10},
        "currency": {"const": "USD"},
        "per_tokens": {"const": 1_000_000},
        "providers": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["id", "hosts", "source", "models"],
                "additionalProperties": False,
                "properties": {
                    "id": {"type": "string"},
                    "hosts": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                    "source": {"type": "string", "pattern": "^https://"},
                    "models": {"type": "array", "minItems": 1, "items": MODEL},
                },
            },
        },
    },
}
OPENAI = prices_at(None)


def test_the_table_is_well_formed_dated_and_names_its_sources():
    assert list(Draft202012Validator(SCHEMA).iter_errors(TABLE)) == []
    assert date.fromisoformat(TABLE["as_of"]).year >= 2026
    for provider in TABLE["providers"]:
        names = [model["name"] for model in provider["models"]]
        assert len(names) == len(set(names))
        for model in provider["models"]:
            assert model["output"] > model["input"]
            assert (model["cached_input"] or 0) < model["input"]


def test_every_model_of_the_table_is_found_at_each_of_its_hosts():
    for provider in TABLE["providers"]:
        for host in provider["hosts"]:
            table = prices_at(f"https://{host}/v1")
            for model in provider["models"]:
                assert table.price(model["name"]).input == model["input"]


@pytest.mark.parametrize(
    ("name", "same_as"),
    [
        ("gpt-5-mini", "gpt-5-mini"),
        ("GPT-5-mini", "gpt-5-mini"),
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-05-13"),
        ("o3-2025-04-16", "o3"),
    ],
)
def test_a_dated_name_costs_what_the_model_costs(name, same_as):
    expected = next(m for p in TABLE["providers"] for m in p["models"] if m["name"] == same_as)
    assert OPENAI.price(name).input == expected["input"]


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
    ],
)
def test_other_providers_are_known_by_their_host(url, name):
    assert prices_at(url).price(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5-minimal",
        "gpt-5-mini-finetuned",
        "gpt-99",
        "my-gpt-5",
        "offline",
        "",
        "gpt-5-search-api",
    ],
)
def test_a_model_that_is_not_in_the_table_has_no_price(name):
    assert OPENAI.price(name) is None
    assert OPENAI.cost(name, Usage(1, 1000, 0, 1000)) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:11434/v1",
        "http://127.0.0.1:8000/v1",
        "https://me.openai.azure.com/openai/v1/",
        "https://api.openai.com.example.org/v1",
        "https://api.openai.com@example.org/v1",
        "localhost:8000",
        "http://[::1",
    ],
)
def test_a_host_that_is_not_in_the_table_has_no_prices(url):
    assert prices_at(url).price("gpt-5-mini") is None


def test_the_default_host_is_that_of_the_openai_package():
    assert OPENAI.host == prices_at("").host == "api.openai.com"
    assert prices_at("https://user:secret@api.openai.com:443/v1").price("gpt-5-mini") is not None


def test_cached_input_is_cheaper_and_part_of_the_input():
    price = OPENAI.price("gpt-4o-mini")
    assert price.of(Usage(1, 1_000_000, 0, 0)) == pytest.approx(0.15)
    assert price.of(Usage(1, 1_000_000, 1_000_000, 0)) == pytest.approx(0.075)
    assert price.of(Usage(1, 1_000_000, 400_000, 100_000)) == pytest.approx(
        0.6 * 0.15 + 0.4 * 0.075 + 0.1 * 0.6
    )


def test_without_a_price_for_cached_input_it_costs_what_input_costs():
    price = OPENAI.price("gpt-5-pro")
    assert price.cached_input is None
    assert price.of(Usage(1, 1000, 1000, 0)) == price.of(Usage(1, 1000, 0, 0))


def test_a_request_longer_than_the_table_goes_is_not_guessed():
    price = OPENAI.price("gpt-5.4")
    limit = price.up_to_input_tokens
    assert price.of(Usage(1, limit, 0, 10)) is not None
    assert price.of(Usage(1, limit + 1, 0, 10)) is None
    assert price.of(Usage(2, limit + 1, 0, 10)) is not None, "two calls of half that length"


@given(
    st.sampled_from(sorted(OPENAI.models)),
    *[st.integers(0, 100_000)] * 3,
    *[st.integers(0, 100_000)] * 3,
)
def test_cost_is_never_negative_and_adds_up(name, read, cached, written, read2, cached2, written2):
    price = OPENAI.price(name)
    one = Usage(1, read, min(cached, read), written)
    two = Usage(1, read2, min(cached2, read2), written2)
    assert price.of(one) >= 0
    assert price.of(one + two) == pytest.approx(price.of(one) + price.of(two))
