"""The rooms of the package and their floors: imports point down, and no room is in a circle."""

import ast
import importlib
import inspect
from functools import cache
from graphlib import TopologicalSorter

import pytest
from support.paths import ROOT

PACKAGE = ROOT / "pytest_compaction"
FLOORS = (
    "facade rubric",
    "conversation folders gc_threshold hookspecs record secrets settings",
    "cache",
    "text",
    "artifacts case",
    "importers metrics",
    "models",
    "compactors judges",
    "run",
    "checking options records",
    "case_making dialogues long_conversations",
    "gate",
    "reports",
    "session",
    "commands",
    "cli plugin",
)
"""The rooms (folders, and modules at the root) of each floor, from the bottom up."""
WITHOUT_PYTEST = ("conversation", "rubric", "secrets", "text", "case", "artifacts", "metrics")
"""Rooms that anyone may use without pytest and without the openai package."""
FACADES = (
    *("artifacts", "cache", "case", "case_making", "checking", "compactors", "conversation"),
    *("dialogues", "gate", "importers", "judges", "long_conversations", "metrics", "models"),
    *("options", "records", "reports", "run", "secrets", "text"),
)
"""Rooms of which others import what their ``__init__`` offers, and no module."""
WIRE_FORMATS = "pytest_compaction.conversation.formats"
"""Its modules are offered themselves: each reads and writes the wire format of its name."""
OUTSIDE = {"__init__", "benchmark"}
"""The public names, loaded when first used, and the packaged test modules: above all floors."""

FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms.split()}


def room_of(path):
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@cache
def imported_by(path):
    """Every module that a file imports, wherever in the file, with the line."""
    found = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno} imports relatively"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found += ((name, node.lineno) for name in names)
    return found


def arrows():
    """Imports from one room to another: importing room, imported room, and where."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = room_of(path)
        for name, line in imported_by(path):
            package, _, rest = name.partition(".")
            target = rest.partition(".")[0]
            if package == PACKAGE.name and room not in OUTSIDE and target != room:
                yield room, target, f"{path.relative_to(PACKAGE)}:{line}"


def test_every_room_stands_on_a_floor():
    rooms = {room_of(path) for path in PACKAGE.rglob("*.py")} - OUTSIDE
    assert rooms == set(FLOOR_OF)


def test_imports_between_rooms_point_down():
    upward = [
        f"{where}: {room} imports {target}"
        for room, target, where in arrows()
        if FLOOR_OF.get(target, len(FLOORS)) >= FLOOR_OF[room]
    ]
    assert not upward, "\n".join(upward)


def test_a_room_with_a_facade_is_imported_through_it():
    inner = {
        f"pytest_compaction.{room}.{path.relative_to(PACKAGE / room).parts[0].removesuffix('.py')}"
        for room in FACADES
        for path in (PACKAGE / room).rglob("*.py")
    } - {WIRE_FORMATS}
    past = [
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if room_of(path) not in OUTSIDE
        for name, line in imported_by(path)
        if ".".join(name.split(".")[:3]) in inner and name.split(".")[1] != room_of(path)
    ]
    assert inner
    assert not past, "\n".join(past)


@pytest.mark.parametrize("room", FACADES)
def test_a_facade_has_every_name_that_it_offers(room):
    facade = importlib.import_module(f"{PACKAGE.name}.{room}")
    offered = " ".join(getattr(facade, "_NAMES", {}).values()).split()
    assert len(offered) == len(set(offered))
    assert not [name for name in offered if inspect.ismodule(getattr(facade, name))]


@pytest.mark.parametrize("room", WITHOUT_PYTEST)
def test_lower_rooms_import_neither_pytest_nor_openai(room):
    single = PACKAGE / f"{room}.py"
    paths = [single] if single.exists() else sorted((PACKAGE / room).rglob("*.py"))
    found = {
        f"{path.relative_to(PACKAGE)}:{line} imports {name}"
        for path in paths
        for name, line in imported_by(path)
        if name.split(".")[0] in {"pytest", "_pytest", "openai", "xdist"}
    }
    assert paths
    assert not found


def test_every_folder_says_in_one_sentence_what_is_in_it():
    folders = {path.parent for path in PACKAGE.rglob("*.py")}
    for folder in sorted(folders):
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
        assert text, f"{folder.relative_to(ROOT)} has no docstring"
        assert text.split("\n\n")[0].endswith((".", "``")), folder


TOP_LEVEL = {
    *("pytest_compaction", "cases", "tests", "docs"),
    *("pyproject.toml", "conftest.py", "README.md", "CHANGELOG.md", "LICENSE"),
}
MADE_BY_TOOLS = {"build", "dist", "__pycache__", "PKG-INFO"}


def test_the_top_level_holds_what_was_agreed():
    found = {
        path.name
        for path in ROOT.iterdir()
        if not path.name.startswith(".") and not path.name.endswith(".egg-info")
    }
    assert found - MADE_BY_TOOLS == TOP_LEVEL


def test_no_two_files_import_each_other_in_a_circle():
    files = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
        if room_of(path) not in OUTSIDE
    }
    graph = {
        module: {
            known
            for name, _ in imported_by(path)
            for known in [name if name in files else name.rpartition(".")[0]]
            if known in files and known != module
        }
        for module, path in files.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the circle


LARGE = sorted({path.parents[1] for path in PACKAGE.rglob("*/*/*.py")} - {PACKAGE})
"""Folders that hold folders."""


@pytest.mark.parametrize("folder", LARGE, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_rooms_inside_a_room_form_no_circle(folder):
    prefix = ".".join(folder.relative_to(ROOT).parts) + "."
    graph = {}
    for path in sorted(folder.rglob("*.py")):
        inner = path.relative_to(folder).parts[0].removesuffix(".py")
        if inner != "__init__":
            graph.setdefault(inner, set()).update(
                target
                for name, _ in imported_by(path)
                if name.startswith(prefix)
                and (target := name.removeprefix(prefix).partition(".")[0]) != inner
            )
    TopologicalSorter(graph).prepare()


def test_an_import_inside_a_function_counts(tmp_path):
    low = tmp_path / "words.py"
    low.write_text("def stem():\n    from pytest_compaction.session import session\n")
    assert list(imported_by(low)) == [("pytest_compaction.session.session", 2)]
    assert FLOOR_OF["session"] > FLOOR_OF["text"]
