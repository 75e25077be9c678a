"""The wallboard of the kitchen: shows one recipe after the other. Runs on the tablet.

A copy for reading; see docs/tablet.md.
"""

from __future__ import annotations

import time
from pathlib import Path

from larder.catalogue import load_catalogue

SHARE = Path("/srv/larder/share")
REFRESH_SECONDS = 90
DWELL_SECONDS = 12
LINES = 22
COLUMNS = 3


def page(recipe):
    """Title, ingredients and steps of a recipe as it fits on the screen."""
    lines = [recipe.title.upper(), ""]
    for item in recipe.ingredients:
        amount = str(item.amount) if item.amount else "-"
        lines.append(f"{amount:>9}  {item.name}")
    lines.append("")
    lines += [f"{number}. {step}" for number, step in enumerate(recipe.method, 1)]
    return lines[:LINES]


def show(lines):
    """Clear the screen and print."""
    print("\033[2J\033[H" + "\n".join(lines), flush=True)


def main():
    """Go round for ever; recipes are read again after REFRESH_SECONDS."""
    catalogue, read = load_catalogue(SHARE), time.monotonic()
    while True:
        for recipe in catalogue:
            show(page(recipe))
            time.sleep(DWELL_SECONDS)
            if time.monotonic() - read > REFRESH_SECONDS:
                catalogue, read = load_catalogue(SHARE), time.monotonic()


if __name__ == "__main__":
    main()
