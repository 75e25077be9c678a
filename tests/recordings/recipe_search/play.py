"""A feature session: searching a recipe catalogue.

The command line of a community kitchen's recipe catalogue gets a search with field
filters, ranking and an exclude list. Scanning with regular expressions is built first
and given up for an inverted index, whose file format goes through three versions. An
odd ranking is blamed on the length normalisation, where it does not come from.
"""

from recorder import Play, Recorder, bash, edit_file, ends, functions, read_file, write_file
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
such an ingredient are hidden and counted on standard error; `--all` shows them.

## Index

`.larder-index.json` in the folder of the recipes, format version 3. It is built anew when
the contents of a recipe file have changed, and when it is of another version. It can be
deleted at any time.
"""


TESTS = "python -m pytest -q --tb=short"


def history(repo: Repository) -> None:
    """What happened before the session: not recorded, only in git."""
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
        "Have a look around first and tell me how you would go about it."
    )
    session.together(
        [
            bash("git log --oneline --stat -2 && git status --short"),
            bash("git ls-files | xargs wc -l"),
        ],
        "I'll get an overview of the repository and its history first.",
    )
    session.together([read_file("README.md"), read_file("docs/format.md")])
    session.together(
        [read_file("src/larder/cli.py"), read_file("src/larder/finder.py")],
        "The format has header fields, ingredients and method, which are the fields you want to filter "
        "on. Now the command line and what `find` does today.",
    )
    session.together(
        [read_file("src/larder/recipe.py"), read_file("src/larder/catalogue.py")],
        "`TitleFinder` is a substring test on folded titles, nothing to build on. The parser decides "
        "what a field is, so that comes next, with the catalogue.",
    )
    session.together([read_file("src/larder/words.py"), read_file("src/larder/errors.py")])
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
    session.say(
        "Both examples reproduce, and all 60 tests pass. `grep` confirms leeks in five recipes of the "
        "15: leek-potato-soup, smoked-haddock-chowder, barley-risotto, chicken-barley-stew and "
        "caraway-flatbread.\n\n"
        "How I would go about it: first a query parser of its own (`src/larder/query.py`), independent of "
        "how the answer is found. Then the simplest thing that can work behind it: scan the fields of every "
        "recipe with regular expressions. `search` becomes a new command; `find` and "
        "`load_catalogue` stay as they are.\n\n"
        "Two questions. Do all parts have to hold, or is one enough? And what about a recipe without "
        "minutes when someone asks for `minutes:<30`?"
    )
    session.user(
        "All parts have to hold. A recipe without minutes never fits a bound: the lunch team would rather "
        "miss one than plan with something that takes three hours. Usage errors get codes from "
        "LAR-311 on, please, 310 is taken. Go ahead with the regex version."
    )


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
    session.bash(f"{TESTS} tests/test_query.py")
    session.bash(
        "git add -A && git commit -qm 'search: query syntax with fields and exclusions' && git log --oneline -1"
    )
    session.point("p1")
    session.write(
        "src/larder/scan.py",
        SCAN,
        "Now the scan. `(?:e?s)?` at the end of a word takes care of leek and leeks.",
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
        "And the command.",
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
    session.bash(
        f"{TESTS} && git add -A && git commit -qm 'search: scan recipes with regular expressions' && git log --oneline -1"
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


def build_the_index(session: Recorder) -> None:
    """Act 3: alternatives, the rename, index version 1, the plural."""
    session.say(
        "Agreed, scanning is the wrong design at that size: no regex will get 5.9 seconds of parsing "
        "down to 300 ms, the parsing itself has to go from the search path. Options for the index:\n\n"
        "- SQLite with FTS5: in the standard library, does ranking by itself.\n"
        "- a pickle of Python dictionaries: least code.\n"
        "- an inverted index of our own in a JSON file beside the recipes.\n\n"
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
        f"{TESTS} && git commit -qam 'words: rename the module to terms' && git show --stat -M --format=%s HEAD"
    )
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
    session.together([read_file("tests/test_catalogue.py"), read_file("data/mains.txt")])
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
    session.bash(f"{TESTS}")
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
    )
    session.bash(
        f"{TESTS} && git add -A && git commit -qm 'search: answer from an inverted index' && git log --oneline -1"
    )
    session.say(
        "The index is in place (format version 1), scan.py is gone, and a search opens one file instead "
        "of parsing the catalogue. Two gaps: the minutes are not looked at yet, because version 1 does not "
        "hold them, and hits come sorted by id."
    )
    session.point("p2")
    ask_after_the_index(session)
    session.user(
        "0.19 seconds on the tablet, wonderful. Next: ranking, best first, and the minutes. A hit in the title "
        "must beat one in the ingredients. And print at most 20 lines, with an option to see more; "
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
        ]
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
    session.bash(f"{TESTS}")
    session.edit(
        "tests/test_search.py",
        '    assert ids("ingredient:onion") == ["pea-soup", "onion-tart"] or True\n',
        "",
        "Green, but one of my assertions ends in `or True` and cannot fail. Out with it.",
    )
    session.bash(
        'python -m larder index\nfor q in "leek" "walnut" "leek minutes:<45"; do\n'
        '  echo "== $q"; python -m larder search --scores "$q"\ndone',
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
        "says 6 leeks instead of 3, and 120 g of butter. No test has a group and a sum, that is why "
        "nobody noticed.\n\n"
        "Two ways to repair it: revert that commit, or let `everything()` return the flat list."
    )
    session.user(
        "So that is why Solveig came home with six leeks! Don't revert: the wallboard shows "
        "recipe.ingredients and would lose every dough. Let everything() return the flat list. "
        "Separate commit, with a test, I want to cherry-pick it to the 2.7 branch."
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
        ]
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
                "git add -A && git commit -qm 'recipe: count grouped ingredients once' && git show --stat --format='%s' HEAD"
            ),
            bash("python -m larder show caraway-flatbread --serves 20 | sed -n '1,20p'"),
            read_file("src/larder/render.py"),
        ],
        "3 leeks on the list, and leek-potato-soup comes first now. While I am at groups: does `show` cope "
        "with them?",
    )
    session.say(
        "Committed, 96 tests pass. One more bug of the same family, not touched: `larder show caraway-flatbread --serves "
        "20` prints the grouped ingredients twice. `render_recipe` tells grouped from plain by identity "
        "(`id(item)`), and `scaled` makes new objects. Without `--serves` it is right. Shall I repair that too?"
    )
    session.point("p3")
    ask_after_ranking(session)
    session.user(
        "Not now, put the show --serves bug on the to-do list; Imre is rewriting render.py this week and "
        "would get a conflict. So leave render.py alone.\n\n"
        "Something else: Solveig says the tablet shows 10 lines on a screen and 20 means scrolling with "
        "wet fingers. Make the default limit 10. And there is a problem with the index: the share syncs "
        "every hour and the sync gives all files a new mtime, so the first search of every hour builds "
        "the index again, 7 seconds."
    )


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
    )
    session.bash(
        "git add -A && git commit -qm 'index: compare digests instead of mtimes (version 3)' && git log --oneline -1"
    )
    session.user(
        "Much better. Now the exclude list: ingredients we never serve, at the moment walnut (two guests "
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
        "Settings first.",
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
    session.together([bash("cat tests/test_finder.py | head -24"), bash(f"{TESTS}")])
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
        "with LAR-150 (exit code 3). finder.py is deleted; `find` prints the same as before."
    )


def finish(session: Recorder) -> None:
    """Act 6: the last wishes, the documentation, what is left."""
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
        "Both at once.",
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
    session.bash(f"{TESTS} tests/test_cli.py")
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
    session.bash(f"{TESTS}")
    session.bash(
        "git add -A && git commit -qm 'search: limit of 15, LAR-201 when nothing fits' && git log --oneline -1"
    )
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
        "- Synonyms fit in easily: `variants` could add them at query time and the index stays at version 3. "
        "What is missing is the list itself.\n"
        '- Phrases do not: the index holds counts and no positions, so `"sour cream"` finds recipes with '
        "both words anywhere. Positions mean a version 4 and a file about three times the size. I would not "
        "squeeze that in now."
    )
    session.user(
        "Then: synonyms wait until Imre has sent his word list. Phrases come after the summer, with version 4, not "
        "before. The rollout on the tablet is on Saturday: I copy exclude.list over by hand and run "
        "`larder index` once, and a cron job at 05:30 should call it every morning; I still have to write that "
        "one. Commit the docs and give me a short summary for the others."
    )
    session.bash(
        f"git add -A && git commit -qm 'docs: searching' && {TESTS} && git log --oneline start..HEAD && git diff -M --stat start && git diff start -- src/larder/cli.py",
        "Commit, the whole suite once more, and the list of everything since the start; the diff of cli.py is "
        "the part that the others will want to review.",
    )
    session.say(
        "`larder search` is done: field filters, exclusions, bounds, ranking, the exclude list. All 109 tests pass "
        "and the working tree is clean. Still open on our side: the `show --serves` bug (after Imre's "
        "rewrite of render.py), synonyms, and phrases; on yours: the rollout on Saturday and the cron job."
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
    created += ["src/larder/query.py", "src/larder/search.py", "tests/test_exclude.py"]
    created += ["tests/test_index.py", "tests/test_query.py", "tests/test_search.py"]
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


def touched(session: Recorder, path: str, tool: str) -> list[str]:
    """Ids of the messages with the first two calls of a tool that name a path, and the last."""
    return ends(
        [
            message["id"]
            for message in session.messages
            for function in functions(message)
            if function["name"] == tool and path in function["arguments"]
        ]
    )


def ask_after_the_index(session: Recorder) -> None:
    """Asked in the middle: why the index keeps words as they are."""
    fact = session.fact
    session.probe(
        "plural",
        "decision",
        "Why are words no longer folded to the singular at index time: what did `singular` make of tomatoes, "
        "in which form are words in the index now, and what is expanded by which function instead?",
        [
            fact("tomatoes into tomatoe", "tomatoe"),
            fact("what goes in wrong cannot be found again"),
            fact("the index keeps words as they are written", "words are indexed as written"),
            fact("the query is expanded", "query expansion", about="detail"),
            fact("variants", about="detail"),
        ],
        point="p2",
    )


def ask_after_ranking(session: Recorder) -> None:
    """Asked in the middle: where the work stands."""
    fact = session.fact
    session.probe(
        "after-ranking",
        "continuation",
        "Where does the work stand after ranking: which version has the index, how many tests "
        "pass with the fix of the grouped ingredients committed, to which branch is it to be "
        "cherry-picked, and which bug of the same family is not touched?",
        [
            fact("index version 2", "version 2", about="state"),
            fact("96 passed", "96 tests pass", about="state"),
            fact("cherry-pick it to the 2.7 branch", "2.7 branch", about="pending"),
            fact(
                "--serves 20 prints the grouped ingredients twice",
                "show with --serves prints grouped ingredients twice",
                about="pending",
            ),
        ],
        traps=[
            {
                "text": "version 1",
                "aliases": ["index version 1", "format version 1"],
                "current": ["version 2"],
            }
        ],
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """The report, the figures of the tablet, the codes."""
    fact = session.fact
    session.probe(
        "first-report",
        "recall",
        "What exactly did `larder find 'leek -cream'` answer in the first report and with which exit code, "
        "in how many recipes did grep confirm leeks, and how many tests passed before anything was "
        "changed? Answer in one sentence of at most 60 words.",
        [
            fact("LAR-201 nothing found: 'leek -cream'"),
            fact("exit code 4", "exits with 4", "code 4", said_in=session.saying("(exit code 4)")),
            fact(
                "leeks in five recipes",
                "five recipes have leeks",
                "5 recipes with leeks",
                "leeks in 5 recipes",
            ),
            fact("60 tests pass", "60 passed", "60 tests passed"),
        ],
        answer={"format": "sentence", "max_words": 60},
    )
    session.probe(
        "tablet-figures",
        "recall",
        "How many recipes in how many files does the real catalogue have, how many seconds did `search "
        "leek` take on the tablet with the scanning, how many of them were parsing and folding, and "
        "in under how many ms must it answer?",
        [
            fact("2,600 recipes"),
            fact("41 files"),
            fact("6.4 seconds", "6.4 s"),
            fact(
                "5.9 of them are parsing and folding",
                "5.9 seconds of parsing",
                "5.9 s parsing",
            ),
            fact("under 300 ms", "300 ms", "0.3 seconds"),
        ],
    )
    session.probe(
        "error-codes",
        "recall",
        "Which LarderError codes does parse_query raise for an unknown field, when nothing is "
        "asked for and for minutes that cannot be read, and with which LAR code is a line of "
        "two words in the exclude list refused?",
        [
            fact("LAR-311", "311 for an unknown field", "311 unknown search field"),
            fact("LAR-312", "312 when nothing is asked for", "312 nothing to look for"),
            fact("LAR-313", "313 for minutes", "313 cannot read"),
            fact("LAR-150", "150: write one word a line", "150 write one word a line"),
        ],
    )


def ask_files(session: Recorder) -> None:
    """What became of the files; ``check_files`` asked git."""
    fact = session.fact
    session.probe(
        "created",
        "file",
        "Which files were newly created in this session and still exist? Answer as a list of at most 12 "
        "items and leave the tests out: do not mention test_exclude.py.",
        [
            fact(path, about="created", said_in=touched(session, path, "write_file"))
            for path in (
                "src/larder/query.py",
                "src/larder/index.py",
                "src/larder/search.py",
                "src/larder/exclude.py",
                "exclude.list",
                "docs/search.md",
            )
        ],
        answer={"format": "list", "max_items": 12, "forbid": ["test_exclude.py"]},
    )
    session.probe(
        "modified",
        "file",
        "Which existing source files, settings and documents were modified (edited) in this session? "
        "Answer as a list, without tests.",
        [
            *(
                fact(path, about="modified", said_in=touched(session, path, "edit_file"))
                for path in (
                    "src/larder/cli.py",
                    "src/larder/errors.py",
                    "src/larder/recipe.py",
                    "src/larder/settings.py",
                    "README.md",
                )
            ),
            fact("larder.ini", about="modified", said_in=touched(session, "larder.ini", "bash")),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "renamed-and-gone",
        "file",
        "What does words.py say that is wrong now that search uses it, and to what was the "
        "module renamed with git mv? Which module did nothing need any more except its own "
        "tests, and under which name does the title search of `find` live on?",
        [
            fact("src/larder/terms.py", about="detail"),
            fact("as the shopping list compares them", about="detail"),
            fact(
                "src/larder/finder.py",
                about="detail",
                said_in=touched(session, "git rm -q src/larder/finder.py", "bash"),
            ),
            fact("find_titles", about="detail"),
        ],
    )
    session.probe(
        "only-read",
        "file",
        "Which files were only read to learn how a recipe file is written, how all recipes of a folder are "
        "loaded, how amounts are taken off an ingredient line, and whose manner the tests of the index follow?",
        [
            fact(path, about="accessed", said_in=touched(session, path, "read_file"))
            for path in (
                "docs/format.md",
                "src/larder/catalogue.py",
                "src/larder/units.py",
                "tests/test_catalogue.py",
            )
        ],
    )


def ask_continuation(session: Recorder) -> None:
    """What holds, where the work stands, what is left."""
    fact = session.fact
    session.probe(
        "ground-rules",
        "continuation",
        "Which things must not change: what about load_catalogue and wallboard.py, which library is "
        "allowed, what does menu.sh need of `larder find`, and which module is to be left alone because of "
        "Imre?",
        [
            fact(
                "`load_catalogue(folder)` keeps its signature",
                "signature of load_catalogue stays",
                "load_catalogue keeps signature and return value",
                about="state",
            ),
            fact("calls it with one positional argument", "one positional argument", about="state"),
            fact("Standard library only", "nothing to install on the tablet", about="state"),
            fact("menu.sh cuts at the tab", about="state"),
            fact(
                "leave render.py alone",
                "Imre is rewriting render.py",
                "do not touch render.py",
                about="state",
            ),
        ],
    )
    session.probe(
        "current-values",
        "continuation",
        "What holds now: which version does the format become with digests instead of numbers in "
        "the field `files`, what is the limit since Solveig mounted the tablet upright, how many tests pass "
        "with the working tree clean, and what does `search` now end with when nothing is left?",
        [
            fact(
                "limit is 15",
                "limit of 15",
                "limit = 15",
                "15 lines",
                about="state",
                said_in=session.saying("limit is 15"),
            ),
            fact("format version 3", "version 3", about="state"),
            fact("109 passed", "109 tests pass", about="state"),
            fact("`search` now ends with LAR-201", "search ends with LAR-201", about="state"),
        ],
        traps=[
            {
                "text": "limit 10",
                "aliases": ["limit = 10", "limit of 10", "10 lines", "limit is 10"],
                "current": ["limit is 15", "limit = 15", "limit of 15", "15 lines"],
            },
            {
                "text": "limit 20",
                "aliases": ["limit = 20", "limit of 20", "20 lines", "limit is 20"],
                "current": ["limit is 15", "limit = 15", "limit of 15", "15 lines"],
            },
            {
                "text": "version 2",
                "aliases": ["format version 2", "version 1", "format version 1"],
                "current": ["version 3"],
            },
            {"text": "106 passed", "aliases": ["98 passed", "96 passed"], "current": ["109"]},
        ],
    )
    session.probe(
        "left-to-do",
        "continuation",
        "What is pending: what do synonyms wait for, when do phrases come, which show bug is on the to-do list, when "
        "is the rollout on the tablet, and what does the cron job have to call at what time? Answer as a "
        "list.",
        [
            fact(
                "synonyms wait until Imre has sent his word list",
                "synonyms wait for Imre's word list",
                about="pending",
            ),
            fact("Phrases come after the summer", "phrases after the summer", about="pending"),
            fact("show --serves bug", "bug of show --serves", about="pending"),
            fact("rollout on the tablet is on Saturday", "rollout on Saturday", about="pending"),
            fact("cron job at 05:30", "05:30", about="pending"),
        ],
        answer={"format": "list"},
    )


def ask_decisions(session: Recorder) -> None:
    """What was chosen and what was turned down, and why."""
    fact = session.fact
    session.probe(
        "index-storage",
        "decision",
        "Why is SQLite with FTS5 out for the index, with which exact error, why no pickle of the index "
        "on the share, and what is used instead?",
        [
            fact("sqlite3.OperationalError: no such module: fts5", "no such module: fts5"),
            fact(
                "vendor built SQLite without it",
                "SQLite of the tablet is built without FTS5",
                "vendor built SQLite without FTS5",
            ),
            fact(
                "share that the whole house can write to",
                "share is writable by the whole house",
            ),
            fact(
                "unpickling runs whatever somebody put there",
                "unpickling runs code",
            ),
            fact(
                "inverted index of our own in a JSON file",
                "JSON then",
                "JSON it is",
                "inverted index in JSON",
                about="detail",
            ),
        ],
    )
    session.probe(
        "odd-ranking",
        "decision",
        "When `search ingredient:leek` put caraway-flatbread first, why was the length "
        "normalisation not it, how often does leek count in caraway-flatbread, what was the "
        "real cause, and why did we not revert the commit but let everything() return the "
        "flat list?",
        [
            fact("longest list of the five", "12 words"),
            fact("the normalisation works against it"),
            fact("leek counts 2 in caraway-flatbread"),
            fact("grouped ingredients count twice", "puts grouped ingredients in twice"),
            fact("the wallboard shows recipe.ingredients", "would lose every dough"),
        ],
    )
    session.probe(
        "place-of-the-list",
        "decision",
        "Why did I take back larder.ini as the place of the exclude list: what happens to "
        "larder.ini on the tablet with a deployment and what must the cooks be able to do "
        "with the list? Why not beside the recipes, what would LAR-123 take down, and which "
        "file is it in?",
        [
            fact(
                "larder.ini is overwritten on the tablet with every deployment",
                "larder.ini is overwritten at every deployment",
            ),
            fact("the cooks must be able to edit the list themselves", "cooks can edit it"),
            fact(
                "load_catalogue reads every *.txt of the folder",
                "load_catalogue reads every txt file",
            ),
            fact("take the wallboard down", "wallboard would go down"),
            fact("exclude.list", about="detail"),
        ],
        traps=[
            {
                "text": "data/exclude.txt",
                "aliases": ["exclude = walnut, trout"],
                "current": ["exclude.list"],
            }
        ],
    )


PLAY = Play(
    record,
    task="feature",
    title="Search with fields, ranking and an exclude list for a recipe catalogue",
    repository="larder",
)
