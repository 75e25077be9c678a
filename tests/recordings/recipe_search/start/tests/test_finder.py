import pytest

from larder.catalogue import load_catalogue
from larder.errors import LarderError
from larder.finder import TitleFinder
from larder.words import fold, name_key, singular, words


def ids(folder, text):
    return [recipe.id for recipe in TitleFinder(load_catalogue(folder)).find(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [("soup", ["pea-soup"]), ("ONION", ["onion-tart"]), ("t", ["onion-tart"]), (" rice ", ["rice-pudding"])],
)
def test_title(folder, text, found):
    assert ids(folder, text) == found


def test_nothing(folder):
    with pytest.raises(LarderError, match="LAR-201 nothing found: 'fish'"):
        ids(folder, "fish")


def test_words():
    assert fold("Crème FRAÎCHE") == "creme fraiche"
    assert words("Leek-and-potato soup, 2 ways") == ["leek", "and", "potato", "soup", "2", "ways"]
    assert singular("leeks") == "leek"
    assert name_key("Red Onions") == "red onion"
