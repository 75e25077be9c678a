"""Jobs beside an event loop: one thread does them in the order in which they are asked for.

To wake a thread, and then a loop, costs as much as the small jobs that are done here. So what was
asked for meanwhile is done in one go, and a loop is told of all results of one go at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Background:
    """Does jobs in a thread of its own, whose name begins with ``name``.

    Any thread may ask for jobs. The end of the process waits until all are done.
    """

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._jobs: deque[_Job[Any]] = deque()
        self._awake = False

    def post(self, job: Callable[[], object]) -> None:
        """Have a job done, after those before it. Nobody learns of an error that it raises."""
        self._add(_Job(job))

    async def result(self, job: Callable[[], T], undo: Callable[[T], object] | None = None) -> T:
        """Have a job done, after those before it, and await it.

        Whoever is cancelled meanwhile gets no result, but the job is done all the same before
        the cancellation goes on. ``undo`` then takes it back.
        """
        asked = _AwaitedJob(job)
        self._add(asked)
        try:
            return await asked.told
        except asyncio.CancelledError:
            ended = _AwaitedJob(lambda: asked.take_back(undo))
            self._add(ended)
            await asyncio.wait([ended.told])
            raise

    def wait_for(self, job: Callable[[], T]) -> T:
        """Have a job done, after those before it, and wait for it. Blocks."""
        asked = _Job(job)
        self._jobs.append(asked)
        self._thread.submit(self._work).result()
        return asked.outcome()

    def _add(self, job: _Job[Any]) -> None:
        self._jobs.append(job)
        if not self._awake:
            self._awake = True
            self._thread.submit(self._work)

    def _work(self) -> None:
        """Do the jobs until there are none."""
        while True:
            jobs = [self._jobs.popleft() for _ in range(len(self._jobs))]
            for job in jobs:
                job.do()
            _tell([job for job in jobs if isinstance(job, _AwaitedJob)])
            # In this order: a job that is added before this line wakes nobody.
            self._awake = False
            if not self._jobs:
                return
            self._awake = True


class _Job(Generic[T]):
    """A job and what came of it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self.results: list[T] = []
        self.error: BaseException | None = None

    def do(self) -> None:
        """Do the job."""
        try:
            self.results.append(self._work())
        except BaseException as error:
            self.error = error

    def outcome(self) -> T:
        """The result, or the error raised."""
        if self.error is not None:
            raise self.error
        return self.results[0]


class _AwaitedJob(_Job[T]):
    """A job that is awaited on the running loop; ``told`` gets its outcome there."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(work)
        self.loop = asyncio.get_running_loop()
        self.told: asyncio.Future[T] = self.loop.create_future()

    def tell(self) -> None:
        """Hand out the outcome, unless nobody waits for it any more."""
        if self.told.done():
            return
        if self.error is not None:
            self.told.set_exception(self.error)
        else:
            self.told.set_result(self.results[0])

    def take_back(self, undo: Callable[[T], object] | None) -> None:
        """Undo the job, unless it failed."""
        if undo is not None and self.results:
            undo(self.results[0])


def _tell(jobs: list[_AwaitedJob[Any]]) -> None:
    """Hand out outcomes, with one call to each loop."""
    for loop in {job.loop for job in jobs}:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(_tell_all, [job for job in jobs if job.loop is loop])


def _tell_all(jobs: list[_AwaitedJob[Any]]) -> None:
    for job in jobs:
        job.tell()
