"""The command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from larder import __version__
from larder.catalogue import Catalogue, load_catalogue
from larder.errors import LarderError
from larder.finder import TitleFinder
from larder.render import render_lines, render_recipe, render_tags
from larder.settings import Settings, load_settings
from larder.shopping import parse_order, shopping_list


def build_parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    parser = argparse.ArgumentParser(prog="larder", description="The recipe catalogue.")
    parser.add_argument("--version", action="version", version=f"larder {__version__}")
    parser.add_argument("--root", type=Path, default=Path(), help="folder of larder.ini")
    commands = parser.add_subparsers(dest="command", required=True)

    listing = commands.add_parser("list", help="all recipes")
    listing.add_argument("--tag", help="only those with this tag")
    listing.set_defaults(run=run_list)

    show = commands.add_parser("show", help="one recipe")
    show.add_argument("id")
    show.add_argument("--serves", type=int, help="scale to this number of people")
    show.set_defaults(run=run_show)

    shop = commands.add_parser("shop", help="shopping list of several recipes")
    shop.add_argument("orders", nargs="+", metavar="ID[:SERVES]")
    shop.set_defaults(run=run_shop)

    find = commands.add_parser("find", help="recipes by title")
    find.add_argument("text")
    find.set_defaults(run=run_find)

    tags = commands.add_parser("tags", help="all tags")
    tags.set_defaults(run=run_tags)

    check = commands.add_parser("check", help="read everything and count it")
    check.set_defaults(run=run_check)
    return parser


def run_list(options: argparse.Namespace, settings: Settings) -> str:
    """``larder list``."""
    catalogue = load_catalogue(settings.folder)
    return render_lines(catalogue.tagged(options.tag) if options.tag else catalogue)


def run_show(options: argparse.Namespace, settings: Settings) -> str:
    """``larder show``."""
    recipe = load_catalogue(settings.folder).get(options.id)
    if options.serves:
        recipe = recipe.scaled(options.serves)
    return render_recipe(recipe, settings.width)


def run_shop(options: argparse.Namespace, settings: Settings) -> str:
    """``larder shop``."""
    catalogue = load_catalogue(settings.folder)
    recipes = []
    for text in options.orders:
        id, serves = parse_order(text)
        recipe = catalogue.get(id)
        recipes.append(recipe.scaled(serves) if serves else recipe)
    return "\n".join(item.text(settings.round_grams) for item in shopping_list(recipes))


def run_find(options: argparse.Namespace, settings: Settings) -> str:
    """``larder find``."""
    finder = TitleFinder(load_catalogue(settings.folder))
    return render_lines(finder.find(options.text))


def run_tags(options: argparse.Namespace, settings: Settings) -> str:
    """``larder tags``."""
    return render_tags(load_catalogue(settings.folder).tags())


def run_check(options: argparse.Namespace, settings: Settings) -> str:
    """``larder check``."""
    catalogue: Catalogue = load_catalogue(settings.folder)
    untimed = sum(recipe.minutes is None for recipe in catalogue)
    return f"{len(catalogue)} recipes, {len(catalogue.tags())} tags, {untimed} without minutes"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Returns the exit code."""
    options = build_parser().parse_args(arguments)
    try:
        print(options.run(options, load_settings(options.root)))
    except LarderError as error:
        print(f"larder: {error}", file=sys.stderr)
        return error.exit_code
    return 0
