"""Completion on the command line by argcomplete: names of strategies and values of options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from pytest_compaction.compactors import Registry

Completer = Callable[..., list[str]]
"""Called by argcomplete with the beginning of a value, and with more by name."""


def action(
    flag: str, choices: Sequence[str], usual: Literal["append", "store"]
) -> type[argparse.Action] | None:
    """The class of an option with a completer; ``None`` where files are completed, as usual."""
    completer = _one_of(choices) if choices else _COMPLETERS.get(flag)
    if completer is None:
        return None
    base = type(argparse.ArgumentParser().add_argument("--x", action=usual))
    return type(base.__name__, (base,), {"completer": staticmethod(completer)})


def strategies(prefix: str, **more: object) -> list[str]:
    """The names of strategies that go on where a value such as ``anchored,tr`` ends."""
    begun = max(prefix.rfind(sign) for sign in ",+") + 1
    names = Registry().names()
    return [f"{prefix[:begun]}{name}" for name in names if name.startswith(prefix[begun:])]


def _one_of(values: Sequence[str]) -> Completer:
    def complete(prefix: str, **more: object) -> list[str]:
        return [value for value in values if value.startswith(prefix)]

    return complete


_MODELS: Final = _one_of(("offline", "recorded"))
_COMPLETERS: Final[Mapping[str, Completer]] = {
    "--compactor": strategies,
    "--compaction-model": _MODELS,
    "--compaction-responder": _MODELS,
    "--compaction-judge": _MODELS,
    "--compaction-trigger": _one_of(("case", "auto", "adaptive", "window:", "tokens:", "turns:")),
    "--compaction-budget": _one_of(("recorded",)),
}
