import pytest

from larder.errors import LarderError
from larder.recipe import Ingredient, parse_ingredient, parse_ingredients, parse_recipes
from larder.units import Amount

HEADER = "id: toast\ntitle: Toast\nserves: 2\n"


def parse(text):
    return list(parse_recipes(text, "x.txt"))


def test_header():
    (recipe,) = parse("id: toast\ntitle: Toast: the basics\ntags: bread, quick,\nserves: 2\n")
    assert (recipe.id, recipe.title, recipe.tags) == ("toast", "Toast: the basics", ("bread", "quick"))
    assert (recipe.serves, recipe.minutes, recipe.place) == (2, None, "x.txt:1")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("600 g leeks, in rings", Ingredient("leeks", Amount(600, "g"), "in rings")),
        ("2 trout", Ingredient("trout", Amount(2))),
        ("1/2 l milk", Ingredient("milk", Amount(0.5, "l"))),
        ("1 bay leaf", Ingredient("bay leaf", Amount(1))),
        ("salt", Ingredient("salt")),
    ],
)
def test_ingredient(line, expected):
    assert parse_ingredient(line) == expected


def test_groups():
    _, groups = parse_ingredients(["salt", "[dough]", "500 g flour", "[filling]", "2 leeks"])
    assert [group.name for group in groups] == ["dough", "filling"]
    assert groups[1].ingredients == (Ingredient("leeks", Amount(2)),)


def test_several_recipes():
    recipes = parse(HEADER + "---\n" + HEADER.replace("toast", "rusk") + "---\n\n")
    assert [(recipe.id, recipe.place) for recipe in recipes] == [
        ("toast", "x.txt:1"),
        ("rusk", "x.txt:5"),
    ]


def test_scaled():
    (recipe,) = parse(HEADER + "ingredients:\n  4 slices bread\n  salt\n")
    assert [item.amount for item in recipe.scaled(5).ingredients] == [Amount(10), None]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("title: Toast\nserves: 2\n", 121),
        ("id: toast\nserves: 2\n", 121),
        ("id: toast\ntitle: Toast\nserves: two\n", 122),
        ("id: toast\ntitle: Toast\nserves: 0\n", 122),
        (HEADER + "colour: brown\n", 123),
        (HEADER.replace("id: toast", "id: Toast!"), 124),
        (HEADER + "  4 slices bread\n", 125),
    ],
)
def test_faults(text, code):
    with pytest.raises(LarderError) as error:
        parse(text)
    assert error.value.code == code
    assert error.value.exit_code == 3
