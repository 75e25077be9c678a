"""The process at the other end: it calls functions one after the other, as it is told."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

from pytest_compaction.rule_processes.pipe import HeldName, receive, send
from pytest_compaction.rule_processes.python_process import begin_process


@dataclass(frozen=True, slots=True)
class Hold:
    """Hold a value under a name, in place of those held under the names ``instead``."""

    name: str
    value: Any
    instead: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Work:
    """Call a function."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Made:
    """What a function returned."""

    result: Any


@dataclass(frozen=True, slots=True)
class Raised:
    """The function raised something. Who asked calls it again, where that can be reported."""


def serve(told: IO[bytes], replies: IO[bytes]) -> None:
    """Do what is told until the other end is closed."""
    held: dict[str, Any] = {}
    while True:
        try:
            one = receive(told)
        except EOFError:
            return
        if isinstance(one, Hold):
            for name in one.instead:
                held.pop(name, None)
            held[one.name] = one.value
        else:
            send(replies, _done(one, held))


def _done(work: Work, held: dict[str, Any]) -> Made | Raised:
    arguments = [held[a.name] if isinstance(a, HeldName) else a for a in work.arguments]
    try:
        return Made(work.function(*arguments))
    except Exception:
        return Raised()


def main() -> None:
    """Serve the process that started this one, through standard input and output."""
    begin_process()
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that is printed gets between the replies
    try:
        serve(sys.stdin.buffer, replies)
    except OSError:  # who asked has gone
        os._exit(1)
