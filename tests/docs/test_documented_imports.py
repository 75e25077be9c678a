"""The documentation imports from the two public packages alone, and only names that they have."""

import re
import subprocess
import sys

import pytest
from support.paths import ROOT

import pytest_compaction
from pytest_compaction import compactors

PUBLIC = {package.__name__: package for package in (pytest_compaction, compactors)}
LIGHT = ("pytest_compaction.compactors.base", "pytest_compaction.models", "openai")
"""What importing a public package must not load: every pytest run imports the plugin."""

_FROM = re.compile(r"from +(pytest_compaction[\w.]*) +import +(\([^)]*\)|[^\n`]+)")
_IMPORT = re.compile(r"^[ \t]*import +(pytest_compaction[\w.]*)", re.MULTILINE)
_COMMENT = re.compile(r"#[^\n]*")


def pages():
    """The files that users read."""
    found = [ROOT / name for name in ("README.md", "cases/README.md")]
    return [*found, *sorted((ROOT / "docs").glob("**/*.md"))]


def faults(text):
    """The imports of a page that its reader must not rely on, one sentence each."""
    found = [f"{module} is not public" for module in _IMPORT.findall(text) if module not in PUBLIC]
    for module, imported in _FROM.findall(text):
        if module not in PUBLIC:
            found.append(f"{module} is not public")
            continue
        names = _COMMENT.sub("", imported).strip("() \n").split(",")
        own = (name.split(" as ")[0].strip() for name in names)
        found += [
            f"{module} has no {name}" for name in own if name and name not in PUBLIC[module].__all__
        ]
    return found


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_imports_public_names_only(page):
    assert faults(page.read_text("utf-8")) == []


def test_the_readme_shows_an_import():
    assert _FROM.findall((ROOT / "README.md").read_text("utf-8"))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "from pytest_compaction.compactors.base.history import dump",
            "pytest_compaction.compactors.base.history is not public",
        ),
        ("import pytest_compaction.run.engine as e", "pytest_compaction.run.engine is not public"),
        (
            "from pytest_compaction.compactors import (\n    dump,  # JSON\n    dumped,\n)",
            "pytest_compaction.compactors has no dumped",
        ),
    ],
)
def test_an_import_that_is_not_public_is_a_fault(text, fault):
    assert faults(text) == [fault]


def test_a_public_import_is_no_fault():
    several = (
        "from pytest_compaction.compactors import (\n    HistoryCompactor,\n    dump,  # JSON\n)"
    )
    assert faults(f"{several}\nfrom pytest_compaction import Case as C, Probe") == []


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_every_public_name_is_there(name):
    package = PUBLIC[name]
    assert all(getattr(package, each) is not None for each in package.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = package.nothing


def test_a_name_of_both_packages_is_the_same_thing():
    shared = {*pytest_compaction.__all__} & {*compactors.__all__}
    assert "Outcome" in shared
    assert all(getattr(pytest_compaction, name) is getattr(compactors, name) for name in shared)


def test_the_docstring_describes_every_name_for_strategies_once():
    described = re.findall(r"^ {4}``(\w+)``: ", compactors.__doc__, re.MULTILINE)
    assert sorted(described) == sorted(compactors.__all__)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_package_loads_its_names_only_when_they_are_used(name):
    loaded = subprocess.run(
        [sys.executable, "-c", f"import sys, {name}; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert not [module for module in loaded if module.startswith(LIGHT)]
