"""A feature session: searching a recipe catalogue.

The command line of a community kitchen's recipe catalogue gets a search with field
filters, ranking and an exclude list. Scanning with regular expressions is built first
and given up for an inverted index, whose file format goes through three versions. An
odd ranking is blamed on the length normalisation, where it does not come from, and the
fault behind it on the wrong release. A review finds two writers in each other's way; a
library that is not allowed and a keyword for broken recipes are wished for and refused.
"""

from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

SYSTEM = (
    "You are a coding agent working in a git repository on the developer's machine. You have a "
    "shell and tools to read, write and edit files. Explain briefly what you find and why you do "
    "what you do, run the tests after every change, and commit in small steps when a step is done."
)

QUERY = '''"""Search queries: ``leek tag:soup -ingredient:cream minutes:<30``.

All parts must hold. A word without a field may stand anywhere; a part with a minus in
front must not hold; ``minutes`` takes ``<`` or ``>`` and a whole number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from larder.errors import LarderError
from larder.words import words

FIELDS = ("title", "tag", "ingredient", "method")
_MINUTES = re.compile(r"([<>])(\\d+)")


@dataclass(frozen=True)
class Clause:
    """A word; ``field`` is None when any field will do."""

    word: str
    field: str | None = None


@dataclass(frozen=True)
class Query:
    """What must and must not be there, and the bounds of the minutes (both exclusive)."""

    wanted: tuple[Clause, ...] = ()
    unwanted: tuple[Clause, ...] = ()
    below: int | None = None
    above: int | None = None

    def in_time(self, minutes: int | None) -> bool:
        """Whether a recipe's time is within the bounds; one without minutes never is."""
        if self.below is None and self.above is None:
            return True
        if minutes is None:
            return False
        return (self.below is None or minutes < self.below) and (
            self.above is None or minutes > self.above
        )


def parse_query(text: str) -> Query:
    """Read a query.

    Raises LarderError 311 for an unknown field, 312 when nothing is asked for and
    313 for minutes that cannot be read.
    """
    wanted: list[Clause] = []
    unwanted: list[Clause] = []
    bounds: dict[str, int] = {}
    for part in text.split():
        negative = part.startswith("-")
        name, colon, value = part.removeprefix("-").rpartition(":")
        if colon and name == "minutes":
            match = _MINUTES.fullmatch(value)
            if negative or not match:
                raise LarderError(313, value=part)
            bounds[match[1]] = int(match[2])
            continue
        if colon and name not in FIELDS:
            raise LarderError(311, value=name, fields=", ".join(FIELDS))
        clauses = [Clause(word, name or None) for word in words(value)]
        (unwanted if negative else wanted).extend(clauses)
    if not wanted and not bounds:
        raise LarderError(312, text=text)
    return Query(tuple(wanted), tuple(unwanted), bounds.get("<"), bounds.get(">"))
'''

SUGGEST = '''"""Suggesting a word of the catalogue for one that no recipe holds."""

from __future__ import annotations

from difflib import get_close_matches

from larder.index import Index
from larder.query import Query
from larder.terms import variants

FIELDS = ("title", "tag", "ingredient")
CUTOFF = 0.8
SHORTEST = 5


def vocabulary(index: Index) -> list[str]:
    """All words of the fields that suggestions come from, sorted."""
    parts = (key.partition(":") for key in index.postings)
    return sorted({word for name, _, word in parts if name in FIELDS})


def suggest(index: Index, query: Query) -> str | None:
    """The nearest known word for the first wanted one that is unknown, if one is near enough."""
    known = vocabulary(index)
    for clause in query.wanted:
        if len(clause.word) < SHORTEST or not set(variants(clause.word)).isdisjoint(known):
            continue
        near = get_close_matches(clause.word, known, n=1, cutoff=CUTOFF)
        if near:
            return near[0]
    return None
'''

SUGGEST_TESTS = """import pytest

from larder.index import open_index
from larder.query import parse_query
from larder.suggest import suggest


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("onoin", "onion"),
        ("puding", "pudding"),
        ("tag:dessert puding", "pudding"),
        ("onions", None),
        ("eggplant", None),
        ("pae", None),
    ],
)
def test_suggest(folder, text, word):
    assert suggest(open_index(folder)[0], parse_query(text)) == word


def test_a_note_before_the_error(folder, capsys):
    from larder.cli import main

    assert main(["--root", str(folder.parent), "search", "puding"]) == 4
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "larder: did you mean pudding?",
        "larder: LAR-201 nothing found: 'puding'",
    ]
"""

QUERY_TESTS = """import pytest

from larder.errors import LarderError
from larder.query import Clause, Query, parse_query


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("leek", Query((Clause("leek"),))),
        ("Crème tag:soup", Query((Clause("creme"), Clause("soup", "tag")))),
        ("leek -cream", Query((Clause("leek"),), (Clause("cream"),))),
        (
            "tag:main -ingredient:trout",
            Query((Clause("main", "tag"),), (Clause("trout", "ingredient"),)),
        ),
        ("minutes:<30", Query(below=30)),
        ("soup minutes:>10 minutes:<30", Query((Clause("soup"),), (), 30, 10)),
        ("sun-dried", Query((Clause("sun"), Clause("dried")))),
    ],
)
def test_parse(text, query):
    assert parse_query(text) == query


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("spice:cumin", 311),
        ("", 312),
        ("-cream", 312),
        ("minutes:30", 313),
        ("-minutes:<30", 313),
        ("minutes:<half", 313),
    ],
)
def test_faults(text, code):
    with pytest.raises(LarderError) as error:
        parse_query(text)
    assert (error.value.code, error.value.exit_code) == (code, 2)


def test_bounds_are_exclusive():
    query = parse_query("minutes:<30")
    assert [query.in_time(minutes) for minutes in (29, 30, None)] == [True, False, False]
    assert parse_query("leek").in_time(None)
"""

SCAN = '''"""Searching recipes by scanning their text with regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from larder.query import FIELDS, Clause, Query
from larder.recipe import Recipe
from larder.words import fold


def field_texts(recipe: Recipe) -> dict[str, str]:
    """The folded text of every field."""
    return {
        "title": fold(recipe.title),
        "tag": fold(" ".join(recipe.tags)),
        "ingredient": fold(" ".join(item.name for item in recipe.everything())),
        "method": fold(" ".join(recipe.method)),
    }


def holds(clause: Clause, texts: dict[str, str]) -> bool:
    """Whether a word or its plural stands in the field, or in any."""
    pattern = re.compile(rf"\\b{re.escape(clause.word)}(?:e?s)?\\b")
    fields = (clause.field,) if clause.field else FIELDS
    return any(pattern.search(texts[field]) for field in fields)


def scan(recipes: Iterable[Recipe], query: Query) -> list[Recipe]:
    """Recipes that fit a query, in the order of the catalogue."""
    found = []
    for recipe in recipes:
        texts = field_texts(recipe)
        if (
            query.in_time(recipe.minutes)
            and all(holds(clause, texts) for clause in query.wanted)
            and not any(holds(clause, texts) for clause in query.unwanted)
        ):
            found.append(recipe)
    return found
'''

INDEX_1 = '''"""The inverted index of a catalogue: which word stands in which field of which recipe.

It is kept in a file beside the recipes and made anew when one of them has changed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from larder.catalogue import load_catalogue, recipe_files
from larder.recipe import Recipe
from larder.terms import singular, words

FILE = ".larder-index.json"
VERSION = 1


@dataclass
class Index:
    """``postings`` maps ``field:word`` to the count in each recipe."""

    files: dict[str, int] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    postings: dict[str, dict[str, int]] = field(default_factory=dict)

    def add(self, recipe: Recipe) -> None:
        """Take a recipe in."""
        self.titles[recipe.id] = recipe.title
        for name, text in field_texts(recipe):
            for word in words(text):
                counts = self.postings.setdefault(f"{name}:{singular(word)}", {})
                counts[recipe.id] = counts.get(recipe.id, 0) + 1

    def count(self, name: str, word: str) -> dict[str, int]:
        """How often a word stands in a field, by recipe."""
        return self.postings.get(f"{name}:{singular(word)}", {})


def field_texts(recipe: Recipe) -> Iterator[tuple[str, str]]:
    """The fields of a recipe that can be searched."""
    yield "title", recipe.title
    yield "tag", " ".join(recipe.tags)
    yield "ingredient", " ".join(item.name for item in recipe.everything())
    yield "method", " ".join(recipe.method)


def build_index(recipes: Iterable[Recipe], files: dict[str, int]) -> Index:
    """The index of some recipes; ``files`` is the state it belongs to."""
    index = Index(files)
    for recipe in recipes:
        index.add(recipe)
    return index


def file_states(folder: Path) -> dict[str, int]:
    """When each file was changed."""
    return {file.name: file.stat().st_mtime_ns for file in recipe_files(folder)}


def read_index(folder: Path) -> Index | None:
    """The stored index; None when there is none, or one of another version."""
    try:
        data = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or data.pop("version", None) != VERSION:
        return None
    return Index(**data)


def write_index(folder: Path, index: Index) -> None:
    """Store the index; a reader sees the old file or the new one, never half of it."""
    temporary = folder / f"{FILE}.new"
    text = json.dumps({"version": VERSION, **asdict(index)}, sort_keys=True)
    temporary.write_text(text, encoding="utf-8")
    os.replace(temporary, folder / FILE)


def open_index(folder: Path) -> tuple[Index, bool]:
    """The index of a folder and whether it had to be built."""
    files = file_states(folder)
    stored = read_index(folder)
    if stored is not None and stored.files == files:
        return stored, False
    index = build_index(load_catalogue(folder), files)
    write_index(folder, index)
    return index, True
'''

SEARCH_1 = '''"""Answering queries from the index."""

from __future__ import annotations

from dataclasses import dataclass

from larder.index import Index
from larder.query import FIELDS, Clause, Query


@dataclass(frozen=True)
class Hit:
    """A recipe that fits a query."""

    id: str
    title: str


def matches(index: Index, clause: Clause) -> set[str]:
    """Recipes that hold a clause."""
    fields = (clause.field,) if clause.field else FIELDS
    return {id for name in fields for id in index.count(name, clause.word)}


def search(index: Index, query: Query) -> list[Hit]:
    """Recipes that fit a query, sorted by id. The minutes are not looked at yet."""
    found = set(index.titles)
    for clause in query.wanted:
        found &= matches(index, clause)
    for clause in query.unwanted:
        found -= matches(index, clause)
    return [Hit(id, index.titles[id]) for id in sorted(found)]
'''

REVIEW = """# Review of the search, by Imre

1. `write_index` always writes to `.larder-index.json.new`. When the tablet and the office
   build at the same moment, the second `os.replace` finds no file: FileNotFoundError.
2. `minutes:<20 minutes:<90` takes the last one without a word. Refuse it.
3. `rarity` uses the natural logarithm. I would take the base 2, everybody does.
4. `nuts` on the exclude list does not hide walnuts. I know why (whole words), the cooks
   do not. Write it down where they will see it.
5. `minutes:<30` should include 30. In the shop "under 30" does as well.
6. Not a fault: `counts` is called twice for each excluded word when `hidden_by` runs on a
   long list. Fine below 40 words, leave it.

Please delete this file when it is answered. I am in Tartu until the 24th.
"""

INDEX_TESTS = """import json
import os

import pytest

from larder.index import FILE, VERSION, open_index, read_index
from larder.query import parse_query
from larder.search import search


def ids(folder, text):
    return sorted(hit.id for hit in search(open_index(folder)[0], parse_query(text)))


def test_built_once(folder):
    assert open_index(folder)[1]
    assert not open_index(folder)[1]


def test_built_again_after_a_change(folder):
    open_index(folder)
    file = folder / "b.txt"
    file.write_text(file.read_text().replace("rice", "oats"))
    os.utime(file, ns=(1, 1))
    assert open_index(folder)[1]
    assert ids(folder, "ingredient:oats") == ["rice-pudding"]


def test_built_again_after_a_new_or_deleted_file(folder):
    open_index(folder)
    (folder / "c.txt").write_text("id: toast\\ntitle: Toast\\nserves: 1\\n")
    assert open_index(folder)[1]
    (folder / "c.txt").unlink()
    assert open_index(folder)[1]
    assert ids(folder, "toast") == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"version": 0}', json.dumps({"version": VERSION + 1})]
)
def test_a_file_of_no_use_is_replaced(folder, text):
    (folder / FILE).write_text(text)
    assert read_index(folder) is None
    assert open_index(folder)[1]
    assert json.loads((folder / FILE).read_text())["version"] == VERSION


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("onion", ["onion-tart", "pea-soup"]),
        ("title:onion", ["onion-tart"]),
        ("onion -cream", ["pea-soup"]),
        ("bake tag:dessert", ["rice-pudding"]),
        ("ingredient:butter", []),
        ("method:butter", ["onion-tart"]),
        ("fish", []),
    ],
)
def test_search(folder, text, found):
    assert ids(folder, text) == found


@pytest.mark.parametrize(("one", "many"), [("onion", "onions"), ("tomato", "tomatoes")])
def test_plural_either_way(folder, one, many):
    (folder / "c.txt").write_text(
        f"id: one\\ntitle: One {one}\\nserves: 1\\n---\\nid: many\\ntitle: Many {many}\\nserves: 1\\n"
    )
    assert ids(folder, f"title:{one} -tart") == ["many", "one"]
    assert ids(folder, f"title:{many} -tart") == ["many", "one"]
"""

VARIANTS = '''

def variants(word: str) -> list[str]:
    """A word with and without the endings of the plural, itself first.

    Some of them are no words at all; they do no harm where only words of the index
    are found.

    >>> variants("tomatoes")
    ['tomatoes', 'tomatoess', 'tomatoeses', 'tomatoe', 'tomato']
    """
    forms = [word, f"{word}s", f"{word}es"]
    forms += [word[: -len(end)] for end in ("s", "es") if word.endswith(end) and len(word) > 4]
    return forms
'''

SEARCH_2 = '''"""Answering queries from the index, best recipes first.

The score of a recipe is the sum over clauses and fields of

    weight(field) * log(1 + recipes / recipes with the word) * count / (count + part)

where ``part`` grows with the length of the field: LENGTH_PART * length / mean length.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from larder.index import Index
from larder.query import FIELDS, Clause, Query
from larder.terms import variants

WEIGHTS = {"title": 4.0, "tag": 3.0, "ingredient": 2.0, "method": 0.5}
LENGTH_PART = 0.75


@dataclass(frozen=True)
class Hit:
    """A recipe that fits a query."""

    id: str
    title: str
    score: float


def counts(index: Index, name: str, word: str) -> Counter[str]:
    """How often a word or a variant of it stands in a field, by recipe."""
    total: Counter[str] = Counter()
    for form in variants(word):
        total.update(index.count(name, form))
    return total


def scores(index: Index, clause: Clause) -> dict[str, float]:
    """Recipes that hold a clause, with what it adds to their score."""
    result: dict[str, float] = {}
    for name in (clause.field,) if clause.field else FIELDS:
        found = counts(index, name, clause.word)
        mean = index.mean_length(name)
        for id, count in found.items():
            rarity = math.log(1 + len(index.titles) / len(found))
            part = LENGTH_PART * index.lengths[id][name] / mean
            result[id] = result.get(id, 0.0) + WEIGHTS[name] * rarity * count / (count + part)
    return result


def search(index: Index, query: Query) -> list[Hit]:
    """Recipes that fit a query, best first; ties are sorted by id."""
    total = {id: 0.0 for id in index.titles if query.in_time(index.minutes[id])}
    for clause in query.wanted:
        found = scores(index, clause)
        total = {id: score + found[id] for id, score in total.items() if id in found}
    for clause in query.unwanted:
        found = scores(index, clause)
        total = {id: score for id, score in total.items() if id not in found}
    hits = [Hit(id, index.titles[id], score) for id, score in total.items()]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
'''

SEARCH_TESTS = """import pytest

from larder.index import open_index
from larder.query import parse_query
from larder.search import search


@pytest.fixture
def ids(folder):
    def call(text):
        return [hit.id for hit in search(open_index(folder)[0], parse_query(text))]

    return call


def test_a_title_counts_more_than_an_ingredient(ids):
    assert ids("onion") == ["onion-tart", "pea-soup"]
    assert ids("ingredient:onion") == ["pea-soup", "onion-tart"] or True


def test_minutes(ids):
    assert ids("minutes:<30") == ["pea-soup"]
    assert ids("minutes:>30") == ["onion-tart"]
    assert ids("tag:dessert minutes:<300") == []


def test_all_parts_must_hold(ids):
    assert ids("onion tag:soup") == ["pea-soup"]
    assert ids("onion tag:dessert") == []


def test_ties_are_sorted_by_id(folder):
    text = "".join(f"id: {id}\\ntitle: Toast\\nserves: 1\\n---\\n" for id in ("b", "c", "a"))
    (folder / "c.txt").write_text(text)
    hits = search(open_index(folder)[0], parse_query("toast"))
    assert [hit.id for hit in hits] == ["a", "b", "c"]
    assert len({hit.score for hit in hits}) == 1
"""

GROUP_TESTS = """

def test_a_grouped_ingredient_counts_once():
    (recipe,) = parse(HEADER + "ingredients:\\n  salt\\n  [filling]\\n  3 leeks\\n")
    assert [item.name for item in recipe.everything()] == ["salt", "leeks"]
    assert [item.name for item in recipe.ingredients] == ["salt", "leeks"]
"""

EXCLUDE = '''"""The exclude list: ingredients that this kitchen never serves.

One word a line; what follows a ``#`` says why and is not read. The list stands beside
larder.ini and not among the recipes, where it would be read as one.
"""

from __future__ import annotations

from pathlib import Path

from larder.errors import LarderError
from larder.terms import words

FILE = "exclude.list"


def parse_exclude(text: str, name: str = FILE) -> tuple[str, ...]:
    """The words of a list, folded, in its order. Raises LarderError 150."""
    found: dict[str, None] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        parts = words(entry)
        if len(parts) != 1:
            raise LarderError(150, place=f"{name}:{number}", value=entry)
        found[parts[0]] = None
    return tuple(found)


def load_exclude(root: Path) -> tuple[str, ...]:
    """The exclude list beside larder.ini; empty when there is none."""
    file = root / FILE
    if not file.exists():
        return ()
    return parse_exclude(file.read_text(encoding="utf-8"))
'''

EXCLUDE_TESTS = """import pytest

from larder.errors import LarderError
from larder.exclude import FILE, load_exclude, parse_exclude
from larder.index import open_index
from larder.query import parse_query
from larder.search import hidden_by, search


def test_parse():
    assert parse_exclude("Onion  # Imre\\n\\n# fish\\ntrout\\nonion\\n") == ("onion", "trout")


@pytest.mark.parametrize("line", ["hard cheese", "pear, plum", "!"])
def test_one_word_a_line(line):
    with pytest.raises(LarderError, match="LAR-150 exclude.list:2: write one word a line"):
        parse_exclude(f"trout\\n{line}\\n")


def test_no_list(tmp_path):
    assert load_exclude(tmp_path) == ()


def test_hidden_by_ingredient_only(folder):
    index = open_index(folder)[0]
    hits = search(index, parse_query("soup"))
    assert hidden_by(index, hits, ("onion",)) == ([], hits)
    assert hidden_by(index, hits, ("soup",)) == (hits, [])


def test_plural(folder):
    index = open_index(folder)[0]
    hits = search(index, parse_query("tart"))
    assert hidden_by(index, hits, ("onion",))[0] == []


def test_command(folder, capsys):
    from larder.cli import main

    (folder.parent / FILE).write_text("cream\\n")
    root = ["--root", str(folder.parent)]
    assert main([*root, "search", "onion"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "pea-soup\\tPea soup\\n"
    assert captured.err == "larder: 1 hidden by exclude.list, --all shows them\\n"
    assert main([*root, "search", "onion", "--all"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 2
"""

HIDDEN = '''

def hidden_by(
    index: Index, hits: list[Hit], excluded: tuple[str, ...]
) -> tuple[list[Hit], list[Hit]]:
    """Hits that may be shown, and those with an excluded word among their ingredients."""
    banned = {id for word in excluded for id in counts(index, "ingredient", word)}
    shown = [hit for hit in hits if hit.id not in banned]
    return shown, [hit for hit in hits if hit.id in banned]


def find_titles(recipes: Iterable[Recipe], text: str) -> list[Recipe]:
    """Recipes whose title contains a text, even in the middle of a word.

    Raises LarderError 201.
    """
    wanted = fold(text.strip())
    found = [recipe for recipe in recipes if wanted in fold(recipe.title)]
    if not found:
        raise LarderError(201, text=text)
    return found
'''

SEARCH_DOC = """# Searching

    python -m larder search "leek tag:soup -cream minutes:<45"

All parts must hold. Words are compared without case, accents and the plural.

| part             | meaning                                   |
|------------------|-------------------------------------------|
| `leek`           | in the title, a tag, an ingredient or the method |
| `ingredient:leek`| in this field only: title, tag, ingredient, method |
| `-cream`         | must not hold; works with a field as well |
| `minutes:<45`    | less than 45 minutes; `>` for more        |

A recipe without minutes never fits a bound.

## Order

The best recipe comes first: titles weigh 4, tags 3, ingredients 2, the method 0.5. Rare
words count more, and a word counts more in a short field. `--scores` shows the numbers.
At most `limit` lines are printed (`[search]` in larder.ini); `--limit 0` prints all.

## Exclude list

`exclude.list` beside larder.ini: one word a line, the reason behind a `#`. Recipes with
such an ingredient are hidden and counted on standard error; `--all` shows them. Whole
words are compared: `nuts` does not hide walnuts, write `walnut`.

## Nothing found

`search` then ends with LAR-201 like `find`. When a word is not in the catalogue but one
that is spelt much like it, the note `did you mean ...?` goes before.

## Index

`.larder-index.json` in the folder of the recipes, format version 3. It is built anew when
the contents of a recipe file have changed, and when it is of another version. It can be
deleted at any time.
"""


TESTS = "python -m pytest -q --tb=short"
PASSED = 118


def history(repo: Repository) -> None:
    """What happened before the session: not recorded, only in git."""
    repo.git("tag", "v2.7.0")
    repo.change(
        "src/larder/recipe.py",
        "            groups[-1][1].append(parse_ingredient(line))\n",
        "            item = parse_ingredient(line)\n"
        "            groups[-1][1].append(item)\n"
        "            plain.append(item)\n",
    )
    repo.change(
        "src/larder/recipe.py",
        '"""Plain ingredients and groups, both in the order of the file."""',
        '"""The flat list of all ingredients, and the groups, both in the order of the file."""',
    )
    repo.git(
        "commit",
        "-qam",
        "recipe: keep grouped ingredients in the flat list too\n\n"
        "The wallboard shows recipe.ingredients and knows nothing of groups.",
    )
    repo.change("src/larder/__init__.py", "2.7.0", "2.7.1")
    repo.git("commit", "-qam", "Release 2.7.1")
    repo.git("tag", "v2.7.1")
    repo.git("tag", "-f", "start")


def investigate(session: Recorder) -> None:
    """Act 1: the request, what is there."""
    session.system(SYSTEM)
    session.user(
        "I want a real search in larder. Today there is only `find`, and it looks at titles. In the "
        "sample catalogue:\n\n"
        "    $ larder find leek\n"
        "    leek-potato-soup\tLeek and potato soup\n\n"
        "but five recipes have leeks in them. And people type things like this:\n\n"
        "    $ larder find 'leek -cream'\n"
        "    larder: LAR-201 nothing found: 'leek -cream'      (exit code 4)\n\n"
        'What I want is `larder search "leek tag:soup -ingredient:cream minutes:<30"`: words, field '
        "filters for title, tag, ingredient and method, a minus to rule things out, bounds on the "
        "minutes. Later the best hits first, and a list of ingredients we never serve.\n\n"
        "Three things that must not change, whatever we do:\n"
        "1. `load_catalogue(folder)` keeps its signature and what it returns. wallboard.py on the "
        "kitchen tablet imports it and calls it with one positional argument.\n"
        "2. Standard library only, nothing to install on the tablet.\n"
        "3. `larder find` keeps printing id, tab, title. menu.sh cuts at the tab.\n\n"
        "Copies of both programs are in contrib/, and logs/queries.tsv has what people typed into `find` in "
        "one week of February, on the tablet and in the office. It may tell you what they expect.\n\n"
        "Have a look around first and tell me how you would go about it. I am in the kitchen most of the "
        "time and answer from my phone, so don't wait for me over small things, but do tell me what you "
        "decided and why."
    )
    session.together(
        [
            bash("git log --oneline --stat -2 && git status --short"),
            bash("git ls-files | xargs wc -l"),
        ],
        "I'll get an overview of the repository and its history first.",
    )
    session.together(
        [read_file("README.md"), read_file("docs/format.md"), read_file("CONTRIBUTING.md")],
        "A small program with a clear history; the last two commits are about the parser and a release. "
        "The README names two other users, the wallboard and the menu script, which are the reason for your "
        "rules 1 and 3. I read the documents before the code, and how you like contributions.",
    )
    session.together(
        [
            read_file("docs/tablet.md"),
            read_file("contrib/wallboard.py"),
            read_file("contrib/menu.sh"),
        ],
        "The contribution rules are short and I'll keep to them, above all those about commits, burnt codes "
        "and the cooks' files. Next the machine it has to run on, and the two programs that depend on us. "
        "What I want to know: which names they import, which columns they cut, and how often they come.",
    )
    session.together(
        [read_file("src/larder/cli.py"), read_file("src/larder/finder.py")],
        "The wallboard needs nothing but `load_catalogue` and the attributes of a recipe, and it loads the "
        "catalogue again and again while it runs; whatever we put into loading it pays for. The vendor's "
        "Python is older than mine, so I keep away from newer syntax. "
        "The format has header fields, ingredients and method, which are the fields you want to filter "
        "on. Now the command line and what `find` does today.",
    )
    session.together(
        [read_file("src/larder/recipe.py"), read_file("src/larder/catalogue.py")],
        "`TitleFinder` is a substring test on folded titles, nothing to build on. The parser decides "
        "what a field is, so that comes next, with the catalogue.",
    )
    session.together(
        [read_file("src/larder/words.py"), read_file("src/larder/errors.py")],
        "The parser is strict: fields in a fixed list, sections, and a group line in square brackets that "
        "opens a list of its own. `Recipe.everything()` looks like the one place that gives all ingredients, "
        "grouped or not; a search over ingredients should go through it and not know about groups. What is "
        "left of the core are the comparison of words, which search will need too, and the error codes.",
    )
    session.together(
        [
            read_file("data/soups.txt"),
            read_file("src/larder/units.py"),
            read_file("tests/conftest.py"),
            read_file("tests/test_cli.py"),
        ],
        "Some real data, how amounts are taken off an ingredient line (so that `ingredient` means "
        "the name only), and how the command line is tested.",
    )
    session.together(
        [
            bash(f"{TESTS}"),
            bash(
                "python -m larder check; python -m larder find 'leek -cream'; grep -n -i leek data/*.txt"
            ),
        ],
        "Tests and your two examples, before I propose anything.",
    )
    session.bash(
        "cat logs/queries.tsv",
        "Both examples are reproduced. Now the log of what people really typed. I look at it whole once: a "
        "week is short enough, and the odd ones are where the surprises are.",
    )
    session.bash(
        "wc -l < logs/queries.tsv\n"
        "echo '== place, queries, without a hit'\n"
        "awk -F'\\t' '{n[$2]++; z[$2] += $3 == 0} END {for (p in n) print p, n[p], z[p]}' logs/queries.tsv | sort\n"
        "echo '== nothing found'\n"
        "awk -F'\\t' '$3 == 0 {n[$4]++} END {for (q in n) print n[q] \"\\t\" q}' logs/queries.tsv | sort -k1,1nr -k2",
        "Three sorts of failures catch the eye: misspelt words, words that stand in a recipe but not in its "
        "title, and little query languages that people invented because they hoped we had one. I count them, "
        "by place and by text.",
    )
    session.say(
        "Both examples reproduce, and all tests pass. `grep` confirms leeks in five recipes of the "
        "15: leek-potato-soup, smoked-haddock-chowder, barley-risotto, chicken-barley-stew and "
        "caraway-flatbread.\n\n"
        "The log is worth more than I expected. A good deal of what was typed in that week found nothing, on "
        "the tablet as in the office. Part of it the new search will answer by itself: tags, ingredients, "
        "the minus sign. Part of it are slips of the finger, and no field filter helps against those; I "
        "would keep them for later as a suggestion of the nearest word, once there is a list of words to be "
        "near to. And a few are other names for the same vegetable, which is a matter of synonyms. I "
        "mention it now so that the design leaves a place for both.\n\n"
        "How I would go about it: first a query parser of its own (`src/larder/query.py`), independent of "
        "how the answer is found. Then the simplest thing that can work behind it: scan the fields of every "
        "recipe with regular expressions. `search` becomes a new command; `find` and "
        "`load_catalogue` stay as they are.\n\n"
        "Two questions. Do all parts have to hold, or is one enough? And what about a recipe without "
        "minutes when someone asks for `minutes:<30`?"
    )
    session.user(
        "good analysis, suggestions later is fine. All parts have to hold. A recipe without minutes never fits a bound: the lunch team would rather "
        "miss one than plan with something that takes three hours. Usage errors get codes from "
        "LAR-311 on, please, 310 is taken. Nothing but hits on standard output, ever: somebody will pipe it "
        "into the printer. And you don't push, I do that from the office (the share is read-only between 02:00 and 04:00 "
        "because the backup of the house runs then, and Imre locks the git server with it, so I got used to doing "
        "it by hand in the morning). Go ahead with the regex version."
    )
    session.say(
        "Understood, I'll commit locally and leave pushing to you. Hits go to standard output, everything "
        "that is not a hit goes to standard error, and the new codes begin where you said. My order of work: "
        "the query as a data type with its parser and tests, then the scan, then the command, then your "
        "examples by hand. I commit after the parser, because it will survive whatever we do to the "
        "searching behind it."
    )
    session.user("ok go on")


def first_design(session: Recorder) -> None:
    """Act 2: the query parser and the scanning design."""
    session.write(
        "src/larder/query.py",
        QUERY,
        "The parser first. A query with nothing but exclusions is refused (LAR-312): `-cream` alone "
        "would list nearly the whole catalogue, and I take it for a slip.",
    )
    session.together(
        [
            edit_file(
                "src/larder/errors.py",
                '    310: "cannot read {value!r}; write ID or ID:SERVES",\n',
                '    310: "cannot read {value!r}; write ID or ID:SERVES",\n'
                '    311: "unknown search field {value!r}; use {fields} or minutes",\n'
                '    312: "nothing to look for in {text!r}",\n'
                '    313: "cannot read {value!r}; write minutes:<N or minutes:>N",\n',
            ),
            write_file("tests/test_query.py", QUERY_TESTS),
        ],
        "Three codes go with it: LAR-311 for an unknown field, LAR-312 when nothing is asked for, LAR-313 for "
        "minutes that cannot be read.",
    )
    session.bash(
        f"{TESTS} tests/test_query.py",
        "I cover the plain word, the accents, both signs, hyphenated words, which fall apart into two "
        "clauses, and every kind of fault.",
    )
    session.bash(
        "git add -A && git commit -qm 'search: query syntax with fields and exclusions' && git log --oneline -1",
        "Green. The parser knows nothing of recipes, so it can stay when the searching changes.",
    )
    session.write(
        "src/larder/scan.py",
        SCAN,
        "Now the scan. It asks each clause of each field, with the words folded the way the shopping list "
        "does it, so that case and accents do not matter. `(?:e?s)?` at the end of a word takes care of leek and leeks.",
    )
    session.together(
        [
            edit_file(
                "src/larder/cli.py",
                '    tags = commands.add_parser("tags", help="all tags")\n',
                '    search = commands.add_parser("search", help="recipes by any field")\n'
                '    search.add_argument("query", help="such as \'leek tag:soup -cream minutes:<30\'")\n'
                "    search.set_defaults(run=run_search)\n\n"
                '    tags = commands.add_parser("tags", help="all tags")\n',
            ),
            edit_file(
                "src/larder/cli.py",
                "def run_tags(",
                "def run_search(options: argparse.Namespace, settings: Settings) -> str:\n"
                '    """``larder search``."""\n'
                "    query = parse_query(options.query)\n"
                "    return render_lines(scan(load_catalogue(settings.folder), query))\n\n\n"
                "def run_tags(",
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.render import render_lines, render_recipe, render_tags\n",
                "from larder.query import parse_query\n"
                "from larder.render import render_lines, render_recipe, render_tags\n"
                "from larder.scan import scan\n",
            ),
        ],
        "And the command: it parses the query, loads the catalogue as every command does, and prints the "
        "hits with `render_lines`, so that the lines look the same as those of `find`.",
    )
    session.bash(
        'for q in "leek" "leek -cream" "leek tag:soup minutes:<40" "ingredient:cream" "spice:cumin" "-cream"; do\n'
        '  echo "== $q"; python -m larder search "$q"; echo "exit $?"\ndone',
        "Your examples and two wrong ones, by hand.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        "import larder.scan as scan\n"
        "from larder.catalogue import load_catalogue\n"
        "from larder.query import parse_query\n\n"
        "folds = 0\n"
        "real_fold = scan.fold\n"
        "def fold(text):\n"
        "    global folds\n"
        "    folds += 1\n"
        "    return real_fold(text)\n"
        "scan.fold = fold\n"
        'catalogue = load_catalogue(Path("data"))\n'
        'scan.scan(catalogue, parse_query("leek -cream"))\n'
        'print(len(catalogue), "recipes,", folds, "fields folded for one query")\n'
        "EOF",
        "It gives the right five and the right four. (A lone `-cream` is taken for an option by argparse "
        "before LAR-312 can speak; the exit code is 2 either way.) What worries me is that every query folds every "
        "field of every recipe; let me count that.",
    )
    session.user("and?")
    session.bash(
        f"{TESTS} && git add -A && git commit -qm 'search: scan recipes with regular expressions' && git log --oneline -1",
        "As I feared: every field of every recipe is folded again for a single query, whatever it asks. On "
        "the sample that costs nothing. I commit it, because it is right, and because we need something to "
        "compare a faster search with.",
    )
    session.say(
        "`larder search` works with field filters, exclusions and minutes. One reservation: the work "
        "grows with the whole catalogue, 60 fields are folded for a single query on 15 recipes, on top of "
        "parsing all of them. How many recipes does the real catalogue have, and what does the tablet say?"
    )
    session.user(
        "The real catalogue has 2,600 recipes in 41 files. I pulled your branch on the tablet: "
        "`search leek` takes 6.4 seconds there, and about 5.9 of them are parsing and folding. That is "
        "too slow, people type while they hold a ladle. It must answer in under 300 ms. So drop the "
        "scanning, please, and build an index."
    )
    session.bash(
        'mkdir -p "$TMPDIR/big" && cat tools/make_catalogue.py && python tools/make_catalogue.py "$TMPDIR/big/data" 2600 41\n'
        'python -m larder --root "$TMPDIR/big" check; python -m larder --root "$TMPDIR/big" tags\n'
        'head -n 24 "$TMPDIR/big/data/part00.txt"',
        "I don't have your recipes and should not guess from 15 of them. There is a generator in tools/; with "
        "it I make a catalogue of the size that you name, outside of the repository, so that I can count work "
        "and file sizes on it. Times on my machine say nothing about the tablet, counts do.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "import os\n"
        "from pathlib import Path\n"
        "import larder.scan as scan\n"
        "from larder.catalogue import load_catalogue\n"
        "from larder.query import parse_query\n\n"
        'catalogue = load_catalogue(Path(os.environ["TMPDIR"], "big", "data"))\n'
        "letters = 0\n"
        "real_fold = scan.fold\n"
        "def fold(text):\n"
        "    global letters\n"
        "    letters += len(text)\n"
        "    return real_fold(text)\n"
        "scan.fold = fold\n"
        'for text in ("leek", "leek -cod", "trout tag:soup", "method:simmer minutes:<30"):\n'
        "    letters = 0\n"
        "    hits = scan.scan(catalogue, parse_query(text))\n"
        '    print(f"{text!r}: {len(hits)} hits, {letters} letters folded")\n'
        "EOF",
        "The generated catalogue has the right shape. Before the scan goes I let it answer four queries on "
        "the big catalogue: the numbers of hits are what the index will have to reproduce later, and the "
        "letters show how the work grows.",
    )
    session.say(
        "So the work of the scan does not depend on what is asked: the same amount of text is folded for a "
        "rare fish as for a common leek. That settles it for me. An index turns it round: the work is done "
        "once, when a recipe changes, and a query touches only the words that it names. I keep the hits of "
        "these four queries as a yardstick. One thing I would like to know before I choose how to store it: "
        "may I write a file into the share from the tablet, or is it read only for the kiosk?"
    )
    session.user("you may write there")


def build_the_index(session: Recorder) -> None:
    """Act 3: alternatives, the rename, index version 1, the plural."""
    session.say(
        "Good, then the index can be written by whoever searches first, on the tablet or in the office. "
        "Agreed, scanning is the wrong design at that size: no regex will get 5.9 seconds of parsing "
        "down to 300 ms, the parsing itself has to go from the search path. Options for the index:\n\n"
        "- SQLite with FTS5: in the standard library, does ranking by itself. Against it: a database file on a "
        "network share is locked in ways that I would not like to explain to a cook.\n"
        "- a pickle of Python dictionaries: least code, and fast to load. Against it: nobody can look "
        "into it, and it is tied to our classes.\n"
        "- an inverted index of our own in a JSON file beside the recipes. Against it: ranking is our own work "
        "then, and a large file has to be parsed for each search.\n\n"
        "I lean towards FTS5 because ranking comes with it. Can you try "
        "`python3 -c \"import sqlite3; sqlite3.connect(':memory:').execute('create virtual table t using fts5(x)')\"` "
        "on the tablet?"
    )
    session.user(
        "FTS5 is out: `sqlite3.OperationalError: no such module: fts5`. The tablet's vendor built "
        "SQLite without it. And no pickle either: the recipe folder is a share that the whole house can "
        "write to, and unpickling runs whatever somebody put there. JSON then.\n\n"
        "While you are at it: `words.py` says 'as the shopping list compares them', which is wrong now "
        "that search uses it. Rename the module to terms.py with git mv, in a commit of its own."
    )
    session.bash(
        "git mv src/larder/words.py src/larder/terms.py\n"
        "grep -rln 'larder.words' src tests | sort | xargs sed -i 's/larder\\.words/larder.terms/'\n"
        'sed -i \'1s/.*/"""Terms: words as search and the shopping list compare them."""/\' src/larder/terms.py\n'
        "grep -rn 'larder.terms' src tests",
        "JSON it is, with a version number in the file so that the format can change. The rename first.",
    )
    session.bash(
        f"{TESTS} && git commit -qam 'words: rename the module to terms' && git show --stat -M --format=%s HEAD",
        "Only import lines and the first docstring change. The functions keep their names, so the shopping "
        "list does not notice. Nothing else goes into this commit.",
    )
    session.point("p1")
    ask_after_the_scan(session)
    session.together(
        [
            write_file("src/larder/index.py", INDEX_1),
            write_file("src/larder/search.py", SEARCH_1),
        ],
        "Now the index, format version 1: `field:word` to recipe ids with counts, the titles, and for each "
        "file its mtime, so that a changed recipe is noticed. Words are folded to the singular when they go "
        "in, with the `singular` that the shopping list uses. The file is written beside and moved into "
        "place, because the tablet and the office may read at the same time.",
    )
    session.together(
        [read_file("tests/test_catalogue.py"), read_file("data/mains.txt")],
        "Before I write its tests I look at how the catalogue is tested, so that they read alike, and at the "
        "main dishes, because the plural in English is treacherous and I want words from real recipes.",
    )
    session.write(
        "tests/test_index.py",
        INDEX_TESTS,
        "The tests follow the manner of test_catalogue.py: small files in a folder, real loading.",
    )
    session.bash(
        f"{TESTS} tests/test_index.py",
        "Tests with the plural both ways, since that was the point of the report.",
    )
    session.bash(
        'python -c "from larder.terms import singular; print([singular(w) for w in '
        "('tomatoes', 'tomato', 'limes', 'couscous', 'molasses', 'asparagus')])\"",
        "Two failures. The first is my test, not the code: replacing rice by oats renames the id as well. "
        "The second is real: `tomato` does not find `tomatoes`. What does `singular` really do?",
    )
    session.together(
        [
            bash(f"cat >> src/larder/terms.py <<'EOF'\n{VARIANTS}EOF"),
            edit_file(
                "src/larder/index.py",
                'counts = self.postings.setdefault(f"{name}:{singular(word)}", {})',
                'counts = self.postings.setdefault(f"{name}:{word}", {})',
            ),
            edit_file(
                "src/larder/index.py",
                'return self.postings.get(f"{name}:{singular(word)}", {})',
                'return self.postings.get(f"{name}:{word}", {})',
            ),
            edit_file(
                "src/larder/index.py",
                "from larder.terms import singular, words\n",
                "from larder.terms import words\n",
            ),
            edit_file(
                "tests/test_index.py", '.replace("rice", "oats")', '.replace("g rice", "g oats")'
            ),
            edit_file(
                "src/larder/search.py",
                "for id in index.count(name, clause.word)}",
                "for form in variants(clause.word) for id in index.count(name, form)}",
            ),
            edit_file(
                "src/larder/search.py",
                "from larder.query import FIELDS, Clause, Query\n",
                "from larder.query import FIELDS, Clause, Query\nfrom larder.terms import variants\n",
            ),
        ],
        "It turns tomatoes into tomatoe, and couscous, molasses and asparagus lose their last letter. "
        "Folding to the singular at index time is the wrong place: what goes in wrong cannot be found "
        "again. I change the approach: the index keeps words as they are written, and the query is "
        "expanded instead (`variants`: tomato, tomatos, tomatoes). Wrong guesses cost a dictionary lookup "
        "and find nothing. `singular` stays for the shopping list only.",
    )
    session.bash(
        f"{TESTS}",
        "The whole suite, since terms.py is used by the shopping list too.",
    )
    session.together(
        [
            edit_file(
                "src/larder/cli.py",
                "    query = parse_query(options.query)\n"
                "    return render_lines(scan(load_catalogue(settings.folder), query))\n",
                "    query = parse_query(options.query)\n"
                "    index, _ = open_index(settings.folder)\n"
                '    return "\\n".join(f"{hit.id}\\t{hit.title}" for hit in search(index, query))\n\n\n'
                "def run_index(options: argparse.Namespace, settings: Settings) -> str:\n"
                '    """``larder index``."""\n'
                "    index, built = open_index(settings.folder)\n"
                '    state = "built" if built else "up to date"\n'
                '    return f"{len(index.titles)} recipes, {len(index.postings)} terms, version {VERSION}, {state}"\n',
            ),
            edit_file(
                "src/larder/cli.py",
                '    tags = commands.add_parser("tags", help="all tags")\n',
                '    index = commands.add_parser("index", help="bring the index up to date")\n'
                "    index.set_defaults(run=run_index)\n\n"
                '    tags = commands.add_parser("tags", help="all tags")\n',
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.scan import scan\n",
                "from larder.search import search\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.query import parse_query\n",
                "from larder.index import VERSION, open_index\nfrom larder.query import parse_query\n",
            ),
            bash(
                "git rm -qf src/larder/scan.py; printf '.larder-index.json*\\n' >> .gitignore; git status --short"
            ),
        ],
        "Now the command line answers from the index, with a small `larder index` command that says what "
        "state it is in. scan.py goes.",
    )
    session.bash(
        "python -m larder index; python -m larder index\n"
        'for q in "leek" "leek -cream" "tomato"; do echo "== $q"; python -m larder search "$q"; done\n'
        'head -c 400 data/.larder-index.json | sed \'s/_*"files": {[^}]*}/"files": {...}/\'',
        "By hand: built the first time, taken as it is the second time. The beginning of the file for the eye.",
    )
    session.bash(
        'python -m larder --root "$TMPDIR/big" index; wc -c < "$TMPDIR/big/data/.larder-index.json"\n'
        'for q in "leek" "leek -cod" "trout tag:soup" "method:simmer"; do\n'
        '  echo "$q: $(python -m larder --root "$TMPDIR/big" search "$q" | wc -l) hits"; done\n'
        'python -m larder --root "$TMPDIR/big" search "leek tag:pie -onion -carrot -potato -walnut"',
        "And on the catalogue of your size: how large the file gets, and whether the hits agree with those of "
        "the scan. The bound on the minutes I leave out of the fourth query, the index does not know them yet.",
    )
    session.bash(
        f"{TESTS} && git add -A && git commit -qm 'search: answer from an inverted index' && git log --oneline -1"
    )
    session.say(
        "The numbers of hits agree with those of the scan where they can be compared, also on the big "
        "catalogue, so the two designs find the same recipes. The index is in place (format version 1), "
        "scan.py is gone, and a search opens one file instead "
        "of parsing the catalogue. Two gaps: the minutes are not looked at yet, because version 1 does not "
        "hold them, and hits come sorted by id."
    )
    session.user(
        "0.19 seconds on the tablet, wonderful. Next: ranking, best first, and the minutes. A hit in the title "
        "must beat one in the ingredients, because somebody who types leek wants the dish that is called leek, and "
        "not a stew with a stalk in it; a tag is nearly as good as a title, the cooks choose them with care. In the "
        "steps words turn up by chance, they should hardly count. And print at most 20 lines, with an option to see more; "
        "the default belongs into larder.ini."
    )


def ranking(session: Recorder) -> None:
    """Act 4: version 2, ranking, the dead end, grouped ingredients."""
    session.together(
        [read_file("src/larder/settings.py"), read_file("larder.ini")],
        "Ranking needs the length of every field, otherwise long methods win; the bounds need the minutes. "
        "Both go into the index, so the format becomes version 2: an index of version 1 is simply built "
        "anew. The settings for the limit first.",
    )
    session.together(
        [
            edit_file(
                "src/larder/index.py",
                "    postings: dict[str, dict[str, int]] = field(default_factory=dict)\n",
                "    postings: dict[str, dict[str, int]] = field(default_factory=dict)\n"
                "    lengths: dict[str, dict[str, int]] = field(default_factory=dict)\n"
                "    minutes: dict[str, int | None] = field(default_factory=dict)\n",
            ),
            edit_file(
                "src/larder/index.py",
                "        self.titles[recipe.id] = recipe.title\n"
                "        for name, text in field_texts(recipe):\n"
                "            for word in words(text):\n",
                "        self.titles[recipe.id] = recipe.title\n"
                "        self.minutes[recipe.id] = recipe.minutes\n"
                "        lengths = self.lengths[recipe.id] = {}\n"
                "        for name, text in field_texts(recipe):\n"
                "            lengths[name] = len(words(text))\n"
                "            for word in words(text):\n",
            ),
            edit_file(
                "src/larder/index.py",
                "\n\ndef field_texts(",
                "\n    def mean_length(self, name: str) -> float:\n"
                '        """The mean length of a field in words; 1 for an empty catalogue."""\n'
                "        total = sum(lengths[name] for lengths in self.lengths.values())\n"
                "        return total / len(self.lengths) if total else 1.0\n"
                "\n\ndef field_texts(",
            ),
            edit_file("src/larder/index.py", "VERSION = 1\n", "VERSION = 2\n"),
            write_file("src/larder/search.py", SEARCH_2),
        ],
        "The score is the textbook one, only smaller: each clause adds, for each field, a weight times how rare "
        "the word is times how often it stands there, and the last factor saturates, so that a word repeated "
        "ten times is not worth ten times as much. Titles weigh most, then tags, ingredients, and the method "
        "least. The constants are at the top of search.py; I picked them by feeling, from what the queries "
        "in your log seem to mean, and I say so here because nobody has measured them.",
    )
    session.together(
        [
            edit_file(
                "src/larder/settings.py",
                "    round_grams: int = 5\n",
                "    round_grams: int = 5\n    limit: int = 20\n",
            ),
            edit_file(
                "src/larder/settings.py",
                '        round_grams=_integer(parser, "shop", "round_grams", 5),\n',
                '        round_grams=_integer(parser, "shop", "round_grams", 5),\n'
                '        limit=_integer(parser, "search", "limit", 20),\n',
            ),
            bash("printf '\\n[search]\\nlimit = 20\\n' >> larder.ini; tail -n 4 larder.ini"),
            edit_file(
                "src/larder/cli.py",
                '    return "\\n".join(f"{hit.id}\\t{hit.title}" for hit in search(index, query))\n',
                "    hits = search(index, query)\n"
                "    limit = settings.limit if options.limit is None else options.limit\n"
                "    shown = hits[:limit] if limit else hits\n"
                "    if len(shown) < len(hits):\n"
                '        note(f"{len(hits) - len(shown)} more, --limit 0 shows all")\n'
                '    score = (lambda hit: f"{hit.score:6.3f}  ") if options.scores else (lambda hit: "")\n'
                '    return "\\n".join(f"{score(hit)}{hit.id}\\t{hit.title}" for hit in shown)\n',
            ),
            edit_file(
                "src/larder/cli.py",
                "    search.set_defaults(run=run_search)\n",
                '    search.add_argument("--limit", type=int, help="at most so many, 0 for all")\n'
                '    search.add_argument("--scores", action="store_true", help="show the scores")\n'
                "    search.set_defaults(run=run_search)\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "def main(",
                "def note(text: str) -> None:\n"
                '    """Say something that is no part of the answer."""\n'
                '    print(f"larder: {text}", file=sys.stderr)\n\n\ndef main(',
            ),
            write_file("tests/test_search.py", SEARCH_TESTS),
        ],
        "And the limit, with `--limit` and `--scores` on the command line. Notes go to standard error, so "
        "that a script which reads the lines is not disturbed.",
    )
    session.bash(
        f"{TESTS}",
        "The tests ask for the order in small cases where one can see it: title before ingredient, ties by id.",
    )
    session.edit(
        "tests/test_search.py",
        '    assert ids("ingredient:onion") == ["pea-soup", "onion-tart"] or True\n',
        "",
        "Green, but one of my assertions ends in `or True` and cannot fail. Out with it.",
    )
    session.bash(
        'python -m larder index\nfor q in "leek" "walnut" "leek minutes:<45"; do\n'
        '  echo "== $q"; python -m larder search --scores "$q"\ndone',
        "The order on the sample, with the scores, to see whether it is what a cook would expect.",
    )
    session.bash(
        'python -m larder --root "$TMPDIR/big" index; wc -c < "$TMPDIR/big/data/.larder-index.json"\n'
        "python - <<'EOF'\n"
        "import json, os\n"
        "from pathlib import Path\n"
        'data = json.loads(Path(os.environ["TMPDIR"], "big", "data", ".larder-index.json").read_text())\n'
        "for name in data:\n"
        '    print(f"{name:<9} {len(json.dumps(data[name])):>8} bytes")\n'
        'for name in ("title", "tag", "ingredient", "method"):\n'
        '    part = {k: v for k, v in data["postings"].items() if k.startswith(name + ":")}\n'
        '    print(f"postings of {name:<10} {len(part):>3} terms {len(json.dumps(part)):>7} bytes")\n'
        "EOF",
        "The file has to be read for every search, so its size is what a search costs now. What does it hold "
        "on the big catalogue, part by part?",
    )
    session.say(
        "The lengths are the price of ranking, and the postings of the method are the largest part of the "
        "rest, although hardly anybody searches the method on purpose. I could leave the method out of the "
        "index and save a good deal. Then `method:bake` would be refused, and a plain word would no longer "
        "be found when it stands in the steps only. Shall I?"
    )
    session.user("hm no")
    session.say(
        "Then the method stays in the index, and the size stays as it is. It was an idea for speed only, and "
        "speed is not the problem any more. I'll commit the ranking with the bounds on the minutes."
    )
    session.bash(
        f"{TESTS} && git add -A && git commit -qm 'search: rank hits, bounds on the minutes (index version 2)' && git log --oneline -1"
    )
    session.user(
        "Looks good on the whole. One thing is odd: `search ingredient:leek` puts caraway-flatbread first, "
        "and leek-potato-soup, which is half leeks, comes last. Why?"
    )
    session.bash(
        "python -m larder search --scores ingredient:leek",
        "My first suspicion is the length normalisation: if the ingredient list of the flatbread counts "
        "as short, LENGTH_PART lifts it. Let me see the scores.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        "import larder.search as search\n"
        "from larder.index import open_index\n"
        "from larder.query import parse_query\n\n"
        'index, _ = open_index(Path("data"))\n'
        'query = parse_query("ingredient:leek")\n'
        'print("mean length", round(index.mean_length("ingredient"), 2))\n'
        "for part in (0.75, 0.25, 0.0):\n"
        "    search.LENGTH_PART = part\n"
        "    hits = search.search(index, query)\n"
        '    print(f"LENGTH_PART {part}:", [f"{hit.id} {hit.score:.3f}" for hit in hits[:3]])\n'
        "for hit in hits:\n"
        '    print(hit.id, index.lengths[hit.id]["ingredient"], search.counts(index, "ingredient", "leek")[hit.id])\n'
        "EOF",
        "I vary LENGTH_PART down to 0, which switches the normalisation off, and print lengths and counts.",
    )
    session.together(
        [
            bash(
                "grep -n 'everything()' -r src tests; git log -p -1 --format='%h %s%n%n%b' -- src/larder/recipe.py"
            ),
            bash(
                "sed -n '/id: caraway-flatbread/,/method/p' data/baking.txt; python -m larder shop caraway-flatbread"
            ),
            read_file("src/larder/shopping.py"),
        ],
        "The length normalisation is not it, I was on the wrong track. The flatbread has the longest list "
        "of the five (12 words), so the normalisation works against it; with LENGTH_PART 0.25 it still "
        "leads, and with 0 all five are equal. The last column is the answer: leek counts 2 in caraway-flatbread and 1 everywhere else, although "
        "the recipe names leeks once. Something puts grouped ingredients in twice.\n\n"
        "`everything()` is where the index gets its ingredients from. Where else is it used, what changed there, "
        "and is the shopping list wrong as well?",
    )
    session.say(
        'Found: since "recipe: keep grouped ingredients in the flat list too" the parser puts grouped '
        "ingredients into `recipe.ingredients` as well, but `Recipe.everything()` still adds the groups on "
        "top. So they count twice, in the ranking and on the shopping list: `larder shop caraway-flatbread` "
        "says 6 leeks instead of 3, and twice the butter. No test has a group and a sum, that is why "
        "nobody noticed. It must have been like that since 2.6, so every shopping list of this winter was "
        "too long.\n\n"
        "Two ways to repair it: revert that commit, or let `everything()` return the flat list."
    )
    session.user(
        "So that is why Solveig came home with six leeks! Don't revert: the wallboard shows "
        "recipe.ingredients and would lose every dough. Let everything() return the flat list. "
        "Separate commit, with a test, I want to cherry-pick it to the 2.7 branch. But are you sure about "
        "2.6? I would have noticed in the accounts, we bought normally until a few weeks ago."
    )
    session.bash(
        "git log --format='%h %s' -3 -- src/larder/recipe.py\n"
        'git tag --contains "$(git log -1 --format=%h -- src/larder/recipe.py)"\n'
        "git diff --stat v2.7.0 v2.7.1\n"
        "git checkout -q v2.7.0; python -m larder shop caraway-flatbread; git checkout -q main",
        "No, I am not sure, I guessed it from the age of `everything()`. Git knows which releases hold that "
        "commit, and I can ask the older release for its list.",
    )
    session.say(
        "I was wrong about 2.6, sorry. The commit came between the last two releases: v2.7.0 still prints the "
        "right list, only 2.7.1 counts double. So the lists of the winter were fine, and only what was "
        "bought since the last release was too much. That also makes the cherry-pick easy, the 2.7 branch "
        "is the only one that has the fault."
    )
    session.together(
        [
            edit_file(
                "src/larder/recipe.py",
                '        """All ingredients, in a group or not."""\n'
                "        grouped = (item for group in self.groups for item in group.ingredients)\n"
                "        return (*self.ingredients, *grouped)\n",
                '        """All ingredients, in a group or not: the flat list holds both."""\n'
                "        return self.ingredients\n",
            ),
            bash(f"cat >> tests/test_recipe.py <<'EOF'\n{GROUP_TESTS}EOF"),
        ],
        "The flat list it is, and a test that looks at a recipe with a group from both sides: what is bought, "
        "and what the wallboard shows.",
    )
    session.bash(
        f"rm -f data/.larder-index.json; {TESTS}\n"
        "python -m larder shop caraway-flatbread; python -m larder search --scores ingredient:leek",
        "The stored index still has the old counts, because no recipe file has changed; I delete it for "
        "this check.",
    )
    session.together(
        [
            bash(
                "git add -A && git commit -qm 'recipe: count grouped ingredients once' -m 'The flat list already holds them.' -m 'Backport: 2.7' && git show --stat --format='%h %s%n%n%b' HEAD"
            ),
            bash("python -m larder show caraway-flatbread --serves 20 | sed -n '1,20p'"),
            read_file("src/larder/render.py"),
        ],
        "3 leeks on the list, and leek-potato-soup comes first now. While I am at groups: does `show` cope "
        "with them?",
    )
    session.say(
        "Committed on its own, with what the backport needs, all tests pass. One more bug of the same family, not touched: `larder show caraway-flatbread --serves "
        "20` prints the grouped ingredients twice. `render_recipe` tells grouped from plain by identity "
        "(`id(item)`), and `scaled` makes new objects. Without `--serves` it is right. Shall I repair that too?"
    )
    thursday(session)
    session.point("p2")
    ask_after_ranking(session)
    session.user(
        "Not now, put the show --serves bug on the to-do list; Imre is rewriting render.py this week and "
        "would get a conflict. So leave render.py alone.\n\n"
        "Something else: Solveig says the tablet shows 10 lines on a screen and 20 means scrolling with "
        "wet fingers. Make the default limit 10. And there is a problem with the index: the share syncs "
        "every hour and the sync gives all files a new mtime, so the first search of every hour builds "
        "the index again, 7 seconds."
    )


def thursday(session: Recorder) -> None:
    """In between: the shopping list of a Thursday, and why one soup stands below a risotto."""
    session.user(
        "wait, before we go on, something for today: thirty people are coming on Thursday and Solveig wants to "
        "go shopping with a list that is right for once. Leek and potato soup, barley risotto and the "
        "flatbread for thirty each, lemon posset for thirty too. Can you print me the list, and the soup and "
        "the risotto as they would hang in the kitchen? And she says there must be something wrong with "
        "the order too: for `leek` the risotto stands above the chowder although the chowder has more leeks."
    )
    session.together(
        [
            bash(
                "python -m larder shop leek-potato-soup:30 barley-risotto:30 caraway-flatbread:30 lemon-posset:30"
            ),
            bash(
                "python -m larder show leek-potato-soup --serves 30; python -m larder show barley-risotto --serves 30"
            ),
        ],
        "The list first, from the repaired code, and the two recipes. The soup has a group of its own at the "
        "end, so on that sheet you will see the bug of `show` that I just told you about; strike out "
        "the second cream with a pen.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        "import larder.search as search\n"
        "from larder.index import open_index\n\n"
        'index, _ = open_index(Path("data"))\n'
        'ids = ("leek-potato-soup", "barley-risotto", "smoked-haddock-chowder", "chicken-barley-stew")\n'
        "for name in search.FIELDS:\n"
        '    found = search.counts(index, name, "leek")\n'
        '    print(f"{name:<10} weight {search.WEIGHTS[name]}, in {len(found)} recipes, mean length {index.mean_length(name):.2f}")\n'
        "    for id in ids:\n"
        '        print(f"    {id:<24} count {found[id]}, length {index.lengths[id][name]}")\n'
        "EOF",
        "Now the order. I print what goes into the score, field by field, for the recipes in question.",
    )
    session.say(
        "That order is right by the rules that we have, though I can see why Solveig wonders. Both name leeks "
        "once among the ingredients and once in the method; that the chowder takes two of them and the "
        "risotto one is an amount, and amounts are not words, the index takes them off. What decides is the "
        "length: the word weighs more in a short text, and the chowder has the longer method. A score by "
        "weight in grams would be possible, but two leeks and six hundred grams cannot be compared, the "
        "shopping list has the same trouble. I would leave it as it is: the soup that is named after "
        "leeks comes first by far, and below that the order hardly matters for five hits."
    )
    session.user("ok fine")


def digests_and_exclude(session: Recorder) -> None:
    """Act 5: version 3, the exclude list in its three places."""
    session.bash(
        "sed -i 's/^limit = 20/limit = 10/' larder.ini\n"
        'sed -i \'s/limit: int = 20/limit: int = 10/; s/"limit", 20/"limit", 10/\' src/larder/settings.py\n'
        "git diff -U0 | grep '^[-+]'\n"
        "python -m larder index; python -m larder index; touch data/*.txt; python -m larder index",
        "The limit is a one-liner. And I can reproduce the sync with `touch`.",
    )
    session.read(
        "src/larder/index.py",
        "Reproduced: after a `touch` without any change the index is built again. I considered "
        "comparing the sizes together with the mtimes, or the sizes alone: rejected, correcting 300 g to "
        "500 g keeps the size and the stale index would stay. A digest of the contents is right in every case; "
        "reading 41 files is cheap, it was the parsing that was slow. (It also gets rid of every index "
        "that still holds the doubled counts.) The field `files` then holds digests "
        "instead of numbers, so the format becomes version 3.",
    )
    session.together(
        [
            edit_file(
                "src/larder/index.py",
                "def file_states(folder: Path) -> dict[str, int]:\n"
                '    """When each file was changed."""\n'
                "    return {file.name: file.stat().st_mtime_ns for file in recipe_files(folder)}\n",
                "def file_states(folder: Path) -> dict[str, str]:\n"
                '    """A digest of the contents of each file; a sync changes every mtime."""\n'
                "    return {\n"
                "        file.name: hashlib.sha256(file.read_bytes()).hexdigest()[:16]\n"
                "        for file in recipe_files(folder)\n"
                "    }\n",
            ),
            edit_file("src/larder/index.py", "import json\n", "import hashlib\nimport json\n"),
            edit_file(
                "src/larder/index.py",
                "    files: dict[str, int] = field(default_factory=dict)\n",
                "    files: dict[str, str] = field(default_factory=dict)\n",
            ),
            edit_file(
                "src/larder/index.py",
                "def build_index(recipes: Iterable[Recipe], files: dict[str, int]) -> Index:",
                "def build_index(recipes: Iterable[Recipe], files: dict[str, str]) -> Index:",
            ),
            edit_file("src/larder/index.py", "VERSION = 2\n", "VERSION = 3\n"),
            edit_file(
                "tests/test_index.py",
                "def test_built_again_after_a_new_or_deleted_file(folder):\n",
                "def test_a_sync_changes_nothing(folder):\n"
                "    open_index(folder)\n"
                '    for file in folder.glob("*.txt"):\n'
                "        os.utime(file, ns=(5, 5))\n"
                "    assert not open_index(folder)[1]\n\n\n"
                "def test_same_size_and_time(folder):\n"
                "    open_index(folder)\n"
                '    file = folder / "b.txt"\n'
                "    before = file.stat()\n"
                '    file.write_text(file.read_text().replace("g rice", "g oats"))\n'
                "    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))\n"
                "    assert open_index(folder)[1]\n\n\n"
                "def test_built_again_after_a_new_or_deleted_file(folder):\n",
            ),
        ]
    )
    session.bash(
        f"{TESTS}; python -m larder index; touch data/*.txt; python -m larder index\n"
        "python -c \"import json; print(json.load(open('data/.larder-index.json'))['files'])\"",
        "A sync does nothing now, and a change that keeps size and time is noticed. I shorten the digest, the "
        "file need not carry all of it; this is against accidents, not against an attacker.",
    )
    session.bash(
        "git add -A && git commit -qm 'index: compare digests instead of mtimes (version 3)' && git log --oneline -1"
    )
    session.user(
        "Much better. But look what happened at noon: somebody saved a recipe with `colour: brown` in it, and "
        "the wallboard was black until I found it. Can't load_catalogue get a keyword, skip_broken=True or "
        "so, and leave out what it can't read? The index could use it as well."
    )
    session.bash(
        'cp data/sweets.txt "$TMPDIR/keep"\n'
        "sed -i 's/^serves: 16/serves: 16\\ncolour: brown/' data/sweets.txt\n"
        'python -m larder check; echo "exit $?"; python -m larder search leek; echo "exit $?"\n'
        'cp "$TMPDIR/keep" data/sweets.txt; git status --short\n'
        "grep -rn 'load_catalogue' src contrib tests | grep -v import",
        "I can see it happen: one bad line, and nothing can be read any more, search included. Let me also see "
        "who calls the function, before I say anything about its signature. (The recipe goes back as it was.)",
    )
    session.say(
        "I would rather not, and it is your own rule: load_catalogue keeps its signature and what it "
        "returns. A keyword with a default looks harmless, but the wallboard would only profit if it passed "
        "it, and it calls with one positional argument; so the default would have to skip, and then `larder "
        "check`, which is there to find such lines, would find nothing. A recipe that silently disappears is "
        "worse than an error with a place in it. What I can offer: the nightly `larder index` fails loudly "
        "with file and line, and you could have its message mailed. Then you know before noon."
    )
    session.user(
        "you're right, rule 1 stays as it is, no keyword. Mail it is, I'll see to that. Now the exclude list: ingredients we never serve, at the moment walnut (two guests "
        "are allergic) and trout (nobody eats it). Put them into larder.ini, `[search] exclude = walnut, "
        "trout`. A recipe with one of them is hidden from search, from nothing else. Match the ingredients "
        "only, a title may say 'no walnut'."
    )
    session.together(
        [
            edit_file(
                "src/larder/settings.py",
                "    limit: int = 10\n",
                "    limit: int = 10\n    exclude: tuple[str, ...] = ()\n",
            ),
            edit_file(
                "src/larder/settings.py",
                '        limit=_integer(parser, "search", "limit", 10),\n',
                '        limit=_integer(parser, "search", "limit", 10),\n'
                '        exclude=tuple(parser.get("search", "exclude", fallback="").replace(",", " ").split()),\n',
            ),
            bash("printf 'exclude = walnut, trout\\n' >> larder.ini; git diff --stat"),
        ],
        "Settings first: a tuple of words with an empty default, split at commas and blanks.",
    )
    session.user(
        "Stop, I have to take that back. larder.ini is overwritten on the tablet with every deployment, and "
        "the cooks must be able to edit the list themselves and note who it is for. So not in larder.ini: "
        "a file of its own, one word a line, with comments."
    )
    session.bash(
        "git checkout -q larder.ini src/larder/settings.py\n"
        "printf '# never served in the Thursday kitchen\\nwalnut  # two guests are allergic\\ntrout   # nobody eats it\\n' > data/exclude.txt\n"
        'python -m larder check; echo "exit $?"',
        "Back to the state before. The obvious place is the share, beside the recipes, where the cooks can "
        "write: data/exclude.txt. Does the catalogue mind?",
    )
    session.together(
        [
            bash("rm data/exclude.txt; git status --short"),
            write_file("src/larder/exclude.py", EXCLUDE),
            write_file(
                "exclude.list",
                "# never served in the Thursday kitchen\nwalnut  # two guests are allergic\ntrout   # nobody eats it\n",
            ),
        ],
        "It does: `load_catalogue` reads every *.txt of the folder and stops with LAR-123, which would "
        "take the wallboard down as well. Teaching it to skip a name would change what load_catalogue does, "
        "and that is off limits. So the list goes beside larder.ini under a name of its own: `exclude.list`. "
        "Deployment overwrites larder.ini only, you said.",
    )
    session.together(
        [
            edit_file(
                "src/larder/errors.py",
                '    201: "nothing found: {text!r}",\n',
                '    150: "{place}: write one word a line, not {value!r}",\n'
                '    201: "nothing found: {text!r}",\n',
            ),
            bash(f"cat >> src/larder/search.py <<'EOF'\n{HIDDEN}EOF"),
            edit_file(
                "src/larder/search.py",
                "from collections import Counter\nfrom dataclasses import dataclass\n\n"
                "from larder.index import Index\nfrom larder.query import FIELDS, Clause, Query\n"
                "from larder.terms import variants\n",
                "from collections import Counter\nfrom collections.abc import Iterable\n"
                "from dataclasses import dataclass\n\n"
                "from larder.errors import LarderError\nfrom larder.index import Index\n"
                "from larder.query import FIELDS, Clause, Query\nfrom larder.recipe import Recipe\n"
                "from larder.terms import fold, variants\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "    hits = search(index, query)\n",
                "    excluded = () if options.all else load_exclude(options.root)\n"
                "    hits, hidden = hidden_by(index, search(index, query), excluded)\n"
                "    if hidden:\n"
                '        note(f"{len(hidden)} hidden by {EXCLUDE_FILE}, --all shows them")\n',
            ),
            edit_file(
                "src/larder/cli.py",
                '    search.add_argument("--scores"',
                '    search.add_argument("--all", action="store_true", help="ignore the exclude list")\n'
                '    search.add_argument("--scores"',
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.finder import TitleFinder\n",
                "from larder.exclude import FILE as EXCLUDE_FILE\nfrom larder.exclude import load_exclude\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.search import search\n",
                "from larder.search import find_titles, hidden_by, search\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "    finder = TitleFinder(load_catalogue(settings.folder))\n"
                "    return render_lines(finder.find(options.text))\n",
                "    return render_lines(find_titles(load_catalogue(settings.folder), options.text))\n",
            ),
            write_file("tests/test_exclude.py", EXCLUDE_TESTS),
        ],
        "The filter works on the hits, so that it can say how many it hid; `--all` ignores the list. Since "
        "search.py now deals with everything that is found, I move the title search of `find` in there as "
        "`find_titles`; a class with one method for it is more than it needs. Its behaviour stays: a "
        "part of a word matches, and LAR-201 when nothing does.",
    )
    session.together(
        [bash("cat tests/test_finder.py | head -24"), bash(f"{TESTS}")],
        "What do the old tests of the finder still need, and does everything hold?",
    )
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        'file = Path("tests/test_finder.py")\n'
        "text = file.read_text()\n"
        'text = text.replace("from larder.finder import TitleFinder", "from larder.search import find_titles")\n'
        'text = text.replace("TitleFinder(load_catalogue(folder)).find(text)", "find_titles(load_catalogue(folder), text)")\n'
        "file.write_text(text)\n"
        "EOF\n"
        f"git rm -q src/larder/finder.py; {TESTS}",
        "Nothing needs finder.py any more except its own tests. They move over to `find_titles`, unchanged in what they ask.",
    )
    session.bash(
        'for q in "walnut" "tag:quick" "minutes:>100"; do echo "== $q"; python -m larder search "$q"; done\n'
        "echo '== --all'; python -m larder search walnut --all\n"
        "echo 'hard cheese' >> exclude.list; python -m larder search leek; echo \"exit $?\"; sed -i '$d' exclude.list; cat exclude.list",
        "By hand as well, with a faulty list at the end.",
    )
    session.bash(
        "git add -A && git commit -qm 'search: hide what is on the exclude list' && git show --stat --format='%s' HEAD"
    )
    session.say(
        "The exclude list works: `exclude.list` beside larder.ini, one word a line, reason behind a `#`. "
        "Hidden hits are counted on standard error, `--all` shows them, and a line of two words is refused "
        "with LAR-150 (exit code 3). finder.py is deleted; `find` prints the same as before.\n\n"
        "Two things that I decided without asking, tell me if you would have it otherwise. I refuse a line of two words "
        "instead of taking them for two entries, because somebody who writes hard cheese does not want to rule "
        "out everything hard. And hidden recipes are counted out loud instead of being left out quietly: a cook "
        "who knows that there is a walnut loaf should not think that the search is broken. The shopping list "
        "and `show` do not look at the list at all, as you wished, so whoever orders such a recipe by its id still gets it."
    )
    review(session)
    session.point("p3")
    ask_after_the_review(session)


def review(session: Recorder) -> None:
    """Act 6: Imre's review, three points taken and two turned down."""
    session.repo.put("docs/review-imre.md", REVIEW)
    session.repo.commit(
        "docs: review of the search, to be deleted",
        author="Imre <imre@example.org>",
    )
    session.user(
        "Before you go on: Imre wants to review this. Can you give him something to read that shows how the "
        "search came about, step by step, and not only the result? He hates to review a finished heap. I'll "
        "send it over to him."
    )
    session.bash(
        "git log --reverse -p --format='=== %h %s' start..HEAD -- src/larder/search.py src/larder/exclude.py",
        "The history is in small commits, so git can tell it by itself. I take the module that answers the "
        "queries and leave the tests out; the index he can read as a whole, it is the shorter story.",
    )
    session.say(
        "That is the whole story of search.py, oldest step first: the plain matching of clauses, then the "
        "ranking with its weights, then what is hidden and the title search that moved in. For Imre, in a few "
        "words, what I would look at if I were him:\n\n"
        "- the score. The weights are picked by feeling, and nobody has compared them with what cooks think.\n"
        "- the minus sign. A word that is ruled out is ruled out in all fields, also in the method, which may "
        "surprise somebody who only thinks of ingredients.\n"
        "- the exclude list works on ingredients alone, and on whole words with their plural.\n"
        "- everything that is read from the share can be changed by anybody in the house while we read it; "
        "I think that is handled, but I am the one who wrote it and would not trust myself there."
    )
    session.user(
        "Imre has read everything up to the exclude list and committed his notes as docs/review-imre.md, I "
        "merged it into your checkout. Go through them, do what is right, tell me where you disagree. And "
        "delete the file when it is answered."
    )
    session.together(
        [
            bash("git log -1 -p --format='%h %an: %s'"),
            bash(
                "grep -rn 'FILE\\b' src/larder/index.py; sed -n '/^def parse_query/,$p' src/larder/query.py"
            ),
        ],
        "His notes, and the two places that the first of them speak about.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "from pathlib import Path\n"
        "import larder.index as index\n\n"
        'folder = Path("data")\n'
        "real_replace = index.os.replace\n"
        "def slow_replace(source, target):\n"
        '    print("first writer is about to move", Path(source).name)\n'
        "    index.os.replace = real_replace\n"
        '    index.write_index(folder, index.Index({"other": "writer"}))\n'
        '    print("second writer is done")\n'
        "    real_replace(source, target)\n"
        "index.os.replace = slow_replace\n"
        "try:\n"
        "    index.write_index(folder, index.Index())\n"
        "except OSError as error:\n"
        "    print(type(error).__name__, error.errno, Path(error.filename).name)\n"
        "EOF\n"
        "python -c \"from larder.query import parse_query; print(parse_query('minutes:<30 minutes:<20 minutes:<90'))\"",
        "I try out the first two before I believe them: two writers of the index at once, the second one "
        "coming in just before the first one moves its file; and bounds that are given several times.",
    )
    session.say(
        "Imre is right on both. When tablet and office build the index at the same moment, one of them loses "
        "its temporary file and ends with a traceback, on a screen in a kitchen; I had tested half-written "
        "files but not two writers. And of several bounds the last one silently wins, even where an earlier one is "
        "tighter, so that the lunch team would get recipes it ruled out.\n\n"
        "I take these two and the note on the exclude words. I disagree with the logarithm: another base "
        "multiplies every score by the same number and cannot change the order. And inclusive bounds are "
        "your decision, not mine; you asked for `<` and people read it as `<`. What do you say?"
    )
    session.user("leave the bounds exclusive. rest ok, use the next free code")
    session.together(
        [
            edit_file(
                "src/larder/index.py",
                '    temporary = folder / f"{FILE}.new"\n',
                '    temporary = folder / f"{FILE}.{os.getpid()}.new"\n',
            ),
            edit_file(
                "src/larder/query.py",
                "            bounds[match[1]] = int(match[2])\n",
                "            if match[1] in bounds:\n"
                "                raise LarderError(314, value=part)\n"
                "            bounds[match[1]] = int(match[2])\n",
            ),
            edit_file(
                "src/larder/query.py",
                "    313 for minutes that cannot be read.\n",
                "    313 for minutes that cannot be read, 314 for a bound that is given twice.\n",
            ),
            edit_file(
                "src/larder/errors.py",
                '    313: "cannot read {value!r}; write minutes:<N or minutes:>N",\n',
                '    313: "cannot read {value!r}; write minutes:<N or minutes:>N",\n'
                '    314: "a second bound of the same kind: {value!r}",\n',
            ),
            edit_file(
                "tests/test_query.py",
                '        ("minutes:<half", 313),\n',
                '        ("minutes:<half", 313),\n        ("minutes:<30 minutes:<20", 314),\n',
            ),
            edit_file(
                "tests/test_index.py",
                '@pytest.mark.parametrize(\n    "text", ["", "{"',
                "def test_two_writers(folder, monkeypatch):\n"
                "    names = []\n"
                '    monkeypatch.setattr(os, "replace", lambda source, target: names.append(source.name))\n'
                "    for process in (11, 12):\n"
                '        monkeypatch.setattr(os, "getpid", lambda process=process: process)\n'
                "        open_index(folder)\n"
                '    assert names == [f"{FILE}.11.new", f"{FILE}.12.new"]\n\n\n'
                "@pytest.mark.parametrize(\n"
                '    "text", ["", "{"',
            ),
        ],
        "Exclusive they stay. The temporary file gets the number of the process into its name, so that nobody "
        "moves the file of somebody else; the last writer wins, and both have written the same. A second "
        "bound of the same kind becomes a usage error with the next free code. I look into CONTRIBUTING.md "
        "for which one that is, and into the messages.",
    )
    session.bash(
        "git rm -q docs/review-imre.md\n"
        f"{TESTS} && python -m larder search 'minutes:<30 minutes:<20'; git add -A\n"
        "git commit -qm 'index, search: what the review found' -m 'Two writers, and a bound that is given twice.'\n"
        "git show --stat --format='%h %s' HEAD",
        "With a test for each, and the review file goes as he wished.",
    )
    session.say(
        "The review is answered: two faults repaired, one note goes into the documentation when I write it, "
        "two points turned down with reasons. I am a little ashamed of the two writers. I wrote that tablet "
        "and office may read at the same time and did not think one step further."
    )


def suggest(session: Recorder) -> None:
    """Act 8: a suggestion for slips of the finger, and a library that is not allowed."""
    session.user(
        "Now that suggestion for slips of the finger that you wrote about in the beginning. Imre says "
        "rapidfuzz is ten times better than what Python has and everybody uses it. Just add it, it is one "
        "line in a requirements file?"
    )
    session.together(
        [
            bash("python -c 'import rapidfuzz'; ls requirements* setup* pyproject* 2>&1"),
            bash("grep -n -i 'pip\\|compiler\\|Python ' docs/tablet.md"),
            read_file("src/larder/search.py"),
        ],
        "I look at what that line would need on the tablet, and at where in the search a suggestion belongs.",
    )
    session.say(
        "I'd rather not add it: your second rule says standard library only, and on the tablet there is "
        "neither an installer nor a compiler for it. rapidfuzz is a compiled extension, so copying the folder "
        "would not help either. Python has difflib, which is slower, but it only has to look at the words of "
        "one catalogue, once, and only when nothing was found. Let me measure on the words of your log how "
        "good it is before you decide."
    )
    session.user("fair, rule 2 stays. difflib then")
    session.bash(
        "python - <<'EOF'\n"
        "from collections import Counter\n"
        "from difflib import SequenceMatcher, get_close_matches\n"
        "from pathlib import Path\n"
        "from larder.index import open_index\n"
        "from larder.terms import words\n\n"
        'index, _ = open_index(Path("data"))\n'
        'fields = ("title:", "tag:", "ingredient:")\n'
        'known = sorted({key.partition(":")[2] for key in index.postings if key.startswith(fields)})\n'
        'rows = [line.split("\\t") for line in Path("logs/queries.tsv").read_text().splitlines()]\n'
        'failed = Counter(word for row in rows if row[2] == "0" for word in words(row[3]))\n'
        'print(len(known), "known words;", len(failed), "different words in failed queries")\n'
        "for cutoff in (0.6, 0.7, 0.8, 0.9):\n"
        '    print(f"cutoff {cutoff}")\n'
        "    for word in sorted(set(failed) - set(known)):\n"
        "        near = get_close_matches(word, known, n=1, cutoff=cutoff)\n"
        "        if near:\n"
        "            ratio = SequenceMatcher(None, near[0], word).ratio()\n"
        '            print(f"    {word:<10} {failed[word]:>3} times -> {near[0]:<12} {ratio:.3f}")\n'
        "EOF",
        "For every word of the failed queries that the catalogue does not know: which known word is "
        "nearest, at four cutoffs? A wrong suggestion is worse than none, people would click on it.",
    )
    session.together(
        [
            write_file("src/larder/suggest.py", SUGGEST),
            write_file("tests/test_suggest.py", SUGGEST_TESTS),
            edit_file(
                "src/larder/cli.py",
                "    if not hits:\n        raise LarderError(201, text=options.query)\n",
                "    if not hits:\n"
                "        word = suggest(index, query)\n"
                "        if word:\n"
                '            note(f"did you mean {word}?")\n'
                "        raise LarderError(201, text=options.query)\n",
            ),
            edit_file(
                "src/larder/cli.py",
                "from larder.shopping import parse_order, shopping_list\n",
                "from larder.shopping import parse_order, shopping_list\n"
                "from larder.suggest import suggest\n",
            ),
        ],
        "difflib's own default lets nonsense through: it offers bread and brown things for words that have "
        "nothing to do with them. One step higher it still guesses, two steps higher the real slips are "
        "all there and the wrong ones are gone, and the strictest one loses a slip. I take the third. Very "
        "short words I leave alone, there everything is near to everything. The suggestion goes to standard "
        "error as every note does, and LAR-201 stays as it is behind it.",
    )
    session.bash(
        f"{TESTS}\n"
        'for q in "aubergin" "haddok" "lentills tag:soup" "eggplant" "walnut trout" "pie"; do\n'
        '  echo "== $q"; python -m larder search "$q"; echo "exit $?"; done',
        "Tests, and by hand with the favourites of your log.",
    )
    session.bash(
        "python - <<'EOF'\n"
        "import os\n"
        "from difflib import SequenceMatcher\n"
        "from pathlib import Path\n"
        "import larder.suggest as suggest\n"
        "from larder.index import open_index\n"
        "from larder.query import parse_query\n\n"
        'index, _ = open_index(Path(os.environ["TMPDIR"], "big", "data"))\n'
        "known = suggest.vocabulary(index)\n"
        "ratios = 0\n"
        "real = SequenceMatcher.ratio\n"
        "def ratio(self):\n"
        "    global ratios\n"
        "    ratios += 1\n"
        "    return real(self)\n"
        "SequenceMatcher.ratio = ratio\n"
        'for text in ("aubergin", "haddok", "eggplant"):\n'
        "    ratios = 0\n"
        "    word = suggest.suggest(index, parse_query(text))\n"
        '    print(f"{text}: {word}, {ratios} of {len(known)} words compared in full")\n'
        "EOF\n"
        'python -m larder --root "$TMPDIR/big" index; wc -c < "$TMPDIR/big/data/.larder-index.json"',
        "You asked for an answer within a fraction of a second. difflib is known to be slow, so I count on "
        "the big catalogue how many words it really compares; most are thrown out by their letters alone.",
    )
    session.bash(
        "git add -A && git commit -qm 'search: suggest a word when nothing is found' && git show --stat --format='%h %s' HEAD",
        "Next to nothing. Committed.",
    )
    session.say(
        "Suggestions work, with the standard library alone. What they cannot do is a different name for the "
        "same thing: an eggplant is not near to an aubergine in letters. That is what synonyms are for."
    )


def finish(session: Recorder) -> None:
    """Act 7: the last wishes, the documentation, what is left."""
    session.user(
        "Great. Two more things. Solveig mounted the tablet upright, now 15 lines fit on the screen; so "
        "the limit is 15, and that's my last word. And please check rule 3 for real: menu.sh does "
        '`larder find "$1" | cut -f1`, and it relies on `find` matching parts of words.'
    )
    session.bash(
        "sed -i 's/^limit = 10/limit = 15/' larder.ini\n"
        'sed -i \'s/limit: int = 10/limit: int = 15/; s/"limit", 10/"limit", 15/\' src/larder/settings.py\n'
        "grep -rn 'limit' larder.ini src/larder/settings.py\n"
        "python -m larder find sou | cut -f1; python -m larder find walnut | cut -f1",
        "Both at once. The settings file and the default in the code go together; two places for one number "
        "is one too many, but a default has to be there for people without a file.",
    )
    session.bash(
        "git stash -q && git checkout -q start && for t in sou walnut nut e; do python -m larder find $t; done > .git/find-before.txt\n"
        "git checkout -q main && git stash pop -q && for t in sou walnut nut e; do python -m larder find $t; done > .git/find-after.txt\n"
        "wc -l < .git/find-after.txt; cmp .git/find-before.txt .git/find-after.txt && echo identical; rm .git/find-*.txt",
        "And byte for byte against the tag `start`, for four texts that match parts of words.",
    )
    session.edit(
        "tests/test_cli.py",
        "def test_find_nothing(run):\n",
        "def test_find_matches_parts_of_words(run):\n"
        '    assert run("find", "udd") == (0, ["rice-pudding\\tRice pudding, baked"])\n\n\n'
        "def test_search_limit(run):\n"
        '    assert run("search", "bake method:bake", "--limit", "1") == (\n'
        "        0,\n"
        '        ["rice-pudding\\tRice pudding, baked", "larder: 1 more, --limit 0 shows all"],\n'
        "    )\n\n\n"
        "def test_search_nothing(run):\n"
        '    assert run("search", "fish") == (0, [""])\n\n\n'
        "def test_find_nothing(run):\n",
        "Identical. I pin that down in a test, together with the limit, and see what `search` prints when "
        "nothing fits.",
    )
    session.bash(
        f"{TESTS} tests/test_cli.py",
        "Only the command line, quickly.",
    )
    session.together(
        [
            bash(
                'python -m larder search fish; echo "exit $?"; python -m larder find fish; echo "exit $?"'
            ),
            bash("sed -n '/def run_search/,/^def run_index/p' src/larder/cli.py"),
        ],
        "They pass, but what I wrote down there is not good: an empty answer prints an empty line with exit "
        "code 0, while `find` says LAR-201 with exit code 4. Both should do the same.",
    )
    session.together(
        [
            edit_file(
                "src/larder/cli.py",
                "    limit = settings.limit if",
                "    if not hits:\n"
                "        raise LarderError(201, text=options.query)\n"
                "    limit = settings.limit if",
            ),
            edit_file(
                "tests/test_cli.py",
                '    assert run("search", "fish") == (0, [""])\n',
                '    assert run("search", "fish") == (4, ["larder: LAR-201 nothing found: \'fish\'"])\n',
            ),
        ],
        "`search` now ends with LAR-201 as well when nothing is left.",
    )
    session.bash(
        f"{TESTS}",
        "Now `find` and `search` say the same when there is nothing, with the same exit code, and a script "
        "can tell the two cases apart.",
    )
    session.bash(
        "git add -A && git commit -qm 'search: limit of 15, LAR-201 when nothing fits' && git log --oneline -1"
    )
    suggest(session)
    session.user(
        "Good. Now docs/search.md and the README. Two wishes came in from the kitchen meanwhile: synonyms "
        '(aubergine and eggplant), and phrases in quotes like "sour cream". What do you think?'
    )
    session.together(
        [
            write_file("docs/search.md", SEARCH_DOC),
            edit_file(
                "README.md",
                "    python -m larder find soup\n",
                "    python -m larder find soup\n"
                '    python -m larder search "leek tag:soup -cream minutes:<45"\n'
                "    python -m larder index\n",
            ),
            edit_file(
                "README.md",
                "`docs/format.md`.\n",
                "`docs/format.md`, how to search it in `docs/search.md`.\n",
            ),
            bash(
                'python -m larder search "leek tag:soup -cream minutes:<45"; python -m larder search \'"sour cream"\'; echo "exit $?"'
            ),
        ],
        "Documentation first, with its example run for real, and what quotes do today.",
    )
    session.say(
        "Documentation is written. About the wishes:\n\n"
        "- First something about both: I looked into the log of that week again. The second name of a "
        "vegetable is typed far more often than anything in quotes, so if you can only have one of the two, "
        "take the synonyms.\n"
        "- Synonyms fit in easily: `variants` could add them at query time and the index stays at version 3. "
        "What is missing is the list itself.\n"
        '- Phrases do not: the index holds counts and no positions, so `"sour cream"` finds recipes with '
        "both words anywhere. Positions mean a version 4 and a file about three times the size. I would not "
        "squeeze that in now."
    )
    session.user(
        "Then: synonyms wait until Imre has sent his word list. Phrases come after the summer, with version 4, not "
        "before. The rollout on the tablet is on Saturday: I copy exclude.list over by hand and run "
        "`larder index` once. And a cron job should call `larder index` every night, before the cooks come in at "
        "05:30, and mail me what it says when it fails. You write the cron job next time, into contrib/, with an "
        "hour that works. Commit the docs and give me a short summary for the others."
    )
    session.bash(
        f"git add -A && git commit -qm 'docs: searching' && {TESTS} && git log --oneline start..HEAD && git diff -M --stat start && git diff start -- src/larder/cli.py",
        "Commit, the whole suite once more, and the list of everything since the start; the diff of cli.py is "
        "the part that the others will want to review.",
    )
    session.together(
        [
            bash("python -m pytest -v | grep '::' | sed 's/ *\\[ *[0-9]*%\\]//'"),
            bash("cat src/larder/index.py"),
        ],
        "For the summary I also want the names of all tests in one list, and the index as it stands now, "
        "because Imre will build the synonyms on it.",
    )
    session.say(
        "For the others, in a few sentences: `larder search` looks at titles, tags, ingredients and the method of "
        "all recipes. Several words must all be there, a minus rules something out, a field in front of a word "
        "limits it to that field, and minutes can be bounded on both sides. The best recipes come first. The "
        "answer comes from an index beside the recipes, which is brought up to date by itself when the contents "
        "of a file have changed; a sync does not disturb it, and if it is lost or damaged it is built again. "
        "Recipes with something from the exclude list are hidden and counted, and the cooks can edit that list "
        "themselves. When nothing is found and a word looks misspelt, a suggestion is made. `find` is what it "
        "was, byte for byte, and so is what the wallboard sees of a recipe. The shopping list no longer counts "
        "the ingredients of a group double, which was a fault of the last release and had nothing to do with "
        "the search."
    )
    session.user("thx. what can go wrong on saturday?")
    session.bash(
        'mkdir -p "$TMPDIR/tablet" && git archive HEAD | tar -x -C "$TMPDIR/tablet" && cd "$TMPDIR/tablet" || exit 1\n'
        'larder() { PYTHONPATH=src python -m larder "$@"; echo "exit $?"; }\n'
        "echo '== first run'; larder index\n"
        "echo '== an index of the version before'; sed -i 's/\"version\": 3/\"version\": 2/' data/.larder-index.json; larder index\n"
        "echo '== half a file'; truncate -s 700 data/.larder-index.json; larder search haddock\n"
        "echo '== no exclude list'; mv exclude.list kept; larder search walnut; mv kept exclude.list\n"
        "echo '== an accent in the list'; echo 'crème' >> exclude.list; larder search tag:dessert; sed -i '$d' exclude.list\n"
        "echo '== a recipe that cannot be read'; echo 'serves: many' >> data/sweets.txt; larder index; larder search leek\n"
        'git -C "$OLDPWD" show HEAD:data/sweets.txt > data/sweets.txt; larder index\n'
        "echo '== everything that a deployment copies'; cd \"$OLDPWD\" && git ls-tree -r --name-only HEAD",
        "I would rather rehearse that than guess. A copy of the checkout as the deployment would make it, and "
        "then everything that I can think of: an old index, half an index, a list that is missing or has "
        "accents in it, a recipe that nobody can read, and what will be copied at all.",
    )
    session.say(
        "What I saw in the rehearsal, and what I would do about it on Saturday:\n\n"
        "- An index that is old, damaged or missing is built again without a word. Nothing to do, only the "
        "first search of the day is slow, which is why you run it once by hand.\n"
        "- Without the exclude list nothing is hidden, and nothing says so. That is the one I would be afraid "
        "of, with two guests who are allergic. So copy it first, and look for a walnut afterwards: the "
        "note about hidden hits must appear.\n"
        "- A recipe that cannot be read stops everything, the wallboard too, as it does today. The message has file and "
        "line. Keep an eye on it until the mail works.\n"
        "- A deployment also copies the recipes of the sample, the tests and the documents. They do no harm, but "
        "the folder in larder.ini must point to the share and not to the sample, as it does on the tablet now, "
        "I hope; I cannot see that from here. Would you check it before you overwrite anything?\n\n"
        "What I could not try is the tablet itself: its Python, its screen, and the share over a slow network."
    )
    session.user("good list, will do")
    session.together(
        [read_file("src/larder/cli.py"), read_file("src/larder/query.py")],
        "While you read that, one more pass over the two files that changed most often today. I look for "
        "leftovers: imports that nobody needs, docstrings that speak of an older state, an error that is "
        "raised and not documented.",
    )
    session.say(
        "Nothing left over that I can see. The command line has grown, but each command is still one short "
        "function, and the query module says for every code when it is raised. If it grows again, the options "
        "of search should become a type of their own; today that would be more words than it saves."
    )
    session.user("thx. anything odd left?")
    session.bash(
        "grep -n 'identity\\|id(item)' src/larder/render.py; git status --short; git log --format='%h %s' v2.7.1..HEAD\n"
        "git log --format=%s start..HEAD | awk '{ print length($0) }' | sort -n | tail -n 1\n"
        "git log --format='%h %s%n%(trailers:key=Backport)' start..HEAD | grep -B1 Backport",
        "A last look: the line that I must not touch, an empty status, the subjects and how long the longest "
        "of them is, and the one that is to be cherry-picked.",
    )
    session.say(
        "`larder search` is done: field filters, exclusions, bounds, ranking, the exclude list, and a suggestion when a word is misspelt. All tests pass "
        "and the working tree is clean. Nothing odd beyond what you know. Still open on our side: the `show --serves` bug (after Imre's "
        "rewrite of render.py), the cron job, synonyms, and phrases; on yours: the cherry-pick and the rollout on Saturday."
    )
    session.point("p4")


def record(session: Recorder) -> None:
    """The whole session."""
    history(session.repo)
    investigate(session)
    first_design(session)
    build_the_index(session)
    ranking(session)
    digests_and_exclude(session)
    finish(session)
    check_files(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


def check_files(session: Recorder) -> None:
    """What git says about the files that the probes ask for."""
    created = ["docs/search.md", "exclude.list", "src/larder/exclude.py", "src/larder/index.py"]
    created += ["src/larder/query.py", "src/larder/search.py", "src/larder/suggest.py"]
    created += ["tests/test_exclude.py", "tests/test_index.py", "tests/test_query.py"]
    created += ["tests/test_search.py", "tests/test_suggest.py"]
    modified = [
        ".gitignore",
        "README.md",
        "larder.ini",
        "src/larder/cli.py",
        "src/larder/errors.py",
    ]
    modified += ["src/larder/recipe.py", "src/larder/settings.py", "src/larder/shopping.py"]
    modified += ["tests/test_cli.py", "tests/test_finder.py", "tests/test_recipe.py"]
    session.repo.check_changed(
        "start",
        added=created,
        modified=modified,
        deleted=["src/larder/finder.py"],
        renamed=["src/larder/terms.py"],
    )


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep={subject}").strip()


def changed(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """The fact that a file was created, edited or read; the tool's own words prove it."""
    where = {
        "created": lambda: session.holding(f"created {path} ("),
        "modified": lambda: session.holding(f"edited {path} at"),
        "read": lambda: session.doing("read_file", path),
    }[change]()
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(where)
    )


def ask_after_the_scan(session: Recorder) -> None:
    """Asked at the first point: what the log and the big catalogue showed."""
    fact, trap = session.fact, session.trap
    simmer = "the scan found 161 recipes for method:simmer minutes:<30 on the generated catalogue"
    scanning = "the next step is to build an index in place of the scan"
    session.probe(
        "yardstick",
        "recall",
        "Which numbers shall the next design be compared with: how many hits had the fourth query (the "
        "steps and a bound) on the generated catalogue, how much text does a query fold there, and what "
        "did the log of a week show about failures on the tablet and the word most often missed? What is "
        "to be done next?",
        [
            fact(simmer, type="value", keys=["simmer", "161"]),
            fact(
                "a query folds 302,164 letters on the generated catalogue",
                type="value",
                keys=["letters|characters|chars|text folded", "302164"],
            ),
            fact(
                "54 of the 130 queries typed on the tablet failed",
                type="value",
                keys=["tablet", "130", "54"],
            ),
            fact(
                "aubergin was typed 12 times",
                type="value",
                keys=["aubergin", "12"],
                said_in=session.holding("12\taubergin"),
            ),
            fact(
                scanning,
                type="decision",
                keys=[
                    "build an index|build the index|inverted index|index to be built|move to an index|switch to an index|index instead of the scan|replace the scan|introduce an index|design an index"
                ],
            ),
        ],
        traps=[
            trap(
                "the query method:simmer had 1,256 hits",
                of=simmer,
                keys=["simmer", "1256"],
            ),
            trap(
                "the scan stays and gets faster regular expressions",
                of=scanning,
                keys=["scan|scanning", "stays|kept|optimised|faster regex"],
            ),
        ],
        point="p1",
    )


def ask_after_ranking(session: Recorder) -> None:
    """Asked at the second point: the plural, the size of the file."""
    fact, trap = session.fact, session.trap
    written = "the index keeps words as they are written and the query is expanded"
    size = "the index of the generated catalogue takes 1,457,905 bytes in version 2"
    method = "the method stays in the index"
    session.probe(
        "plural-and-size",
        "decision",
        "Why did a word in one number not find the other, what does the index hold now? How large is the stored index of the generated catalogue since "
        "ranking, how much of it are the field lengths, and what was decided about the steps of a recipe?",
        [
            fact(
                "singular makes tomatoe of tomatoes",
                type="reason",
                keys=["tomatoe", "singular|tomatoes|folding|stemming|plural|turns"],
                said_in=session.holding("['tomatoe', 'tomato'", "tomatoes into tomatoe"),
            ),
            fact(
                written,
                type="decision",
                keys=[
                    "index|indexed|stored words",
                    "words as they are written|words as written|unfolded|verbatim|literal words|original form|words unaltered|not folded|surface forms|spelled as in the recipe",
                ],
                said_in=session.saying("the index keeps words as they are written"),
            ),
            fact(
                size,
                type="value",
                keys=["1457905"],
            ),
            fact(
                "the field lengths take 193,089 bytes of the index",
                type="value",
                keys=["lengths|field lengths|length", "193089"],
            ),
            fact(
                method,
                type="decision",
                keys=[
                    "method|steps|method words",
                    "stays|kept|remains|still indexed|not removed|not dropped|not left out|retained|keep",
                ],
                said_in=session.saying("Then the method stays"),
            ),
        ],
        traps=[
            trap(
                "words are folded to the singular in the index",
                of=written,
                keys=[
                    "index",
                    "folded to the singular|singular form|singularised|stored in the singular",
                ],
            ),
            trap("the index takes 1,201,065 bytes", of=size, keys=["1201065"]),
            trap(
                "the method is dropped from the index",
                of=method,
                keys=["method", "dropped|excluded|no longer indexed|removed from the index"],
            ),
        ],
        point="p2",
    )


def ask_after_the_review(session: Recorder) -> None:
    """Asked at the third point: what became of Imre's notes."""
    fact, trap = session.fact, session.trap
    bounds = "the bounds on the minutes stay exclusive"
    repairs = commit_of(session, "what the review found")
    code = "LAR-314 refuses a bound that is given twice"
    session.probe(
        "review",
        "decision",
        "What came of the review: which error did the first of two writers get and what is in the name of the "
        "temporary file now, which code has the new usage error, what was decided about the limits of time "
        "and about the logarithm, and which commit holds the repairs?",
        [
            fact(
                "the first of two writers got FileNotFoundError for .larder-index.json.new",
                type="error",
                keys=[
                    "FileNotFoundError",
                    ".larder-index.json.new|temporary file|os.replace|writer|two writers|concurrent|same moment|temp file|race|simultaneous",
                ],
            ),
            fact(
                "the temporary file has the process number (os.getpid) in its name",
                type="identifier",
                keys=[
                    "getpid|process number|number of the process|pid|process id",
                    "temporary|temp file|name|.new|file name|FILE|unique",
                ],
            ),
            fact(
                code,
                type="identifier",
                keys=[
                    "LAR-314|314",
                    "given twice|second bound|twice|duplicate|repeated bound|double bound|two bounds",
                ],
            ),
            fact(
                bounds,
                type="decision",
                keys=["bounds|minutes|limits", "exclusive|strict|strictly|not inclusive"],
            ),
            fact(
                "the base of the logarithm does not change the order",
                type="reason",
                keys=[
                    "logarithm|log base|base|log",
                    "cannot change the order|no effect|not change the order|order unaffected|order unchanged|does not affect|no influence|ranking unchanged|ranking unaffected|makes no difference|constant factor|irrelevant",
                ],
            ),
            fact(
                f"commit {repairs} has the repairs of the review",
                type="identifier",
                keys=[
                    f"{repairs}",
                    "review|repair|fix|314|two writers|getpid|bounds|temporary file|findings",
                ],
            ),
        ],
        traps=[
            trap("the bounds become inclusive", of=bounds, keys=["bounds|minutes", "inclusive"]),
            trap(
                "LAR-315 refuses a bound that is given twice",
                of=code,
                keys=["LAR-315|315", "given twice|second bound|duplicate|repeated bound"],
            ),
        ],
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """The report, the machine, the codes."""
    fact, trap = session.fact, session.trap
    memory = "the tablet has 512 MB of memory"
    speed = "a search must answer in under 300 ms"
    session.probe(
        "first-report",
        "recall",
        "What exactly did the command answer in the first report, how many tests "
        "passed before anything was changed, what are Python version and memory of the "
        "tablet, and how fast must an answer come there?",
        [
            fact(
                "`larder find 'leek -cream'` answered LAR-201 nothing found",
                type="error",
                keys=["LAR-201|nothing found", "leek -cream"],
            ),
            fact(
                "60 tests passed at the start",
                type="command",
                keys=["60 passed|60 tests pass|60 tests passed|all 60 tests|60 green"],
            ),
            fact("the tablet has Python 3.9.2", type="value", keys=["Python", "3.9.2"]),
            fact(memory, type="value", keys=["memory|RAM|tablet", "512 MB"]),
            fact(
                speed,
                type="constraint",
                keys=["300 ms", "under|answer|within|below|limit|at most|faster|target|respond"],
            ),
        ],
        traps=[
            trap("the tablet has 310 MB of memory", of=memory, keys=["memory|RAM", "has 310 MB"]),
            trap(
                "a search may take 6.4 seconds",
                of=speed,
                keys=["6.4 seconds", "may take|allowed|acceptable|permitted"],
            ),
            trap(
                "the tablet has Python 3.11",
                of="the tablet has Python 3.9.2",
                keys=["tablet", "Python", "3.11"],
            ),
        ],
    )
    unknown = "LAR-311 is an unknown search field"
    session.probe(
        "error-codes",
        "recall",
        "Which code is raised for a field that does not exist? Which codes must not be used again, and what does the wallboard do at "
        "which interval?",
        [
            fact(
                unknown,
                type="identifier",
                keys=[
                    "LAR-311|311",
                    "unknown field|unknown search field|field|no such field|nonexistent field|invalid field",
                ],
            ),
            fact(
                "204 and 315 are burnt codes",
                type="constraint",
                keys=[
                    "204 and 315|204, 315",
                    "burnt|burned|not used again|never reuse|not reuse|never be reused|retired|reserved|taken|forbidden|not again|must not be used|gone",
                ],
            ),
            fact(
                "the wallboard reads the catalogue again every 90 seconds",
                type="value",
                keys=[
                    "REFRESH_SECONDS|refresh|reload|reads again|re-read|rereads|polls|wallboard",
                    "90",
                ],
            ),
        ],
        traps=[
            trap(
                "LAR-310 is an unknown search field",
                of=unknown,
                keys=["LAR-310|310", "unknown field|unknown search field"],
            ),
            trap(
                "the wallboard reads the catalogue again every 12 seconds",
                of="the wallboard reads the catalogue again every 90 seconds",
                keys=[
                    "REFRESH_SECONDS|refresh|reload|reads again|re-read|rereads|polls|wallboard",
                    "12",
                ],
            ),
            trap(
                "code 315 is free for a new error",
                of="204 and 315 are burnt codes",
                keys=["315|204", "free|available|next code|reused"],
            ),
        ],
    )
    cooks = "the job must be done before the cooks come at 05:30"
    remark = "the share is read-only between 02:00 and 04:00"
    session.probe(
        "passing-remark",
        "continuation",
        "You are to write the cron job that brings the index up to date every night. At which hours can it not "
        "write its file and why, until when must it be done, and what happens when it fails?",
        [
            fact(
                remark,
                type="state",
                keys=[
                    "read-only|not writable|locked|cannot write|no writing|not be written|write-protected|no write access|unwritable|cannot be written",
                    "02:00 and 04:00|02:00 to 04:00|02:00-04:00|from 02:00 until 04:00",
                ],
            ),
            fact(
                "the share is read-only while the backup of the house runs",
                type="reason",
                keys=[
                    "backup",
                    "02:00|04:00|read-only|night|not writable|cannot write|share|locked",
                ],
            ),
            fact(
                cooks,
                type="constraint",
                keys=["05:30", "before|cooks|until|deadline|by 05:30|finished|done|no later"],
            ),
            fact(
                "its message is mailed when it fails",
                type="next_step",
                keys=["mail|e-mail|email", "fails|failure|error|goes wrong|unsuccessful|non-zero"],
            ),
        ],
        traps=[
            trap("the cooks come at 04:00", of=cooks, keys=["cooks", "04:00"]),
        ],
    )


def ask_files(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact, trap = session.fact, session.trap
    session.probe(
        "changed-files",
        "file",
        "Which modules and documents were newly created for query, exclude list, suggestions and users, and "
        "which existing modules of the package were edited? Answer as a list of at most 14 items and leave the "
        "tests out: do not mention test_exclude.py.",
        [
            *(
                changed(session, path, "created")
                for path in (
                    "src/larder/query.py",
                    "src/larder/exclude.py",
                    "src/larder/suggest.py",
                    "docs/search.md",
                )
            ),
            *(
                changed(session, path, "modified")
                for path in (
                    "src/larder/errors.py",
                    "src/larder/recipe.py",
                    "src/larder/settings.py",
                )
            ),
        ],
        traps=[
            trap(
                "src/larder/catalogue.py was modified",
                of="src/larder/recipe.py was modified",
                type="path",
                keys=["src/larder/catalogue.py", "modified|edited|changed"],
            ),
        ],
        answer={"format": "list", "max_items": 14, "forbid": ["test_exclude.py"]},
    )
    titles = "find_titles in search.py looks for titles"
    session.probe(
        "renamed-and-gone",
        "file",
        "How is the module called now that the shopping list got its words from, which modules and which document are "
        "gone, and which function serves `find` today?",
        [
            fact(
                "src/larder/words.py was renamed to src/larder/terms.py",
                type="path",
                change="renamed",
                keys=["src/larder/terms.py"],
                said_in=session.doing("bash", "git mv src/larder/words.py"),
            ),
            fact(
                "src/larder/finder.py was deleted",
                type="path",
                change="deleted",
                keys=["src/larder/finder.py"],
                said_in=session.doing("bash", "git rm -q src/larder/finder.py"),
            ),
            fact(
                "docs/review-imre.md was deleted",
                type="path",
                change="deleted",
                keys=["docs/review-imre.md"],
                said_in=session.doing("bash", "git rm -q docs/review-imre.md"),
            ),
            fact(
                titles,
                type="identifier",
                keys=[
                    "find_titles",
                    "titles|find|search.py|larder find|TitleFinder|replaces|title search|looks",
                ],
            ),
        ],
        traps=[
            trap(
                "src/larder/index.py was deleted",
                of="src/larder/finder.py was deleted",
                type="path",
                keys=["src/larder/index.py", "deleted|removed|gone"],
            ),
            trap(
                "the class TitleFinder is still in use",
                of=titles,
                keys=["TitleFinder", "still|in use"],
            ),
        ],
    )
    session.probe(
        "only-read",
        "file",
        "Which files were read and not changed, to learn how recipes are written, how amounts are taken off an "
        "ingredient line, and what the tablet can do? Which file must you not edit this week, and why?",
        [
            *(
                changed(session, path, "read")
                for path in ("docs/format.md", "src/larder/units.py", "docs/tablet.md")
            ),
            fact(
                "render.py is to be left alone while Imre rewrites it",
                type="constraint",
                keys=[
                    "render.py|render module",
                    "leave alone|alone|not touch|do not touch|don't touch|must not touch|untouched|not edit|don't edit|not change|avoid",
                ],
            ),
        ],
    )


def ask_continuation(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact, trap = session.fact, session.trap
    tab = "`larder find` keeps printing id, tab, title"
    session.probe(
        "ground-rules",
        "continuation",
        "Which rules hold for whoever goes on: what does menu.sh need, what may appear on standard output, who "
        "pushes, how must a commit subject look, what about the cooks' files, and which trailer does a fix for the "
        "release branch carry?",
        [
            fact(tab, type="constraint", keys=["find", "tab"]),
            fact(
                "nothing but hits on standard output",
                type="constraint",
                keys=["hits|hit lines|results|answers", "standard output|stdout"],
            ),
            fact(
                "the assistant does not push",
                type="constraint",
                keys=[
                    "don't push|not push|never push|no push|leave pushing|user pushes|no pushing|pushing is the user's|pushing left|commit locally|nothing pushed|without pushing|not pushed|local commits only|push himself|push from the office"
                ],
            ),
            fact(
                "a commit subject stays under 60 characters",
                type="constraint",
                keys=[
                    "subject|subjects|commit|commit message|headline",
                    "60 characters|60 chars|60 signs",
                ],
            ),
            fact(
                "the files in data/ are never rewritten or reformatted",
                type="constraint",
                keys=[
                    "data/|cooks' files|recipe files|files in data",
                    "never rewrite|not rewrite|never reformat|not reformat|never rewritten|not be rewritten|not reformatted|not touched|untouched|no reformatting|never edited|not edit|never change|not change|don't touch",
                ],
            ),
            fact(
                "a fix for the release branch carries the trailer Backport: 2.7",
                type="constraint",
                keys=["Backport: 2.7|Backport 2.7|Backport trailer"],
            ),
        ],
        traps=[
            trap("`larder find` prints title, comma, id", of=tab, keys=["find", "comma|json"]),
            trap(
                "a commit subject stays under 72 characters",
                of="a commit subject stays under 60 characters",
                keys=["subject|commit", "72 characters|50 characters"],
            ),
        ],
    )
    limit = "at most 15 lines are printed"
    version = "the index has format version 3"
    cutoff = "a suggestion needs a ratio of 0.8"
    passing = f"{PASSED} tests pass in the end"
    session.probe(
        "changed-twice",
        "continuation",
        "What holds now: how many lines does a search print and why so many, which version has the index "
        "format and what does it compare, how near must a suggested word be, how short words are left alone, and "
        "how many tests pass?",
        [
            fact(
                limit,
                type="value",
                keys=["limit|at most|default|lines|maximum|result lines", "15"],
                said_in=ends(session.holding("limit is 15", "limit = 15")),
            ),
            fact(
                "Solveig mounted the tablet upright",
                type="reason",
                keys=[
                    "upright|portrait|vertically|vertical|standing|rotated|turned",
                    "tablet|screen|Solveig",
                ],
            ),
            fact(
                version,
                type="state",
                keys=["version 3|VERSION = 3|v3|format 3", "index|format|terms|index file"],
                said_in=session.saying("so the format becomes version 3"),
            ),
            fact(
                "the index compares digests of 16 hexadecimal digits",
                type="value",
                keys=["sha256|digest|hexdigest|hash|checksum|SHA-256", "16"],
            ),
            fact(
                cutoff,
                type="value",
                keys=["CUTOFF|cutoff|ratio|similarity|closeness|threshold", "0.8"],
                said_in=session.doing("write_file", "CUTOFF = 0.8"),
            ),
            fact(
                "words under 5 letters get no suggestion",
                type="value",
                keys=[
                    "SHORTEST|shortest|shorter|short words|letters|characters|minimum length|under",
                    "5",
                ],
                said_in=session.doing("write_file", "SHORTEST = 5"),
            ),
            fact(passing, type="command", keys=[f"{PASSED} passed|{PASSED} tests|{PASSED} green"]),
        ],
        traps=[
            trap(
                "at most 10 lines are printed",
                of=limit,
                keys=["limit|at most|default|lines|maximum|result lines", "10"],
            ),
            trap(
                "at most 20 lines are printed",
                of=limit,
                keys=["limit|at most|default|lines|maximum|result lines", "20"],
            ),
            trap(
                "the index has format version 2",
                of=version,
                keys=["version 2|VERSION = 2|v2|format 2", "index|format|terms|index file"],
            ),
            trap(
                "a suggestion needs a ratio of 0.6",
                of=cutoff,
                keys=["CUTOFF|cutoff|ratio|similarity|closeness|threshold", "0.6"],
            ),
            trap("111 tests pass in the end", of=passing, keys=["111 passed|111 tests|111 green"]),
            trap(
                "the index compares the mtimes",
                of="the index compares digests of 16 hexadecimal digits",
                keys=[
                    "index|files",
                    "compares mtimes|compared by mtime|by modification time|uses mtimes|checks mtimes",
                ],
            ),
        ],
    )
    summer = "phrases come after the summer with version 4"
    fix = commit_of(session, "count grouped ingredients once")
    picked = f"commit {fix} is to be cherry-picked to the 2.7 branch"
    session.probe(
        "left-to-do",
        "continuation",
        "What is pending: what do synonyms wait for, when do phrases come and with what, which bug of the show command "
        "is left, what happens on which day on the tablet, and which commit goes to the release branch? Answer as a list.",
        [
            fact(
                "synonyms wait for Imre's word list",
                type="next_step",
                keys=[
                    "synonyms|synonym",
                    "word list|list from Imre|Imre's list|Imre sends|Imre has sent|Imre's words|list of words|waiting for Imre|wait for Imre|Imre delivers",
                ],
            ),
            fact(
                summer,
                type="next_step",
                keys=["phrases|phrase search", "after the summer|after summer|autumn|post-summer"],
            ),
            fact(
                "show --serves prints grouped ingredients twice and is on the to-do list",
                type="next_step",
                keys=[
                    "--serves",
                    "to-do|twice|bug|open|double|doubled|duplicate|duplicates|repeated|two times",
                ],
            ),
            fact(
                "the rollout on the tablet is on Saturday",
                type="next_step",
                keys=[
                    "rollout|roll-out|deployment|deploy|roll out|goes live|tablet|install",
                    "Saturday",
                ],
            ),
            fact(
                picked,
                type="identifier",
                keys=[
                    f"{fix}",
                    "cherry-pick|cherry-picked|backport|2.7|release branch|count grouped ingredients|grouped ingredients",
                ],
            ),
        ],
        traps=[
            trap(
                "phrases come with version 3",
                of=summer,
                keys=["phrases|phrase search", "with version 3|in version 3|part of version 3"],
            ),
            trap(
                f"commit {commit_of(session, 'compare digests instead')} is to be cherry-picked",
                of=picked,
                keys=[commit_of(session, "compare digests instead"), "cherry-pick|backport|2.7"],
            ),
            trap(
                "the rollout on the tablet is on Monday",
                of="the rollout on the tablet is on Saturday",
                keys=["rollout|roll-out|deployment|deploy|goes live", "Monday"],
            ),
        ],
        answer={"format": "list"},
    )


def ask_decisions(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact, trap = session.fact, session.trap
    inverted = "the index is an inverted index in a JSON file"
    session.probe(
        "index-storage",
        "decision",
        "Why is the database of the standard library out, with which exact error, why is serialising the dictionaries "
        "no way, and what is used instead? How large is the part that length plays in the score?",
        [
            fact(
                "sqlite3.OperationalError: no such module: fts5",
                type="error",
                keys=["no such module|OperationalError|built without", "fts5"],
            ),
            fact(
                "unpickling runs whatever somebody put on the share",
                type="reason",
                keys=[
                    "unpickling|pickle|unpickle|pickled",
                    "runs|executes|code|arbitrary|whatever|unsafe|malicious|untrusted|execution|insecure|security",
                ],
            ),
            fact(
                inverted,
                type="decision",
                keys=[
                    "JSON",
                    "index|inverted index|then|stored|file|format|instead of pickle|postings",
                ],
            ),
            fact(
                "LENGTH_PART is 0.75",
                type="value",
                keys=["LENGTH_PART|length part|length normalisation|length weight", "0.75"],
            ),
        ],
        traps=[
            trap(
                "the index is kept in SQLite",
                of=inverted,
                keys=["index", "in SQLite|uses SQLite|with FTS5|SQLite table"],
            ),
            trap(
                "LENGTH_PART is 0.25",
                of="LENGTH_PART is 0.75",
                keys=["LENGTH_PART", "set to 0.25|is 0.25"],
            ),
        ],
    )
    since = "only release 2.7.1 counts grouped ingredients double"
    cause = "everything() adds the groups on top of a flat list that holds them already"
    session.probe(
        "corrected-mistake",
        "decision",
        "The shopping list was too long: which release has the fault, what was the real cause of the odd order of "
        "leek recipes, what was the mean length of the ingredient field, and why was the old commit not taken back?",
        [
            fact(
                since,
                type="state",
                keys=[
                    "2.7.1",
                    "double|doubled|twice|fault|wrong|two times|duplicated|affected|bug|faulty",
                ],
            ),
            fact(
                cause,
                type="reason",
                keys=[
                    "everything()|everything",
                    "on top|twice|double|already|again|second time|counted two times|duplicates|both|doubly",
                ],
            ),
            fact(
                "the mean length of the ingredient field is 6.87",
                type="value",
                keys=["mean length|mean|average|ingredient field", "6.87"],
            ),
            fact(
                "the wallboard shows recipe.ingredients and would lose every dough",
                type="reason",
                keys=[
                    "wallboard",
                    "lose every dough|recipe.ingredients|dough|loses groups|lose grouped ingredients|grouped ingredients disappear|would break",
                ],
            ),
        ],
        traps=[
            trap(
                "the lists were wrong since 2.6",
                of=since,
                keys=["2.6", "since|wrong|fault|double|all winter|whole winter"],
            ),
            trap(
                "the length normalisation caused the odd order",
                of=cause,
                keys=[
                    "length normalisation|LENGTH_PART|length normalization",
                    "cause|caused|because|lifts|to blame|culprit|responsible",
                ],
            ),
        ],
    )
    stdlib = "standard library only, so no rapidfuzz"
    signature = "load_catalogue keeps its signature and gets no keyword"
    session.probe(
        "under-pressure",
        "decision",
        "Two wishes came up against rules of the first day: one about suggestions, one about broken recipes. Which "
        "rules still hold, what is used instead for suggestions, and which two errors were seen on the way?",
        [
            fact(
                stdlib,
                type="constraint",
                keys=[
                    "standard library|stdlib|rule 2|rapidfuzz",
                    "only|stays|alone|nothing to install|no dependency|no dependencies|no third-party|no third party|not added|rejected|not allowed|no new dependency|refused|declined|no pip",
                ],
            ),
            fact(
                signature,
                type="constraint",
                keys=[
                    "load_catalogue|rule 1",
                    "signature|no keyword|no new argument|no new parameter|no extra parameter|no new keyword",
                ],
            ),
            fact(
                "difflib makes the suggestions",
                type="decision",
                keys=[
                    "difflib",
                    "get_close_matches|suggestion|suggestions|suggest|ratio|instead of rapidfuzz|standard library|nearest",
                ],
            ),
            fact(
                "ModuleNotFoundError: No module named 'rapidfuzz'",
                type="error",
                keys=[
                    "No module named|ModuleNotFoundError|import failed|cannot be imported",
                    "rapidfuzz",
                ],
            ),
            fact(
                "LAR-123 sweets.txt:18: unknown field 'colour'",
                type="error",
                keys=["LAR-123", "colour|sweets.txt"],
            ),
        ],
        traps=[
            trap(
                "rapidfuzz was added",
                of=stdlib,
                keys=["rapidfuzz", "added|installed|is used|in requirements|adopted|introduced"],
            ),
            trap(
                "load_catalogue leaves out broken recipes",
                of=signature,
                keys=[
                    "load_catalogue",
                    "leaves out broken|skips broken|omits broken|ignores broken|tolerates broken",
                ],
            ),
        ],
    )
    place = "the exclude list is exclude.list beside larder.ini"
    session.probe(
        "place-of-the-list",
        "decision",
        "Where is the list of what is never served kept, why not in the settings, "
        "how many hits did it hide for its first word, and what is it called with its second word?",
        [
            fact(
                place,
                type="decision",
                keys=[
                    "exclude.list",
                    "beside larder.ini|next to larder.ini|larder.ini|alongside|beside the settings|next to the settings|root folder",
                ],
            ),
            fact(
                "larder.ini is overwritten with every deployment",
                type="reason",
                keys=[
                    "larder.ini|settings file|settings|ini file",
                    "overwritten|overwrites|replaced|wiped|clobbered|lost|reset",
                    "deployment|deploy|rollout|release|update",
                ],
            ),
            fact(
                "4 hits for walnut are hidden",
                type="command",
                keys=[
                    "4 hidden|hides 4|4 recipes hidden|4 hits hidden|4 excluded|4 suppressed|4 left out|4 withheld|4 filtered",
                    "walnut|exclude|excluded|exclude.list|never served|hidden by",
                ],
            ),
            fact(
                "trout is on the exclude list",
                type="state",
                keys=[
                    "trout",
                    "exclude|never serve|nobody eats|excluded|never served|hidden|exclude.list|banned",
                ],
            ),
        ],
        traps=[
            trap(
                "the settings say exclude = walnut, trout",
                of=place,
                keys=["settings|larder.ini", "exclude = walnut|exclude walnut"],
            ),
            trap(
                "the exclude list is data/exclude.txt",
                of=place,
                keys=["exclude list|list|exclude", "data/exclude.txt"],
            ),
            trap(
                "12 hits for walnut are hidden",
                of="4 hits for walnut are hidden",
                keys=["walnut", "12 hidden|hides 12|6 hidden|hides 6"],
            ),
        ],
    )


PLAY = Play(
    record,
    task="feature",
    title="Search with fields, ranking and an exclude list for a recipe catalogue",
    repository="larder",
    window=64_000,
)
