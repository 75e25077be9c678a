"""The façade of a room: names that its ``__init__`` offers and that are loaded when first used."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def lazy(room: str, names: Mapping[str, str]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a room; ``names`` are those of each of its modules."""
    homes = {name: module for module, listed in names.items() for name in listed.split()}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        found = getattr(importlib.import_module(f"{room}.{homes[name]}"), name)
        setattr(sys.modules[room], name, found)
        return found

    return load
