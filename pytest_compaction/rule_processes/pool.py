"""Functions called in processes of their own, as many as there are processors to spare.

Python does one thing at a time in a process. While a run waits for models, its rules would keep
replies from being taken and requests from being sent; offline they are all there is to do. What
they do needs neither pytest nor the user's code, so another process can do it.
"""

from __future__ import annotations

import heapq
import os
import subprocess
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError, Future, InvalidStateError
from contextlib import suppress
from itertools import count
from typing import Any, Final, TypeVar

from pytest_compaction.rule_processes import process as process_of_rules
from pytest_compaction.rule_processes.pipe import Held, HeldName, receive, send
from pytest_compaction.rule_processes.process import Hold, Made, Work
from pytest_compaction.rule_processes.python_process import start_process, wait_for_end

T = TypeVar("T")

MOST: Final = 8
"""The most processes that are started without being asked for."""
HERE_FIRST: Final = 16
"""Calls that are left to the caller before any process is started, which costs as much."""
BUSY: Final = 24
"""Calls that wait for a process, beyond which it is busy; about those of two cases."""
_MOST_PLACES: Final = 1024
"""Places of which is remembered who is called there."""
_MOST_HELD: Final = 8
"""Large values that a process holds at a time."""


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1


def processes_to_spare(environment: Mapping[str, str]) -> int:
    """How many processors are left beside this process and the other workers of pytest-xdist."""
    given = environment.get("PYTEST_XDIST_WORKER_COUNT", "")
    workers = int(given) if given.isdecimal() and int(given) else 1
    return min(MOST, max(0, (processors() - workers) // workers))


class RuleProcesses:
    """Calls functions elsewhere. With a ``number`` of 0 everything is left to the caller.

    A function is called in the process that ``place`` leads to, so that what it remembers is of
    use for the next call with the same. A process that dies is not started again: its calls
    are made in this one. Threads may share it.
    """

    def __init__(self, number: int = 0) -> None:
        self._number = number
        self._left = HERE_FIRST
        self._left_places: OrderedDict[str, bool] = OrderedDict()
        self._processes: dict[int, _Process] = {}
        self._closed = False
        self._lock = threading.Lock()

    @property
    def number(self) -> int:
        """The processes that there are at most."""
        return self._number

    def call(
        self,
        place: str,
        function: Callable[..., T],
        *arguments: Any,
        urgent: bool = False,
        helps: bool = False,
    ) -> Future[T] | None:
        """Have a function of a module called; ``None`` leaves it to the caller to call it.

        Calls that are ``urgent`` go before all others, which keep their order. A caller that
        ``helps`` has nothing else to do, and is left all calls for a place if its process is busy
        when the first of them is made. A :class:`Held` argument is sent to a process only once.
        The future is cancelled when the processes are closed.
        """
        with self._lock:
            self._left -= 1
            if not self._number or self._left >= 0 or self._closed:
                return None
            number = zlib.crc32(place.encode()) % self._number
            if number not in self._processes:
                self._processes[number] = _Process()
            process = self._processes[number]
            if helps and self._is_left(place, process):
                return None
            return process.add(function, arguments, urgent)

    def _is_left(self, place: str, process: _Process) -> bool:
        """Whether the calls for a place are left to the caller."""
        if place not in self._left_places:
            while len(self._left_places) >= _MOST_PLACES:
                self._left_places.popitem(last=False)
            self._left_places[place] = process.waiting > BUSY
        return self._left_places[place]

    def help(self) -> bool:
        """Make the last of the calls that wait for a process here; false if none waits.

        For a caller that waits for one of the first, and has nothing else to do.
        """
        with self._lock:
            processes = list(self._processes.values())
        return any(process.help() for process in processes)

    def close(self) -> None:
        """Let the processes end when they have done what they do; may be called again."""
        with self._lock:
            self._closed = True
            processes = list(self._processes.values())
        for process in processes:
            process.close()


class _Process:
    """One process, and the thread that tells it what to do and waits for it."""

    def __init__(self) -> None:
        self._order = count()
        self._waiting: list[tuple[int, int, Future[Any], Work]] = []
        self._changed = threading.Condition()
        self._closed = False
        self._busy: subprocess.Popen[bytes] | None = None
        self._held: OrderedDict[str, None] = OrderedDict()
        self._thread = threading.Thread(target=self._run, name="compaction-rules", daemon=True)
        self._thread.start()

    def add(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], urgent: bool
    ) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            work = Work(function, arguments)
            heapq.heappush(self._waiting, (not urgent, next(self._order), future, work))
            self._changed.notify()
        return future

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def help(self) -> bool:
        with self._changed:
            if not self._waiting:
                return False
            last = max(self._waiting, key=lambda one: one[:2])
            self._waiting.remove(last)
            heapq.heapify(self._waiting)
        _, _, future, work = last
        here: Future[Any] = Future()
        _call_here(here, work)
        error = here.exception()
        if error is not None and not isinstance(error, Exception):
            self._put_back(last)  # Ctrl-C or a time limit of pytest: it is not the call's error
            raise error
        with suppress(InvalidStateError):  # cancelled meanwhile
            if error is None:
                future.set_result(here.result())
            else:
                future.set_exception(error)
        return True

    def _put_back(self, one: tuple[int, int, Future[Any], Work]) -> None:
        with self._changed:
            if self._closed:
                one[2].cancel()
            else:
                heapq.heappush(self._waiting, one)
                self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed = True
            waiting, self._waiting = self._waiting, []
            if self._busy is not None:
                self._busy.kill()  # nobody waits for what it does
            self._changed.notify()
        for _, _, future, _ in waiting:
            future.cancel()
        self._thread.join()

    def _run(self) -> None:
        process = start_process(
            process_of_rules.__name__, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        while (one := self._next(process)) is not None:
            future, work = one
            if not future.set_running_or_notify_cancel():
                continue
            try:
                made = self._made(process, work)
            except Exception:  # it has gone, or what it was to be told cannot be sent
                made = None
            finally:
                with self._changed:
                    self._busy = None
            if isinstance(made, Made):
                future.set_result(made.result)
            elif self._closed:
                future.set_exception(CancelledError())
            else:
                _call_here(future, work)
        _end(process)

    def _next(self, process: subprocess.Popen[bytes] | None) -> tuple[Future[Any], Work] | None:
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            if self._closed:
                return None
            _, _, future, work = heapq.heappop(self._waiting)
            self._busy = process
            return future, work

    def _made(self, process: subprocess.Popen[bytes] | None, work: Work) -> Any:
        if process is None or process.stdin is None or process.stdout is None:
            return None
        arguments = []
        for argument in work.arguments:
            if isinstance(argument, Held):
                if argument.name not in self._held:
                    send(process.stdin, Hold(argument.name, argument.value, self._gone()))
                self._held[argument.name] = None
                self._held.move_to_end(argument.name)
                argument = HeldName(argument.name)
            arguments.append(argument)
        send(process.stdin, Work(work.function, tuple(arguments)))
        return receive(process.stdout)

    def _gone(self) -> tuple[str, ...]:
        """What the process need not hold any more, so that it has room for another value."""
        gone = []
        while len(self._held) >= _MOST_HELD:
            gone.append(self._held.popitem(last=False)[0])
        return tuple(gone)


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:  # it has gone, and what was written did not reach it
            continue
    wait_for_end(process)


def _call_here(future: Future[Any], work: Work) -> None:
    """Call a function in this process, so that its error can be reported."""
    arguments = [one.value if isinstance(one, Held) else one for one in work.arguments]
    try:
        future.set_result(work.function(*arguments))
    except BaseException as error:
        future.set_exception(error)
