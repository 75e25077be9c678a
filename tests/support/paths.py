"""Folders that tests read from, and the public data that ships with them."""

import gzip
import os
import tempfile
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
CASES = ROOT / "cases"
DATA = ROOT / "tests/data"

COMMON_FOLDER = "COMPACTION_TESTS_FOLDER"
"""Environment variable: the folder that all workers of one test run share; set in conftest.py."""


def public_data(name: str) -> Path:
    """The file ``name`` of tests/data; unpacked outside the repository if it ships as NAME.gz."""
    shipped = DATA / name
    if shipped.exists():
        return shipped
    unpacked = _unpacking_folder() / name
    if not unpacked.exists():
        content = gzip.decompress(shipped.with_name(f"{shipped.name}.gz").read_bytes())
        unpacked.parent.mkdir(parents=True, exist_ok=True)
        # Several workers may unpack one file at the same time; none may see a part of it.
        partial = unpacked.with_name(f"{unpacked.name}.{os.getpid()}")
        partial.write_bytes(content)
        partial.replace(unpacked)
    return unpacked


def _unpacking_folder() -> Path:
    if COMMON_FOLDER in os.environ:
        return Path(os.environ[COMMON_FOLDER], "data")
    return Path(_own_folder().name)


@cache
def _own_folder() -> "tempfile.TemporaryDirectory[str]":
    """Outside a test run, as when the pages are measured again; removed when Python ends."""
    return tempfile.TemporaryDirectory(prefix="public-data-")
