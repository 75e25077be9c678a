"""Finding recipes by their title."""

from __future__ import annotations

from collections.abc import Iterable

from larder.errors import LarderError
from larder.recipe import Recipe
from larder.words import fold


class TitleFinder:
    """Compares folded titles; made once for a catalogue."""

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self._titles = [(fold(recipe.title), recipe) for recipe in recipes]

    def find(self, text: str) -> list[Recipe]:
        """Recipes whose title contains the text. Raises LarderError 201."""
        wanted = fold(text.strip())
        found = [recipe for title, recipe in self._titles if wanted in title]
        if not found:
            raise LarderError(201, text=text)
        return found
