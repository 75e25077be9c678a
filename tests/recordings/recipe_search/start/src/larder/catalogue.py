"""The catalogue: all recipes of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from larder.errors import LarderError
from larder.recipe import Recipe, parse_recipes


class Catalogue:
    """Recipes by id, in the order of their files."""

    def __init__(self, recipes: dict[str, Recipe]) -> None:
        self._recipes = recipes

    def __len__(self) -> int:
        return len(self._recipes)

    def __iter__(self) -> Iterator[Recipe]:
        return iter(self._recipes.values())

    def __contains__(self, id: object) -> bool:
        return id in self._recipes

    def get(self, id: str) -> Recipe:
        """The recipe with this id. Raises LarderError 202."""
        try:
            return self._recipes[id]
        except KeyError:
            raise LarderError(202, value=id) from None

    def tagged(self, tag: str) -> list[Recipe]:
        """Recipes that carry a tag."""
        return [recipe for recipe in self if tag in recipe.tags]

    def tags(self) -> dict[str, int]:
        """How many recipes carry each tag, most frequent first."""
        counts: dict[str, int] = {}
        for recipe in self:
            for tag in recipe.tags:
                counts[tag] = counts.get(tag, 0) + 1
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def recipe_files(folder: Path) -> list[Path]:
    """The files of a catalogue, sorted. Raises LarderError 110."""
    if not folder.is_dir():
        raise LarderError(110, folder=folder)
    return sorted(folder.glob("*.txt"))


def load_catalogue(folder: Path) -> Catalogue:
    """Read all recipes of a folder.

    Raises LarderError 110 for a missing folder, 111 for a file that is not UTF-8,
    130 for an id that is used twice, and what the parser raises.
    """
    recipes: dict[str, Recipe] = {}
    for file in recipe_files(folder):
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise LarderError(111, place=file.name) from None
        for recipe in parse_recipes(text, file.name):
            if recipe.id in recipes:
                other = recipes[recipe.id].place
                raise LarderError(130, place=recipe.place, value=recipe.id, other=other)
            recipes[recipe.id] = recipe
    return Catalogue(recipes)
