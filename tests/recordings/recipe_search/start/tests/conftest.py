import pytest

FIRST = """\
id: pea-soup
title: Pea soup
tags: soup, quick
serves: 4
minutes: 20
ingredients:
  500 g peas
  1 onion, chopped
  salt
method:
  Simmer and blend.
---
id: onion-tart
title: Onion tart
tags: main
serves: 6
minutes: 80
ingredients:
  6 onions, sliced
  200 ml cream
method:
  Cream the butter, make a dough.
  Bake with the onions.
"""
SECOND = """\
id: rice-pudding
title: Rice pudding, baked
tags: dessert
serves: 4
ingredients:
  1/2 l milk
  100 g rice
method:
  Bake slowly.
"""


@pytest.fixture
def folder(tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    (data / "a.txt").write_text(FIRST, encoding="utf-8")
    (data / "b.txt").write_text(SECOND, encoding="utf-8")
    return data
