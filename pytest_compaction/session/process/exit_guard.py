"""What ends the process of a run from Python, before pytest does, is not green.

Nothing here sees a library of C that ends the process.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn


@dataclass(frozen=True, slots=True)
class End:
    """An end with an exit code while ``item`` ran, which is empty before the first one."""

    code: int
    item: str


class ExitGuard:
    """Stands before the functions that end a process at once, until :meth:`lift`.

    All others of :mod:`os` that do so, such as ``execlp``, call one of these three.
    In the process that made it they print ``explain`` and end the process with a code that is not
    0, unless pytest came to its end with 0 before. Processes that it forks are free to end.
    """

    def __init__(self, explain: Callable[[End], str]) -> None:
        self._explain = explain
        self._process = os.getpid()
        self._item = ""
        self._code: int | None = None
        self._before: dict[str, Callable[..., Any]] = {}
        self._stderr: int | None = None
        with contextlib.suppress(OSError):  # pytest redirects the other one while an item runs
            self._stderr = os.dup(2)
        guarded = {"_exit": self._exit, "execv": self._execv, "execve": self._execve}
        for name, function in guarded.items():
            self._before[name] = getattr(os, name)
            setattr(os, name, function)

    def begin(self, item: str) -> None:
        """Note which item runs."""
        self._item = item

    def end(self, code: int) -> None:
        """Note that pytest came to its end, with this exit code."""
        self._code = code

    def refuse(self, error: SystemExit) -> None:
        """Give an exit before the end of pytest a code that is not 0."""
        if self._code is None:
            self._say(error.code if isinstance(error.code, int) else int(bool(error.code)))
            error.code = error.code or 1

    def lift(self) -> None:
        """Put the functions back that were there before."""
        for name, function in self._before.items():
            setattr(os, name, function)
        if self._stderr is not None:
            os.close(self._stderr)
            self._stderr = None

    def _exit(self, status: int) -> NoReturn:
        if self._is_here and self._code is None:
            self._say(status)
            status = status or 1
        self._before["_exit"](status or (self._code or 0 if self._is_here else 0))
        raise AssertionError

    def _execv(self, path: Any, arguments: Any) -> NoReturn:
        self._refuse_exec()
        self._before["execv"](path, arguments)
        raise AssertionError

    def _execve(self, path: Any, arguments: Any, env: Mapping[Any, Any]) -> NoReturn:
        self._refuse_exec()
        self._before["execve"](path, arguments, env)
        raise AssertionError

    def _refuse_exec(self) -> None:
        """End the process where another program would take its place and its exit code."""
        if self._is_here:
            self._exit(self._code or 0)

    @property
    def _is_here(self) -> bool:
        return os.getpid() == self._process

    def _say(self, status: int) -> None:
        if self._stderr is not None:
            text = f"\n{self._explain(End(status, self._item))}\n"
            with contextlib.suppress(OSError):
                os.write(self._stderr, text.encode("utf-8", "replace"))
