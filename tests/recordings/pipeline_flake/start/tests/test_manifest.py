"""Manifests."""

import json

import pytest

from wright.errors import NotABundleError
from wright.manifest import Manifest
from wright.version import Version

MANIFEST = Manifest("demo", Version(1, 2, 3), "plain", {"b.rule": "22", "a.rule": "11"})


def test_round_trip():
    assert Manifest.from_text(MANIFEST.to_text()) == MANIFEST


def test_files_are_sorted():
    assert list(json.loads(MANIFEST.to_text())["files"]) == ["a.rule", "b.rule"]


def test_difference_names_added_removed_and_changed_files():
    other = Manifest("demo", Version(1, 2, 3), "plain", {"a.rule": "12", "c.rule": "33"})
    assert MANIFEST.difference(other) == ["a.rule", "b.rule", "c.rule"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"schema": 1}, "manifest schema 1; expected 2"),
        ({"name": ""}, "the manifest has no name"),
        ({"version": "one"}, "no usable version"),
        ({"files": []}, "lists no files"),
    ],
)
def test_what_is_no_manifest(change, problem):
    data = json.loads(MANIFEST.to_text()) | change
    with pytest.raises(NotABundleError, match=problem):
        Manifest.from_text(json.dumps(data))


@pytest.mark.parametrize("text", ["", "[]"])
def test_what_is_no_object(text):
    with pytest.raises(NotABundleError):
        Manifest.from_text(text)
