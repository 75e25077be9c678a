"""Looks of the printed document. Sites add their own with ``add_theme``."""

from __future__ import annotations

from dataclasses import dataclass

from docketry.errors import DocketryError
from docketry.render import PAGE_WIDTH, Column


@dataclass(frozen=True)
class Theme:
    """Columns of the table and the sign that rules are made of."""

    name: str
    columns: tuple[Column, ...]
    rule: str = "-"

    @property
    def width(self) -> int:
        """Characters that the table takes."""
        return sum(column.width for column in self.columns) + 2 * (len(self.columns) - 1)


PLAIN = Theme(
    "plain",
    (
        Column("text", 34),
        Column("quantity", 10, "right"),
        Column("price", 11, "right"),
        Column("net", 11, "right"),
    ),
)
DOUBLE = Theme("double", PLAIN.columns, "=")

_THEMES = {theme.name: theme for theme in (PLAIN, DOUBLE)}


def theme_for(name: str) -> Theme:
    """The theme of this name."""
    if name not in _THEMES:
        raise DocketryError("DK-13", f"unknown theme {name!r}")
    return _THEMES[name]


def theme_names() -> list[str]:
    """All names, sorted."""
    return sorted(_THEMES)


def add_theme(theme: Theme) -> None:
    """Add a theme, or replace the one of its name."""
    if theme.width > PAGE_WIDTH:
        raise DocketryError("DK-13", f"theme {theme.name!r} is {theme.width} characters wide")
    _THEMES[theme.name] = theme
