"""An engine whose cases are compacted, asked and judged by the tasks of an executor."""

from __future__ import annotations

import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from time import monotonic
from typing import Final, TypeVar

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.conversation.messages import Message
from pytest_compaction.judges.verdict import Verdict
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.run.asked import Asked as AskedProbe
from pytest_compaction.run.compaction import Compaction
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.remote.dispatcher import Dispatcher, Outcome
from pytest_compaction.run.remote.executors import opener_for
from pytest_compaction.run.remote.intake import Intake
from pytest_compaction.run.remote.result import Failure, Findings, TaskError, decoded
from pytest_compaction.run.remote.task import (
    Asked,
    Briefing,
    GroupKey,
    Parcel,
    Task,
    folders_of,
    modules_of,
)
from pytest_compaction.run.response import Arm, Response, Roles
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.secrets.hidden import hidden
from pytest_compaction.settings import CONTROL, Settings

T = TypeVar("T")

_ROUNDS: Final = 4
"""How often a group is measured if each time another task has paid for one of its calls."""
_AHEAD: Final = 2
"""Groups that are begun and not yet done, as a multiple of the tasks that may be under way."""
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
        self._judged: dict[GroupKey, dict[str, bool]] = {}
        """The ids of the probes that are asked of each group, and whether answers are judged."""
        self._items: Counter[GroupKey] = Counter()
        """How many items of each group are not done."""
        self._waiting: deque[GroupKey] = deque()
        self._under_way: set[GroupKey] = set()
        self._found: dict[GroupKey, Findings] = {}
        self._rounds: Counter[GroupKey] = Counter()

    def connect(self) -> None:
        """Open the executor. Raises :class:`~.executors.ExecutorError` if there is none."""
        slots = max(1, self._dispatcher.connect())
        # Each slot does one task at a time; offline, a second one is there when it has ended.
        self._most = min(slots, self._concurrency) if self._pays else 2 * slots

    def select(self, asked: Iterable[AskedProbe]) -> None:
        """Tell what the items of this process will ask, in their order."""
        for one in asked:
            self._items[one.key] += 1
            if one.ahead:
                group = self._judged.setdefault(one.key, {})
                group[one.probe] = group.get(one.probe, False) or one.judged
        self._waiting = deque(self._judged)

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case, made by a task. Blocks."""
        key = (case.id, arm)
        if key not in self._judged or self._cases(case.id) != case:
            return self._local.compaction(case, arm)
        found = self._findings(key)
        if found.failure is not None:
            raise found.failure.error()

        def view(point: int) -> tuple[Message, ...]:
            return _or_raise(found.views[point])

        return Compaction(
            case, arm, found.steps, found.usage, view, partial(self._response, key, found)
        )

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response. Blocks where no task judged it."""
        key = (response.case.id, response.arm)
        for answer in self._found[key].answers if key in self._found else ():
            if answer.response == response and answer.verdict is not None:
                return _or_raise(answer.verdict)
        return self._local.verdict(response)

    def finish(self, case: str, arm: Arm) -> None:
        """Tell that an item of a case is done. After the last one what was found is let go."""
        key = (case, arm)
        self._items[key] -= 1
        if self._items[key] <= 0:
            self._found.pop(key, None)

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

    def _asked(self, key: GroupKey) -> Asked:
        """What is asked of a group; its case is parsed now if it was not yet."""
        probes = {probe.id: probe for probe in self._cases(key[0]).probes}
        return tuple((probes[id], judged) for id, judged in self._judged[key].items())

    def _response(self, key: GroupKey, found: Findings, probe: Probe) -> Response:
        for (asked, _), answer in zip(self._asked(key), found.answers, strict=True):
            if asked == probe:
                return _or_raise(answer.response)
        return self._local.compaction(self._cases(key[0]), key[1]).ask(probe)

    def _findings(self, key: GroupKey) -> Findings:
        """The findings of a group; meanwhile others are handed out and taken in."""
        self._settle(0.0)
        while key not in self._found:
            if key not in self._under_way and self._has_room:
                self._begin(key)
                continue
            self._begin_more()
            self._settle()
        self._begin_more()
        return self._found[key]

    @property
    def _has_room(self) -> bool:
        return self._dispatcher.under_way < self._most and not self._dispatcher.is_careful

    def _begin_more(self) -> None:
        """Begin groups in the order of items, as many as there is room and a reason for."""
        while self._waiting and self._has_room:
            if len(self._found) + len(self._under_way) > _AHEAD * self._most:
                return
            key = self._waiting.popleft()
            if key not in self._found and key not in self._under_way and self._items[key] > 0:
                self._begin(key)

    def _begin(self, key: GroupKey) -> None:
        """Find a group in the store, or hand it out with the replies that are there."""
        id, arm = key
        share = max(1, self._concurrency // self._most)
        task = Task(self._briefing, self._cases(id), arm, self._asked(key), share)
        prepared = self._intake.prepared(task)
        if isinstance(prepared, Task):
            self._dispatcher.hand_out(key, Parcel.of(prepared))
            self._under_way.add(key)
        else:
            self._found[key] = prepared

    def _settle(self, seconds: float | None = None) -> None:
        """Take in the results that are there, or the first that comes."""
        for key, outcome in self._dispatcher.finished(seconds):
            self._under_way.discard(key)
            if not self._keep(key, outcome):
                self._begin(key)

    def _keep(self, key: GroupKey, outcome: Outcome) -> bool:
        """Keep what a task found and paid for; whether its findings count."""
        where = f"case {key[0]} with {key[1].compactor} could not be measured"
        if isinstance(outcome, bytes):
            try:
                composed = self._local.method.roles.composed
                result = decoded(outcome, self._cases(key[0]), self._asked(key), composed)
            except (KeyError, TypeError, ValueError, zlib.error) as error:
                outcome = f"the result of a worker cannot be read ({type(error).__name__})"
        if isinstance(outcome, str):
            self._found[key] = Findings(failure=Failure.of(TaskError(f"{where}: {outcome}")))
            return True
        self._rounds[key] += 1
        if not self._intake.accepts(result) and self._rounds[key] < _ROUNDS:
            return False
        self._found[key] = result.findings
        return True


def _or_raise(value: T | Failure) -> T:
    if isinstance(value, Failure):
        raise value.error()
    return value


def remote_engine(
    settings: Settings,
    local: Engine,
    registry: Registry,
    specs: Sequence[Spec],
    roles: Roles,
    trigger: Trigger,
    endpoints: Endpoints | None,
    cases: Callable[[str], Case],
    compares_nulls: bool,
) -> RemoteEngine:
    """The engine for the executor that the settings name. Nothing is connected to yet.

    ``local`` does what no task was told of; ``endpoints`` are ``None`` if all models work
    offline. Raises :class:`~pytest_compaction.settings.OptionError`.
    """
    modules = modules_of(specs)
    briefing = Briefing(
        model=settings.model,
        responder=settings.responder,
        judges=settings.judges,
        encoding=settings.encoding,
        trigger=trigger,
        pass_score=settings.pass_score,
        timeout=settings.timeout,
        compares_nulls=compares_nulls,
        reminds=CONTROL in settings.arms,
        judgements=settings.judgements,
        request_timeout=settings.calls.request_timeout,
        published_rounding=settings.long_memory.published_rounding,
        rules_answer=settings.answers,
        prompts=endpoints.prompts if endpoints else None,
        prices=endpoints.prices if endpoints else None,
        modules=modules,
        folders=folders_of(modules),
        hidden=hidden(),
    )
    intake = Intake(
        endpoints,
        registry,
        {spec.text: spec for spec in specs},
        roles.tokens,
        reads_reference=shipped.NAME in settings.models,
    )
    dispatcher: Dispatcher[GroupKey] = Dispatcher(opener_for(settings.executor), settings.executor)
    return RemoteEngine(local, dispatcher, intake, briefing, cases, settings.concurrency)
