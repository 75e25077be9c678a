"""Whether a text names a file or a command by which something can be read again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import names_command, names_path


@pytest.mark.parametrize(
    ("text", "path", "named"),
    [
        ("see src/lib/a.py", "src/lib/a.py", True),
        ("see lib/a.py.", "src/lib/a.py", True),
        ("see /home/me/src/lib/a.py:12", "src/lib/a.py", True),
        ("see ./lib/a.py", "/work/src/lib/a.py", True),
        ("see a.py", "src/lib/a.py", False),
        ("see other/a.py", "src/lib/a.py", False),
        ("see mylib/a.py", "src/lib/a.py", False),
        ("see lib/a.pyc", "src/lib/a.py", False),
        ("see lib/a.py/b", "src/lib/a.py", False),
        ("see lib/a.py.orig", "src/lib/a.py", False),
        ("the Makefile says", "Makefile", True),
        ("the Makefiles say", "Makefile", False),
        ("`notes.md`", "notes.md", True),
        ("docs/notes.md", "notes.md", True),
        ("anything", "/", False),
        ("anything", "", False),
    ],
)
def test_a_path_is_named_by_its_last_folder_and_its_name(text, path, named):
    assert names_path(text, path) is named


@pytest.mark.parametrize(
    ("text", "command", "named"),
    [
        ("ran pytest -q tests", "pytest -q tests", True),
        ("ran `pytest -q tests`, red", "pytest -q tests", True),
        ("ran pytest -q tests/unit", "pytest -q tests", False),
        ("ran mypytest -q tests", "pytest -q tests", False),
        ("$ make", "make", True),
        ("`make` failed", "make", True),
        ("bash make", "make", True),
        ("make the tests pass", "make", False),
        ("anything", " ", False),
    ],
)
def test_a_command_of_one_word_is_named_only_as_code(text, command, named):
    assert names_command(text, command) is named


@given(st.text(max_size=60), st.text(max_size=20))
def test_a_command_in_backticks_is_named_whatever_stands_around_it(text, name):
    assert names_path(text, name) in {True, False}
    assert names_command(f"{text}\n`{name.strip()}`", name) is bool(name.strip())
