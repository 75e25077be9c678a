"""Patterns that are made of foreign text, or that stand in data of the package, are linear too."""

import json
import re
from importlib import resources

import pytest
from support.adversarial_texts import Repeated, texts_for
from support.package_patterns import Used
from support.pattern_time import SIZES, growth, runner

from pytest_compaction.artifacts.file_states import EVERY_PATH, FileOperation
from pytest_compaction.artifacts.known_files import _LONGEST_PATTERN, EditOutcome, KnownFiles
from pytest_compaction.artifacts.shell.programs import Effect
from pytest_compaction.case_making.known_secrets import KnownSecrets
from pytest_compaction.probes.test_commands import runs_tests
from pytest_compaction.text.contradiction.denials import _named_others
from pytest_compaction.text.file_changes.changes import folder_gone

QUICK = (256, 2048, 16384)
SECRET = "sk-live-4f9Q2mZ7xV1nB8kL"


READERS = {
    "a removed folder": lambda text: folder_gone(text, "src/old", "deleted"),
    "a renamed folder": lambda text: folder_gone(text, "src/old", "renamed"),
    "a folder of a long name": lambda text: folder_gone("rm " + text, text[:200], "deleted"),
    "a broken secret": lambda text: KnownSecrets({SECRET: "[1]"}).places(text),
    "a command": lambda text: runs_tests(text.split(" ")),
    "the beginning of a clause": _named_others,
}
UNITS = (
    *("rm ", "git rm ", "mv ", "mv -f ", "rm -r src/old", "a/", "of a ", "and of a, ", "npx "),
    *(SECRET[:12], "\\n".join(SECRET[:12]), "sk-", "python -m ", "timeout -k ", "/test_", " "),
)


@pytest.mark.parametrize("name", READERS)
def test_a_pattern_made_of_foreign_text_is_linear(name):
    texts = [Repeated(start, unit, "\0") for unit in UNITS for start in ("", "python ", "rm ")]
    grown = {text: growth(READERS[name], text, QUICK) for text in texts}
    assert {text: found for text, found in grown.items() if found} == {}


def schema_patterns(data):
    """The patterns within a JSON Schema."""
    if isinstance(data, dict):
        if isinstance(data.get("pattern"), str):
            yield data["pattern"]
        for value in data.values():
            yield from schema_patterns(value)
    elif isinstance(data, list):
        for value in data:
            yield from schema_patterns(value)


def patterns_in_data():
    package = resources.files("pytest_compaction")
    prices = json.loads(package.joinpath("models/calls/cache_prices.json").read_text("utf-8"))
    for provider in prices["providers"]:
        yield from (family["models"] for family in provider["families"])
    with resources.as_file(package) as folder:
        for path in sorted(folder.rglob("*.schema.json")):
            yield from schema_patterns(json.loads(path.read_text("utf-8")))


def test_patterns_in_data_of_the_package_are_linear():
    found = sorted(set(patterns_in_data()))
    assert len(found) > 3
    for pattern in found:
        used = Used(pattern, re.compile(pattern), frozenset({"search"}))
        for text in texts_for(used.pattern, 16):
            assert growth(runner(used), text, SIZES[:4]) is None, (pattern, text)


def test_a_long_pattern_of_a_command_puts_all_files_in_doubt():
    """The standard library takes the square of its length to read a pattern of open brackets."""
    files = KnownFiles()
    for path in ("a.py", "b.txt"):
        files.note(FileOperation(path, "created", "m1"))
    outcome = EditOutcome("m2", "", True)

    def doubted(pattern):
        return [done.path for done in files.apply(Effect(unsettled=pattern), outcome)]

    assert doubted("*.py") == ["a.py"]
    assert doubted("*.py" + "[" * _LONGEST_PATTERN) == [EVERY_PATH]
