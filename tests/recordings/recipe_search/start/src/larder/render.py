"""Recipes as text for the terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from larder.recipe import Ingredient, Recipe


def render_line(recipe: Recipe) -> str:
    """Id and title with a tab between them. `menu.sh` cuts at the tab."""
    return f"{recipe.id}\t{recipe.title}"


def render_ingredient(ingredient: Ingredient) -> str:
    """``  600 g   leeks, in rings``."""
    amount = "" if ingredient.amount is None else str(ingredient.amount)
    preparation = f", {ingredient.preparation}" if ingredient.preparation else ""
    return f"  {amount:<9} {ingredient.name}{preparation}"


def render_recipe(recipe: Recipe, width: int) -> str:
    """The whole recipe."""
    facts = [f"serves {recipe.serves}"]
    if recipe.minutes:
        facts.append(f"{recipe.minutes} minutes")
    if recipe.tags:
        facts.append(", ".join(recipe.tags))
    lines = [recipe.title, "=" * len(recipe.title), " | ".join(facts), ""]
    grouped = {id(item) for group in recipe.groups for item in group.ingredients}
    lines += [render_ingredient(item) for item in recipe.ingredients if id(item) not in grouped]
    for group in recipe.groups:
        lines += [f"  [{group.name}]", *map(render_ingredient, group.ingredients)]
    lines.append("")
    for number, step in enumerate(recipe.method, 1):
        lines += textwrap.wrap(step, width, initial_indent=f"{number}. ", subsequent_indent="   ")
    return "\n".join(lines)


def render_tags(counts: dict[str, int]) -> str:
    """Tags with how often they are used."""
    width = max((len(tag) for tag in counts), default=0)
    return "\n".join(f"{tag:<{width}}  {count}" for tag, count in counts.items())


def render_lines(recipes: Iterable[Recipe]) -> str:
    """One line a recipe."""
    return "\n".join(render_line(recipe) for recipe in recipes)
