"""Recipes and the text they are written in; see docs/format.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from larder.errors import LarderError
from larder.units import Amount, parse_amount

SEPARATOR = "---"
FIELDS = ("id", "title", "tags", "serves", "minutes")
SECTIONS = ("ingredients", "method")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_GROUP = re.compile(r"\[(.+)\]")


@dataclass(frozen=True)
class Ingredient:
    """One line of the list. ``amount`` is None for things to taste."""

    name: str
    amount: Amount | None = None
    preparation: str = ""

    def scaled(self, factor: float) -> Ingredient:
        """The same for more or fewer people."""
        if self.amount is None:
            return self
        return replace(self, amount=self.amount.scaled(factor))


@dataclass(frozen=True)
class Group:
    """Ingredients that belong together, such as those of a dough."""

    name: str
    ingredients: tuple[Ingredient, ...]


@dataclass(frozen=True)
class Recipe:
    """A recipe. ``place`` is file and line where it starts."""

    id: str
    title: str
    serves: int
    tags: tuple[str, ...] = ()
    minutes: int | None = None
    ingredients: tuple[Ingredient, ...] = ()
    groups: tuple[Group, ...] = ()
    method: tuple[str, ...] = ()
    place: str = field(default="", compare=False)

    def everything(self) -> tuple[Ingredient, ...]:
        """All ingredients, in a group or not."""
        grouped = (item for group in self.groups for item in group.ingredients)
        return (*self.ingredients, *grouped)

    def scaled(self, serves: int) -> Recipe:
        """The recipe for another number of people."""
        factor = serves / self.serves
        return replace(
            self,
            serves=serves,
            ingredients=tuple(item.scaled(factor) for item in self.ingredients),
            groups=tuple(
                Group(group.name, tuple(item.scaled(factor) for item in group.ingredients))
                for group in self.groups
            ),
        )


def parse_recipes(text: str, name: str) -> Iterator[Recipe]:
    """The recipes of a file; ``name`` is for messages.

    Raises LarderError 121 to 125 with the place of the fault.
    """
    start = 1
    block: list[str] = []
    for number, line in enumerate([*text.splitlines(), SEPARATOR], 1):
        if line.strip() != SEPARATOR:
            block.append(line)
            continue
        if any(item.strip() for item in block):
            yield parse_recipe(block, name, start)
        start, block = number + 1, []


def parse_recipe(lines: list[str], name: str, start: int = 1) -> Recipe:
    """One recipe from its lines; the first of them is line ``start`` of the file."""
    header: dict[str, str] = {}
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    current: str | None = None
    for number, line in enumerate(lines, start):
        if not line.strip():
            continue
        if line[0].isspace():
            if current is None:
                raise LarderError(125, place=f"{name}:{number}", value=line.strip())
            sections[current].append(line.strip())
            continue
        key, colon, value = line.partition(":")
        key = key.strip()
        if colon and key in SECTIONS:
            current = key
        elif colon and key in FIELDS:
            header[key] = value.strip()
            current = None
        else:
            raise LarderError(123, place=f"{name}:{number}", field=key)
    place = f"{name}:{start}"
    ingredients, groups = parse_ingredients(sections["ingredients"])
    return Recipe(
        id=_id(header, place),
        title=_required(header, "title", place),
        serves=_number(_required(header, "serves", place), "serves", place),
        tags=tuple(tag.strip() for tag in header.get("tags", "").split(",") if tag.strip()),
        minutes=_number(header["minutes"], "minutes", place) if "minutes" in header else None,
        ingredients=ingredients,
        groups=groups,
        method=tuple(sections["method"]),
        place=place,
    )


def parse_ingredients(lines: list[str]) -> tuple[tuple[Ingredient, ...], tuple[Group, ...]]:
    """Plain ingredients and groups, both in the order of the file."""
    plain: list[Ingredient] = []
    groups: list[tuple[str, list[Ingredient]]] = []
    for line in lines:
        opening = _GROUP.fullmatch(line)
        if opening:
            groups.append((opening[1].strip(), []))
        elif groups:
            groups[-1][1].append(parse_ingredient(line))
        else:
            plain.append(parse_ingredient(line))
    return tuple(plain), tuple(Group(name, tuple(items)) for name, items in groups)


def parse_ingredient(line: str) -> Ingredient:
    """``600 g leeks, in rings`` as amount, name and preparation."""
    text, _, preparation = line.partition(",")
    amount, name = parse_amount(text.strip())
    return Ingredient(name, amount, preparation.strip())


def _required(header: dict[str, str], key: str, place: str) -> str:
    if not header.get(key):
        raise LarderError(121, place=place, field=key)
    return header[key]


def _id(header: dict[str, str], place: str) -> str:
    value = _required(header, "id", place)
    if not _ID.fullmatch(value):
        raise LarderError(124, place=place, value=value)
    return value


def _number(value: str, key: str, place: str) -> int:
    if not value.isdecimal() or int(value) == 0:
        raise LarderError(122, place=place, field=key, value=value)
    return int(value)
