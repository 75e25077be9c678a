"""Make a catalogue of any size for measurements: ``make_catalogue.py FOLDER RECIPES FILES``.

The same numbers give the same files.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

SEED = 4711
HOWS = ("baked", "braised", "chilled", "creamed", "fried", "grilled", "pickled", "roast", "smoked")
THINGS = (
    "aubergine barley bean beetroot cabbage carrot celeriac chard chicken chickpea cod courgette "
    "cucumber date fennel haddock kale kohlrabi lamb leek lentil mackerel mushroom onion parsnip "
    "pea pear plum potato pumpkin quince rice salmon spelt spinach squash tomato trout turnip walnut"
).split()
DISHES = ("bake", "broth", "curry", "gratin", "pie", "salad", "soup", "stew", "tart")
STEPS = ("Chop everything.", "Fry it slowly.", "Add water and simmer.", "Season and serve.")


def recipe(number: int, draw: random.Random) -> str:
    """The text of one recipe."""
    main, *others = draw.sample(THINGS, draw.randint(4, 9))
    dish = draw.choice(DISHES)
    lines = [f"id: {main}-{dish}-{number}", f"title: {draw.choice(HOWS).title()} {main} {dish}"]
    lines += [f"tags: {dish}, {draw.choice(('summer', 'winter', 'quick', 'feast'))}"]
    lines += [f"serves: {draw.randint(2, 16)}", f"minutes: {draw.randint(2, 36) * 5}"]
    lines += ["ingredients:", *(f"  {draw.randint(1, 30) * 50} g {name}" for name in [main, *others])]
    lines += ["method:", *(f"  {step}" for step in STEPS[: draw.randint(1, 4)])]
    return "\n".join(lines)


def main(folder: str, recipes: str, files: str) -> None:
    """Write the files."""
    draw = random.Random(SEED)
    texts = [recipe(number, draw) for number in range(int(recipes))]
    target = Path(folder)
    target.mkdir(parents=True)
    for place in range(int(files)):
        text = "\n---\n".join(texts[place :: int(files)]) + "\n"
        (target / f"part{place:02d}.txt").write_text(text, encoding="utf-8")
    print(f"{recipes} recipes in {files} files, seed {SEED}")


if __name__ == "__main__":
    main(*sys.argv[1:])
