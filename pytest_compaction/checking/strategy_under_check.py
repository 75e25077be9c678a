"""A compactor under check and the thread in which all its code runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from pytest_compaction.compactors.protocol import Compactor, CompactorError, State
from pytest_compaction.run.loops.strategy_thread import StrategyThread
from pytest_compaction.text import printable


class ContractError(Exception):
    """A method raised an error, or returned something of another type than it promises."""


@dataclass(frozen=True)
class StrategyUnderCheck:
    """One compactor and the thread in which all its code runs."""

    compactor: Compactor[State]
    thread: StrategyThread
    timeout: float

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a method; what it raises, even ``SystemExit``, breaks the contract."""
        method = partial(getattr(self.compactor, name), *arguments)
        value, error = self.thread.ended(method, self.timeout)
        if error is not None:
            raise ContractError(f"{name} raised {_said(error)}")
        return value


def _said(error: BaseException) -> str:
    """An error of a strategy in words; also ``SystemExit``, which must not end the process."""
    text = str(error) if isinstance(error, CompactorError) else f"{type(error).__name__}: {error}"
    return printable(text.removesuffix(": "), 300)
