"""Dataclasses as JSON, and back: an object of JSON names its type and holds its members."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any


class DataclassJson:
    """Writes values made of these types, numbers, texts, tuples, lists and mappings by text."""

    def __init__(self, *types: type[Any]) -> None:
        self._types = {each.__name__: each for each in types}

    def as_json(self, value: Any) -> Any:
        """The value as JSON. Raises ``TypeError`` for a value of another type."""
        if value is None or isinstance(value, str | int | float):
            return value
        if isinstance(value, list):
            return [self.as_json(each) for each in value]
        if isinstance(value, tuple):
            return {"tuple": [self.as_json(each) for each in value]}
        if isinstance(value, Mapping):
            return {"map": {str(name): self.as_json(each) for name, each in value.items()}}
        name = type(value).__name__
        if self._types.get(name) is not type(value):
            raise TypeError(f"cannot write {name}")
        return {name: {key: self.as_json(each) for key, each in self.members(value).items()}}

    def from_json(self, sent: Any) -> Any:
        """The value that was written; raises ``KeyError``, ``TypeError`` or ``ValueError``."""
        if isinstance(sent, list):
            return [self.from_json(each) for each in sent]
        if not isinstance(sent, dict):
            return sent
        ((name, inner),) = sent.items()
        if name == "tuple":
            return tuple(map(self.from_json, inner))
        members = {key: self.from_json(each) for key, each in inner.items()}
        return members if name == "map" else self.made(self._types[name], members)

    def members(self, value: Any) -> dict[str, Any]:
        """What a dataclass is made of."""
        return {each.name: getattr(value, each.name) for each in fields(value) if each.init}

    def made(self, type: type[Any], members: dict[str, Any]) -> Any:
        """The dataclass that is made of these."""
        return type(**members)
