"""The errors of a strategy: said by one item for all of a case, with a traceback where asked."""

from __future__ import annotations

from typing import Any, Final

import pytest

from pytest_compaction.records.record import Record
from pytest_compaction.run.loops.strategy_thread import is_users

_SAID: Final = pytest.StashKey[dict[tuple[Any, ...], str]]()
"""Which item has said what is wrong, by case, strategy and text."""
_WHOLE: Final = frozenset({"long", "native"})
"""Values of ``--tb`` that ask for the traceback."""


def said_before(node: pytest.Item, record: Record, text: str) -> str | None:
    """The name of another item of the same case that failed with the same text, if one did.

    The items of a case run in one process.
    """
    arm = tuple(record.get(name) for name in ("case", "compactor", "trial", "budget"))
    first = node.config.stash.setdefault(_SAID, {}).setdefault((*arm, text), node.name)
    return first if first != node.name else None


def traceback_of(node: pytest.Item, failure: BaseException, lines: list[str]) -> Any:
    """The traceback of what the strategy raised, from its own code on, as pytest shows it.

    ``None`` if nobody asked for it, or if the strategy raised nothing. ``lines`` say what went
    wrong in sentences. With ``--full-trace`` it begins where the strategy was called.
    """
    style = node.config.getoption("tbstyle", "auto")
    whole = bool(node.config.getoption("fulltrace", False))
    cause = failure.__cause__
    if cause is None or cause.__traceback__ is None or not (whole or style in _WHOLE):
        return None
    info = pytest.ExceptionInfo.from_exception(cause)
    if not whole:
        places = [n for n, entry in enumerate(info.traceback) if is_users(str(entry.path))]
        info.traceback = info.traceback[places[0] :] if places else info.traceback
    shown: Any = info.getrepr(style=style if style in _WHOLE else "long", tbfilter=False)
    if shown.reprcrash is not None:
        shown.reprcrash.message = lines[0]
    shown.addsection("compaction", "\n".join(lines))
    return shown
