"""An engine whose cases are compacted, asked and judged by the tasks of an executor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from time import monotonic
from typing import Final, TypeVar

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges.verdict import Verdict
from pytest_compaction.run.asked import Asked as AskedProbe
from pytest_compaction.run.compaction import Compaction
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.remote.dispatcher import Dispatcher, Outcome
from pytest_compaction.run.remote.failure import Failure, TaskError
from pytest_compaction.run.remote.intake import Intake
from pytest_compaction.run.remote.result import Findings, decoded
from pytest_compaction.run.remote.task import Asked, Briefing, GroupKey, Parcel, Task
from pytest_compaction.run.response import Arm, Response

T = TypeVar("T")

_ROUNDS: Final = 4
"""How often a group is measured if each time another task has paid for one of its calls."""
_AHEAD: Final = 2
"""How many times the tasks under way are begun ahead of the item that runs, and kept behind it."""
GRACE_SECONDS: float = 10.0
"""How long the end of a session waits for tasks that pay for calls."""


class RemoteEngine:
    """The same face as :class:`~pytest_compaction.run.engine.Engine`; groups are tasks.

    Groups are handed out in the order of their items, so many that the requests of all
    together stay within ``concurrency``, and only some ahead of the item that runs. What no
    task was told of, such as a probe that a test makes up, ``local`` does. ``cases`` finds a
    case by its id. Used from one thread.
    """

    def __init__(
        self,
        local: Engine,
        dispatcher: Dispatcher[GroupKey],
        intake: Intake,
        briefing: Briefing,
        cases: Callable[[str], Case],
        concurrency: int,
    ) -> None:
        self._local = local
        self._dispatcher = dispatcher
        self._intake = intake
        self._briefing = briefing
        self._cases = cases
        self._concurrency = concurrency
        self._most = 1
        self._share = concurrency
        self._order: list[GroupKey] = []
        self._places: dict[GroupKey, int] = {}
        self._judged: dict[GroupKey, dict[str, bool]] = {}
        """The ids of the probes that are asked of each group, and whether answers are judged."""
        self._next = 0
        self._at = 0
        self._trials = 1
        self._begun: set[GroupKey] = set()
        self._found: dict[GroupKey, Findings] = {}
        self._rounds: Counter[GroupKey] = Counter()
        self._uses: Counter[GroupKey] = Counter()

    def connect(self) -> None:
        """Open the executor. Raises :class:`~.executors.ExecutorError` if there is none."""
        slots = max(1, self._dispatcher.connect())
        # Each slot does one task at a time; offline, a second one is there when it has ended.
        self._most = min(slots, self._concurrency) if self._pays else 2 * slots
        self._share = max(1, self._concurrency // self._most)

    def select(self, asked: Iterable[AskedProbe]) -> None:
        """Tell what the items of this process will ask, in their order."""
        self._judged = {}
        for one in asked:
            if one.ahead:
                group = self._judged.setdefault(one.key, {})
                group[one.probe] = group.get(one.probe, False) or one.judged
        self._order = list(self._judged)
        self._places = {key: place for place, key in enumerate(self._order)}
        self._trials = max((arm.trial for _, arm in self._order), default=1)
        self._next = self._at = 0

    def _asked(self, key: GroupKey) -> Asked:
        """What is asked of a group; its case is parsed now if it was not yet."""
        probes = {probe.id: probe for probe in self._cases(key[0]).probes}
        return tuple((probes[id], judged) for id, judged in self._judged[key].items())

    def finish(self, case: str, arm: Arm) -> None:
        """Tell that an item of a case is done. What tasks found goes some groups later."""

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case, made by a task. Blocks."""
        key = (case.id, arm)
        if key not in self._judged or self._cases(case.id) != case:
            return self._local.compaction(case, arm)
        found = self._findings(key)
        if found.failure is not None:
            raise found.failure.error()
        return Compaction(
            case,
            arm,
            found.steps,
            found.usage,
            partial(_view, found),
            partial(self._response, key, found),
        )

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response. Blocks where no task judged it."""
        key = (response.case.id, response.arm)
        for answer in self._found[key].answers if key in self._found else ():
            if answer.response == response and answer.verdict is not None:
                return _or_raise(answer.verdict)
        return self._local.verdict(response)

    def close(self) -> None:
        """Cancel what is outstanding; what tasks under way pay for is kept if they end soon.

        May be called again.
        """
        self._dispatcher.stop()
        end = monotonic() + GRACE_SECONDS
        try:
            while self._pays and self._dispatcher.under_way and monotonic() < end:
                for key, outcome in self._dispatcher.finished(end - monotonic()):
                    self._keep(key, outcome)
        finally:
            self._dispatcher.close()

    @property
    def _pays(self) -> bool:
        """Whether tasks can ask an endpoint."""
        return self._briefing.prices is not None

    @property
    def _has_room(self) -> bool:
        return self._dispatcher.under_way < self._most and not self._dispatcher.is_careful

    def _response(self, key: GroupKey, found: Findings, probe: Probe) -> Response:
        for (asked, _), answer in zip(self._asked(key), found.answers, strict=True):
            if asked == probe:
                return _or_raise(answer.response)
        return self._local.compaction(self._cases(key[0]), key[1]).ask(probe)

    def _findings(self, key: GroupKey) -> Findings:
        """The findings of a group; meanwhile others are handed out and taken in."""
        self._uses[key] += 1
        self._at = max(self._at, self._places[key])
        self._drop_before(key)
        self._settle(0.0)
        if key not in self._begun:
            while not self._has_room:
                self._settle()
            self._begin(key)
        self._begin_more()
        while key not in self._found:
            if not self._dispatcher.under_way:
                self._begin(key)  # an error kept its result from being taken in
            self._settle()
            self._begin_more()
        return self._found[key]

    def _begin_more(self) -> None:
        """Begin groups in the order of items, as many as there is room and a reason for."""
        last = self._at + _AHEAD * self._most
        while self._has_room and self._next < len(self._order) and self._next <= last:
            key = self._order[self._next]
            self._next += 1
            if key not in self._begun:
                self._begin(key)

    def _begin(self, key: GroupKey) -> None:
        """Find a group in the store, or hand it out with the replies that are there."""
        id, arm = key
        task = Task(self._briefing, self._cases(id), arm, self._asked(key), self._share)
        prepared = self._intake.prepared(task)
        if isinstance(prepared, Task):
            self._dispatcher.hand_out(key, Parcel.of(prepared))
        else:
            self._found[key] = prepared
        self._begun.add(key)

    def _settle(self, seconds: float | None = None) -> None:
        """Take in the results that are there, or the first that comes."""
        for key, outcome in self._dispatcher.finished(seconds):
            if not self._keep(key, outcome):
                self._begin(key)

    def _keep(self, key: GroupKey, outcome: Outcome) -> bool:
        """Keep what a task found and paid for; whether its findings count."""
        if isinstance(outcome, str):
            where = f"case {key[0]} with {key[1].compactor} could not be measured"
            self._found[key] = Findings(failure=Failure.of(TaskError(f"{where}: {outcome}")))
            return True
        result = decoded(outcome, self._cases(key[0]), self._asked(key))
        self._rounds[key] += 1
        if not self._intake.accepts(result) and self._rounds[key] < _ROUNDS:
            return False
        self._found[key] = result.findings
        return True

    def _drop_before(self, key: GroupKey) -> None:
        """Drop what the items of other groups have used, or have left behind."""
        # The items of a case take turns in as many groups as there are trials.
        behind = self._at - _AHEAD * self._most - self._trials
        for other in list(self._found):
            used = self._uses[other] >= len(self._judged[other])
            if other != key and (used or self._places[other] < behind):
                del self._found[other]
                self._begun.discard(other)


def _view(found: Findings, point: int) -> tuple[Message, ...]:
    return _or_raise(found.views[point])


def _or_raise(value: T | Failure) -> T:
    if isinstance(value, Failure):
        raise value.error()
    return value
