"""Which version of the reader of texts this is: runs of different readers are read again."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib import metadata, resources
from importlib.resources.abc import Traversable
from typing import Final

_ROOMS: Final = ("text", "metrics/readings.py", "metrics/dimensions.py", "rubric.py")
"""The code that reads and scores a view."""
_DIGITS: Final = 12


@cache
def reader_version() -> str:
    """A hash of the code that reads facts in texts, and of the stemmer's version."""
    found = hashlib.sha256(metadata.version("snowballstemmer").encode())
    package = resources.files(__package__.partition(".")[0])
    for name in _ROOMS:
        _take_in(found, package.joinpath(*name.split("/")))
    return found.hexdigest()[:_DIGITS]


def _take_in(found: hashlib._Hash, place: Traversable) -> None:
    if place.is_dir():
        for each in sorted(place.iterdir(), key=lambda each: each.name):
            if each.is_dir() or each.name.endswith((".py", ".txt")):
                _take_in(found, each)
        return
    content = place.read_bytes().replace(b"\r\n", b"\n")
    found.update(f"{place.name} {len(content)}\n".encode())
    found.update(content)
