"""The shopping list: what several recipes need together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from larder.errors import LarderError
from larder.recipe import Recipe
from larder.units import Amount, add, rounded
from larder.words import name_key


@dataclass
class Item:
    """One line: a name, amounts that cannot be added to each other, who needs it."""

    name: str
    amounts: list[Amount] = field(default_factory=list)
    recipes: list[str] = field(default_factory=list)

    def put(self, amount: Amount | None, recipe: str) -> None:
        """Add an amount for a recipe."""
        if recipe not in self.recipes:
            self.recipes.append(recipe)
        if amount is None:
            return
        for number, present in enumerate(self.amounts):
            total = add(present, amount)
            if total is not None:
                self.amounts[number] = total
                return
        self.amounts.append(amount.base())

    def text(self, grams: int) -> str:
        """``leeks: 12 + 600 g``; only the name for things to taste."""
        if not self.amounts:
            return self.name
        return f"{self.name}: " + " + ".join(str(rounded(a, grams)) for a in self.amounts)


def shopping_list(recipes: Iterable[Recipe]) -> list[Item]:
    """Everything that the recipes need, sorted by name."""
    items: dict[str, Item] = {}
    for recipe in recipes:
        for ingredient in recipe.everything():
            key = name_key(ingredient.name)
            item = items.setdefault(key, Item(ingredient.name))
            item.put(ingredient.amount, recipe.id)
    return [items[key] for key in sorted(items)]


def parse_order(text: str) -> tuple[str, int | None]:
    """``barley-risotto:12`` as id and number of people. Raises LarderError 310."""
    id, colon, serves = text.partition(":")
    if not id or (colon and (not serves.isdecimal() or int(serves) == 0)):
        raise LarderError(310, value=text)
    return id, int(serves) if colon else None
