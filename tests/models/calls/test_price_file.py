"""Prices in a file of the user: they come first, and a fault is a sentence with its place."""

import json

import pytest

from pytest_compaction.models import Usage, prices_at, with_file
from pytest_compaction.settings import OptionError

ENTRY = {"name": "Acme/Large", "input": 3, "output": 15}
SOUND = {"as_of": "2026-03-01", "source": "the contract", "models": [ENTRY]}
LIST = prices_at(None)


@pytest.fixture
def merged(tmp_path):
    """The list prices with a file of this content."""

    def merge(content):
        path = tmp_path / "prices.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
        return with_file(LIST, path, "prices.json")

    return merge


def test_a_model_of_a_gateway_has_the_price_of_the_file(merged):
    table = merged(SOUND)
    assert table.cost("acme/large", Usage(1, 1_000_000, 0, 100_000)) == pytest.approx(4.5)
    assert table.as_of == "2026-03-01"
    assert table.source.startswith("prices.json (the contract); other models: ")


def test_a_price_of_the_file_comes_before_a_list_price_and_others_stay(merged):
    table = merged({**SOUND, "models": [{**ENTRY, "name": "gpt-4o"}]})
    read = Usage(1, 1_000_000)
    assert table.cost("gpt-4o", read) == pytest.approx(3)
    assert table.cost("gpt-4o-mini", read) == LIST.cost("gpt-4o-mini", read)


def test_a_request_longer_than_the_file_says_is_not_guessed(merged):
    table = merged({**SOUND, "models": [{**ENTRY, "up_to_input_tokens": 1000}]})
    costs = [table.cost("acme/large", usage) for usage in (Usage(1, 1000), Usage(1, 1001))]
    assert costs == [pytest.approx(0.003), None]
    assert table.cost("acme/large", Usage(2, 2000)) == pytest.approx(0.006)


def test_a_file_may_say_what_a_cache_is_charged_to_keep(merged):
    dear = {**ENTRY, "cache_write": 6, "cache_write_1h": 9}
    table = merged({**SOUND, "models": [dear, {**ENTRY, "name": "plain"}]})
    kept = Usage(1, 3_000_000, 0, 0, kept_tokens=1_000_000, kept_long_tokens=1_000_000)
    assert table.cost("acme/large", kept) == pytest.approx(3 + 6 + 9)
    assert table.cost("plain", kept) == pytest.approx(3 * 3)


def test_without_a_file_the_table_is_the_same():
    assert with_file(LIST, None) is LIST


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({**SOUND, "models": []}, "/models: found"),
        ({**SOUND, "models": [{**ENTRY, "input": -1}]}, "/models/0/input: found int -1"),
        ({**SOUND, "models": [{**ENTRY, "price": 1}]}, "/models/0: found"),
        ({**SOUND, "as_of": "today"}, "/as_of: found str"),
        ({**SOUND, "models": [ENTRY, {**ENTRY, "name": "acme/large"}]}, "/models/1/name: found"),
        ({"models": [ENTRY]}, "as_of"),
        ("{", "is not valid JSON"),
        ('{"as_of": NaN}', "is not valid JSON: the number NaN"),
    ],
)
def test_a_fault_names_the_file_and_the_place_and_shows_a_sound_file(merged, content, said):
    with pytest.raises(OptionError) as caught:
        merged(content)
    assert str(caught.value).startswith("--compaction-prices=prices.json ")
    assert said in str(caught.value)
    shown = str(caught.value).partition("write ")[2].rpartition(", in US")[0]
    merged(shown)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OptionError, match=r"^--compaction-prices=p\.json cannot be read: No such"):
        with_file(LIST, tmp_path / "p.json", "p.json")
