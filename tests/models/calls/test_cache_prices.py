"""The cache price table: its file, its agreement with the price table, and no guesses."""

import json
import re
from importlib import resources

import pytest
from jsonschema import Draft202012Validator

from pytest_compaction.models.calls.cache_prices import default_pricing, model_pricing


def table(name):
    files = resources.files("pytest_compaction.models.calls")
    return json.loads(files.joinpath(name).read_text("utf-8"))


CACHE, PRICES = table("cache_prices.json"), table("prices.json")
RATIO = {"type": "number", "minimum": 0, "maximum": 2}
FAMILY = {
    "type": "object",
    "required": ["models", "read", "write"],
    "additionalProperties": False,
    "properties": {"models": {"type": "string"}, "read": RATIO, "write": RATIO},
}
SCHEMA = {
    "type": "object",
    "required": ["as_of", "source", "meaning", "default", "providers"],
    "additionalProperties": False,
    "properties": {
        "as_of": {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"},
        "source": {"type": "string", "minLength": 10},
        "meaning": {"type": "string", "minLength": 10},
        "default": {
            "type": "object",
            "required": ["name", "read", "write", "output"],
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"},
                "read": RATIO,
                "write": RATIO,
                "output": {"type": "number", "minimum": 1},
            },
        },
        "providers": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["host", "families"],
                "additionalProperties": False,
                "properties": {
                    "host": {"type": "string"},
                    "note": {"type": "string"},
                    "write_1h": RATIO,
                    "families": {"type": "array", "items": FAMILY},
                },
            },
        },
    },
}
WITHOUT_DISCOUNT = {"gpt-4o-2024-05-13", "gpt-5-pro", "gpt-5.2-pro"}
"""Models that the price table gives no price for cached input, unlike others of their family."""


def test_the_file_has_its_form_and_the_date_of_the_price_table():
    Draft202012Validator(SCHEMA).validate(CACHE)
    assert CACHE["as_of"] == PRICES["as_of"]


def test_the_ratios_of_families_are_those_of_the_priced_models_in_them():
    compared = set()
    for provider in CACHE["providers"]:
        (priced,) = [p for p in PRICES["providers"] if provider["host"] in p["hosts"]]
        for model in priced["models"]:
            families = [f for f in provider["families"] if re.fullmatch(f["models"], model["name"])]
            if families and model["name"] not in WITHOUT_DISCOUNT:
                ratio = model["cached_input"] / model["input"]
                assert families[0]["read"] == pytest.approx(ratio, abs=0.006), model["name"]
                compared.add(model["name"])
    every = {model["name"] for provider in PRICES["providers"] for model in provider["models"]}
    assert every - compared == {*WITHOUT_DISCOUNT, "gemini-2.0-flash", "gemini-2.0-flash-lite"}


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
    ],
)
def test_a_priced_model_has_the_ratios_of_its_family(model, read, write, output, usd):
    found = model_pricing(model)
    assert (found.ratios.write, found.input_usd) == (write, usd)
    assert found.ratios.read == pytest.approx(read)
    assert found.ratios.output == pytest.approx(output)
    assert found.name.endswith(f"prices of {CACHE['as_of']}")


@pytest.mark.parametrize("model", ["", "offline", "my-model", "gemini-2.0-flash", "claude-unknown"])
def test_nothing_is_guessed_for_a_model_without_a_price_or_family(model):
    assert model_pricing(model) is None


def test_the_default_says_its_ratios_and_has_no_dollars():
    found = default_pricing()
    assert (found.ratios.read, found.ratios.write, found.ratios.output) == (0.1, 1.25, 5)
    assert found.input_usd is None
    assert "read 0.1, write 1.25, output 5" in found.name
