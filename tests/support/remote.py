"""Tasks for tests, and executors that do them here or lose them."""

import pickle
import zlib
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from support.builders import build_case

from pytest_compaction.conversation import DEFAULT_ENCODING
from pytest_compaction.run import Arm, Briefing, Opened, PlannedCase, Task, Trigger, perform
from pytest_compaction.settings import Settings

with suppress(ImportError):
    # For good: it replaces a finder of importlib.metadata, which pytester would take back by half.
    import distributed  # noqa: F401


SETTINGS = Settings(
    compactors=("truncate",),
    cases=(),
    model="offline",
    responder="offline",
    judges=("offline",),
    trials=1,
    control=False,
    trigger="case",
    pass_score=3.5,
    thresholds=(),
    max_unscored=0,
    concurrency=4,
    timeout=60.0,
    encoding=DEFAULT_ENCODING,
    runs="runs",
)


def briefing(**changes):
    given = {"settings": SETTINGS, "trigger": Trigger("case"), "nulls": "all"}
    return Briefing(**{**given, **changes})


def task_of(case=None, compactor="truncate"):
    """A task that asks and judges all probes of a case."""
    case = case or build_case()
    probes = {probe.id: (number, True) for number, probe in enumerate(case.probes)}
    return Task(briefing(), case, Arm(compactor), PlannedCase(0, probes), concurrency=4)


def perform_here(task):
    return perform(task.packed())


def unpacked(sent):
    """The task that was handed to an executor."""
    return pickle.loads(zlib.decompress(sent[1]))


def threads(count, watch=None):
    """An opener of a thread pool; ``watch`` is given each pool that is opened."""

    def opened():
        pool = ThreadPoolExecutor(count)
        if watch is not None:
            watch(pool)
        return Opened(pool, lambda: count, partial(pool.shutdown, cancel_futures=True))

    return opened


class ByHand(Executor):
    """An executor that does nothing: a test ends its futures."""

    def __init__(self):
        self.futures = []
        self.tasks = []
        self.closed = False

    def submit(self, function, /, *arguments, **named):
        future = Future()
        self.futures.append(future)
        self.tasks.append(arguments[0])
        return future

    def opened(self, slots=2):
        def close():
            self.closed = True

        return Opened(self, lambda: slots, close)
