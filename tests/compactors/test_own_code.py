"""Objects of the user: found by module, by names joined by points, and by file."""

import sys

import pytest
from support.compositions import create, refusal

from pytest_compaction.compactors import module_named

INSIDE = """
from .parts import newest


def compact(messages):
    return newest(messages)


class Summary:
    def compact(self, messages):
        return newest(messages)
"""
LOOSE = """
from beside import newest


def compact(messages, budget):
    return newest(messages)
"""
DECORATED = """
import functools


class Summary:
    @functools.cache
    def compact(self, messages):
        return messages[-1:]
"""
NEWEST = "def newest(messages):\n    return messages[-1:]\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A package ``package_of_mine`` and a folder with two files that are in none."""
    for place, text in {
        "package_of_mine/__init__.py": "",
        "package_of_mine/parts.py": NEWEST,
        "package_of_mine/strategy.py": INSIDE,
        "loose/beside.py": NEWEST,
        "loose/a_loose_one.py": LOOSE,
        "loose/json.py": LOOSE,
        "leaving_package/__init__.py": "raise SystemExit(0)\n",
        "skipping_package/__init__.py": "import pytest\n\npytest.skip('not here')\n",
        "decorated.py": DECORATED,
        "loose/raises.py": "raise RuntimeError('out of order')\n",
    }.items():
        file = tmp_path / place
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("target", "module"),
    [
        ("package_of_mine.strategy:compact", "package_of_mine.strategy"),
        ("package_of_mine.strategy.compact", "package_of_mine.strategy"),
        ("package_of_mine.strategy.Summary.compact", "package_of_mine.strategy"),
        ("package_of_mine/strategy.py:compact", "package_of_mine.strategy"),
        ("package_of_mine/strategy.py::compact", "package_of_mine.strategy"),
        ("./package_of_mine/strategy.py:Summary", "package_of_mine.strategy"),
        ("loose/a_loose_one.py:compact", "a_loose_one"),
        ("loose/json.py:compact", "_json_"),
        ("decorated.Summary.compact", "decorated"),
    ],
)
def test_a_strategy_is_found(project, target, module):
    made = create(target)
    assert made.arguments.form in {"f(messages)", "f(messages, budget)"}
    assert module_named(target.replace("::", ":")).startswith(module)
    import json

    assert hasattr(json, "loads")


def test_a_whole_path_works_from_anywhere(project, monkeypatch):
    monkeypatch.chdir(project / "loose")
    assert create(f"{project}/package_of_mine/strategy.py:compact").arguments.form == "f(messages)"
    assert create("a_loose_one.py:compact").arguments.form == "f(messages, budget)"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("leaving_package.strategy.compact", "SystemExit: 0"),
        ("skipping_package.strategy.compact", "Skipped: not here"),
        (r"C:\my code\loose.py:compact", r"there is no file 'C:\\my code\\loose.py'"),
        ("D:/loose.py::compact:keep=2", "there is no file 'D:/loose.py'"),
        ("package_of_mine.strategy:Summary.compct", "the class 'package_of_mine.strategy.Summary'"),
        ("package_of_mine.strategy", "is a module; name what is in it"),
        ("loose/a_loose_one.py", "is a module; name what is in it: loose/a_loose_one.py:compact"),
        ("package_of_mine.strategy.compct", "has no 'compct'; did you mean 'compact'?"),
        ("loose/a_loose_one.py:compct", "has no 'compct'; did you mean 'compact'?"),
        ("loose/nowhere.py:compact", "there is no file 'loose/nowhere.py'; its path counts from"),
        ("loose/raises.py:compact", "RuntimeError: out of order"),
        (
            "no_such_package.strategy.compact",
            "unknown compactor 'no_such_package.strategy.compact'",
        ),
    ],
)
def test_what_is_not_there_is_said(project, target, said):
    assert said in refusal(target)
