"""The members of an ``.eval`` archive, unpacked within bounds.

Newer versions of Inspect compress archives with Zstandard. Python reads it since 3.14; before,
it needs ``zipfile-zstd``, on which inspect-ai depends. A few bytes of an archive can unpack to
gigabytes, and a few bytes of JSON can take a hundred in memory: both are looked at first.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pytest_compaction.importers.json_files import MAX_HELD_BYTES, parsed
from pytest_compaction.importers.protocol import ImportFormatError
from pytest_compaction.text import printable

MAX_VALUES: Final = 3_000_000
"""Values in the JSON of a sample: each takes up to a hundred bytes, however short it is."""
MAX_RATIO: Final = 200
"""A sample that unpacks to more than so many times its size was not written by Inspect: its
texts come to a tenth or a fiftieth."""
_SMALL: Final = 4 * 1024 * 1024
"""Bytes that may be unpacked whatever they were packed to."""
_PIECE: Final = 4096
"""Bytes read at once; what one piece unpacks to is not bounded for every compression."""
_ZSTANDARD: Final = 93
_COMPRESSIONS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD})
_BROKEN: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, OSError, RuntimeError, EOFError, ValueError
)  # fmt: skip
"""What reading a damaged archive raises, an encrypted one included."""
_STRUCTURE: Final = re.compile(rb"[\[{,]")
_TEXT: Final = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.S)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive at a path; raises :class:`ImportFormatError` for one that is broken."""
    # Importing it teaches zipfile to read Zstandard; most archives do without.
    with contextlib.suppress(ImportError):
        importlib.import_module("zipfile_zstd")
    try:
        archive = zipfile.ZipFile(path)
    except (*_BROKEN, NotImplementedError) as error:
        raise ImportFormatError(f"{path}: a broken archive ({error}); copy it again") from None
    with archive:
        yield archive


def member(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    """The JSON value of a member; raises :class:`ImportFormatError` for what cannot be held."""
    place = f"{path}, {printable(name)}"
    info = archive.getinfo(name)
    _refuse_large(info, place)
    try:
        with archive.open(info) as file:
            pieces = iter(lambda: file.read(_PIECE), b"")
            raw = _joined(pieces, info.file_size, place)
    except NotImplementedError:
        raise ImportFormatError(
            f"{path}: compressed with Zstandard, which needs the package zipfile-zstd here; "
            "install it (it comes with inspect-ai), or write the log as JSON with "
            "'inspect log convert --to json'"
        ) from None
    except ImportFormatError:
        raise
    except _BROKEN as error:
        raise ImportFormatError(
            f"{place}: cannot be unpacked ({type(error).__name__}: {printable(str(error))}); "
            "copy it again"
        ) from None
    _refuse_many_values(raw, place)
    return parsed(raw, place, "write the log again")


def _refuse_large(info: zipfile.ZipInfo, place: str) -> None:
    """Raise for a member that says itself that it is too large, or of an unknown compression."""
    size, packed = info.file_size, info.compress_size
    if size > MAX_HELD_BYTES:
        raise ImportFormatError(
            f"{place}: {size / 1024**2:.0f} MB; a sample may have at most "
            f"{MAX_HELD_BYTES // 1024**2} MB; remove it from the archive"
        )
    if size > max(_SMALL, packed * MAX_RATIO):
        raise ImportFormatError(
            f"{place}: {packed:,} bytes that would unpack to {size / 1024**2:.0f} MB; no log is "
            f"packed to less than a {MAX_RATIO}th of its size; remove it from the archive"
        )
    if info.compress_type not in _COMPRESSIONS:
        raise ImportFormatError(
            f"{place}: compressed in a way that Inspect does not use (method "
            f"{info.compress_type}); write the log again with Inspect"
        )


def _joined(pieces: Iterator[bytes], size: int, place: str) -> bytes:
    """The pieces of a member in one, as long as they come to no more than it declares."""
    raw = bytearray()
    for piece in pieces:
        raw += piece
        if len(raw) > size:
            raise ImportFormatError(
                f"{place}: unpacks to more than the {size:,} bytes that it declares; copy it again"
            )
    return bytes(raw)


def _refuse_many_values(raw: bytes, place: str) -> None:
    """Raise for JSON of so many values that they would take many times its length."""
    if sum(map(raw.count, (b"[", b"{", b","))) <= MAX_VALUES:
        return
    values = sum(1 for _ in _STRUCTURE.finditer(_TEXT.sub(b"", raw)))
    if values > MAX_VALUES:
        raise ImportFormatError(
            f"{place}: {values:,} values in {len(raw) / 1024**2:.0f} MB of JSON; a sample may "
            f"have at most {MAX_VALUES:,}; remove it from the archive"
        )
