"""What is wrong with a file when reading it raised an error that no importer foresaw."""

from __future__ import annotations

import gzip
import lzma
import struct
import tarfile
import zipfile
import zlib
from typing import Final

_PACKED: Final = (
    zipfile.BadZipFile, zipfile.LargeZipFile, tarfile.TarError, gzip.BadGzipFile, zlib.error,
    lzma.LZMAError, EOFError, struct.error,
)  # fmt: skip
_ZSTANDARD: Final = ("ZstdError",)
"""By name: the class is in the standard library since 3.14, and in several packages before."""


def fault_of_file(error: BaseException) -> str | None:
    """What is wrong with the file and what to do; ``None`` if it is the importer that failed."""
    if isinstance(error, _PACKED) or type(error).__name__ in _ZSTANDARD:
        return (
            f"a broken archive or compressed file ({error or type(error).__name__}); copy it again"
        )
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not {error.encoding.upper()}; write the file again"
    if isinstance(error, RecursionError):
        return "nested too deeply; fix the file"
    if isinstance(error, MemoryError):
        return "too large for the memory of this machine; import a part of it"
    return None
