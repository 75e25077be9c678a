"""Themes."""

import pytest

from docketry import themes
from docketry.errors import DocketryError


def test_every_theme_fits_the_page():
    for name in themes.theme_names():
        assert themes.theme_for(name).width <= 72


def test_unknown_theme():
    with pytest.raises(DocketryError, match="DK-13 unknown theme 'neon'"):
        themes.theme_for("neon")


def test_a_theme_that_is_too_wide():
    column = themes.PLAIN.columns[0]
    with pytest.raises(DocketryError, match="DK-13 theme 'wide' is 106 characters wide"):
        themes.add_theme(themes.Theme("wide", (column,) * 3))
