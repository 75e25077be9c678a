"""Finding a model by name."""

from __future__ import annotations

from pytest_compaction.models.offline import NAME, OfflineModel
from pytest_compaction.models.protocol import Model
from pytest_compaction.tokens import TokenCounter


class UnknownModelError(LookupError):
    """There is no such model; the text says which there are."""


def create_model(name: str, tokens: TokenCounter) -> Model:
    """The model of that name, or :class:`UnknownModelError`."""
    if name == NAME:
        return OfflineModel(tokens)
    raise UnknownModelError(
        f"unknown model {name!r}; this version has {NAME!r} only (deterministic rules, no network)"
    )
