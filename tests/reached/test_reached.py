"""The command that runs what a change can reach: what it notes, and what it chooses."""

import json
import os
import subprocess
import sys

import pytest

from tests.reached.__main__ import within
from tests.reached.reach import ROOT, Sources, distribution, parts_of, selected
from tests.reached.start.sitecustomize import BYTES, PLACES

MODULE = """
LIMIT = 3

def first(count=LIMIT):
    return count + 1

class Second:
    def first(self):
        return LIMIT
"""


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ("count + 1", "count + 2", {"first.1"}),
        ("return LIMIT", "return 0", {"first.2"}),
        ("count=LIMIT", "count=4", {""}),
        ("LIMIT = 3", "LIMIT = 4", {""}),
        ("\ndef first", "\n# a remark\ndef first", set()),
        ("class Second", "def third():\n    pass\n\nclass Second", {"third.1", ""}),
    ],
)
def test_a_change_is_of_a_function_or_of_what_stands_around(old, new, changed):
    before, after = parts_of(MODULE), parts_of(MODULE.replace(old, new))
    assert {p for p in before | after if before.get(p) != after.get(p)} == changed


def test_what_a_process_enters_is_noted_by_function_even_if_it_is_killed(tmp_path):
    path = "pytest_compaction/folders.py"
    names = [name for name in parts_of((ROOT / path).read_text()) if name]
    (tmp_path / "bytes").write_bytes(bytes(len(names)))
    (tmp_path / "places").write_text(json.dumps({str(ROOT / path): 0}))
    environment = os.environ | {
        BYTES: str(tmp_path / "bytes"),
        PLACES: str(tmp_path / "places"),
        "PYTHONPATH": os.pathsep.join([str(ROOT / "tests/reached/start"), str(ROOT)]),
        "PYTHONPYCACHEPREFIX": str(tmp_path),
    }
    code = (
        "import os, pathlib, pytest_compaction.folders as folders\n"
        "folders._is_old(pathlib.Path('.'))\n"
        "os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], env=environment, check=False)
    entered = (tmp_path / "bytes").read_bytes()
    assert [name for name, byte in zip(names, entered, strict=True) if byte] == ["_is_old.1"]


LOW, HIGH, DATA = (f"pytest_compaction/{name}" for name in ("low.py", "high.py", "words.txt"))
TEXTS = {
    LOW: MODULE + 'WORDS = "words.txt"\n',
    HIGH: "from pytest_compaction.low import LIMIT\n\ndef use():\n    return LIMIT\n",
    "tests/support/shared.py": "",
    "tests/test_low.py": "from support.shared import x\n",
    "tests/test_high.py": "",
    "tests/test_other.py": "",
}
NAMES = [f"{LOW}:first.1", f"{HIGH}:use.1"]
TESTS = {
    "tests/test_low.py::test_first": {"entered": [0], "seconds": 2},
    "tests/test_low.py::test_nothing": {"entered": [], "seconds": 2},
    "tests/test_high.py::test_use": {"entered": [1], "seconds": 2},
    "tests/test_other.py::test_nothing": {"entered": [], "seconds": 2},
}


def sources(changed):
    texts = TEXTS | {path: text for path, text in changed.items() if path.endswith(".py")}
    parts = {path: {"": text} for path, text in (TEXTS | {DATA: ""} | changed).items()}
    return Sources(parts | {path: parts_of(texts[path]) for path in (LOW, HIGH)}, texts)


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ({}, set()),
        ({LOW: TEXTS[LOW].replace("count + 1", "0")}, {"low.py::test_first"}),
        ({LOW: TEXTS[LOW].replace("= 3", "= 4")}, {"low.py::test_first", "high.py::test_use"}),
        ({HIGH: TEXTS[HIGH].replace("return LIMIT", "return 1")}, {"high.py::test_use"}),
        ({DATA: "more words"}, {"low.py::test_first", "high.py::test_use"}),
        (
            {"tests/support/shared.py": "x = 2"},
            {"low.py::test_first", "low.py::test_nothing"},
        ),
        ({"tests/test_other.py": "x = 2"}, {"other.py::test_nothing"}),
        ({"tests/test_new.py": ""}, {"new.py"}),
    ],
)
def test_a_change_chooses_the_tests_that_enter_it_or_whose_files_import_it(changed, chosen):
    state = {"parts": sources({}).parts, "tests": TESTS, "names": NAMES, "failed": []}
    found = selected(sources(changed), state)
    assert set(found) == {f"tests/test_{id}" for id in chosen}
    state["failed"] = ["tests/test_other.py::test_nothing"]
    assert selected(sources(changed), state).keys() == found.keys() | {*state["failed"]}


def test_the_wait_after_a_change_is_that_of_the_tests_that_enter_it():
    waits = distribution(sources({}), {"tests": TESTS, "names": NAMES})
    assert waits["modules"] == {LOW: 2, HIGH: 2}
    assert waits["functions"] == {NAMES[0]: 2, f"{LOW}:first.2": 0, NAMES[1]: 2}


def test_within_a_limit_the_tests_that_enter_least_come_first():
    chosen = dict.fromkeys(TESTS, "why")
    taken, left = within(4, chosen, TESTS)
    assert all(not TESTS[id]["entered"] for id in taken)
    assert len(taken) == len(left) == 2
