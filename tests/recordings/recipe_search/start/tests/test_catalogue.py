import pytest

from larder.catalogue import load_catalogue
from larder.errors import LarderError


def test_order_of_the_files(folder):
    assert [recipe.id for recipe in load_catalogue(folder)] == ["pea-soup", "onion-tart", "rice-pudding"]


def test_get(folder):
    catalogue = load_catalogue(folder)
    assert catalogue.get("pea-soup").title == "Pea soup"
    assert "pea-soup" in catalogue
    with pytest.raises(LarderError, match="LAR-202 no recipe with the id 'soup'"):
        catalogue.get("soup")


def test_tags(folder):
    catalogue = load_catalogue(folder)
    assert catalogue.tags() == {"dessert": 1, "main": 1, "quick": 1, "soup": 1}
    assert [recipe.id for recipe in catalogue.tagged("soup")] == ["pea-soup"]


def test_missing_folder(tmp_path):
    with pytest.raises(LarderError, match="LAR-110"):
        load_catalogue(tmp_path / "nothing")


def test_id_used_twice(folder):
    (folder / "c.txt").write_text("id: pea-soup\ntitle: Other\nserves: 1\n")
    with pytest.raises(LarderError, match="LAR-130 c.txt:1: the id 'pea-soup' is taken by a.txt:1"):
        load_catalogue(folder)


def test_not_utf8(folder):
    (folder / "c.txt").write_bytes("title: Crème".encode("latin-1"))
    with pytest.raises(LarderError, match="LAR-111 c.txt: not UTF-8"):
        load_catalogue(folder)


def test_called_as_the_wallboard_does(folder):
    catalogue = load_catalogue(folder)
    assert len(catalogue) == 3
    assert [recipe.title for recipe in catalogue][:1] == ["Pea soup"]
