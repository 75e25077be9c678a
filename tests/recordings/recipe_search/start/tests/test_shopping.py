import pytest

from larder.catalogue import load_catalogue
from larder.errors import LarderError
from larder.recipe import Ingredient, Recipe
from larder.shopping import parse_order, shopping_list
from larder.units import Amount


def lines(*recipes):
    return [item.text(5) for item in shopping_list(recipes)]


def test_adds_up(folder):
    catalogue = load_catalogue(folder)
    assert lines(catalogue.get("pea-soup"), catalogue.get("onion-tart")) == [
        "cream: 200 ml",
        "onion: 7",
        "peas: 500 g",
        "salt",
    ]


def test_units_that_do_not_go_together():
    first = Recipe("a", "A", 1, ingredients=(Ingredient("leeks", Amount(2)),))
    second = Recipe("b", "B", 1, ingredients=(Ingredient("leek", Amount(600, "g")),))
    assert lines(first, second, first) == ["leeks: 4 + 600 g"]


def test_scaled(folder):
    assert lines(load_catalogue(folder).get("pea-soup").scaled(10))[1] == "peas: 1250 g"


@pytest.mark.parametrize(
    ("text", "order"), [("pea-soup", ("pea-soup", None)), ("pea-soup:12", ("pea-soup", 12))]
)
def test_order(text, order):
    assert parse_order(text) == order


@pytest.mark.parametrize("text", ["", ":4", "pea-soup:", "pea-soup:0", "pea-soup:many"])
def test_bad_order(text):
    with pytest.raises(LarderError, match="LAR-310"):
        parse_order(text)
