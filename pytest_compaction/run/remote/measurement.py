"""Measuring one group with the engine, wherever it is: on a worker or from the store alone."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import Model
from pytest_compaction.models.registry import is_offline
from pytest_compaction.models.wire.call import Caller
from pytest_compaction.run.asked import Asked as AskedProbe
from pytest_compaction.run.compaction import Compaction
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.loops.work_loop import WorkLoop
from pytest_compaction.run.remote.failure import Failure
from pytest_compaction.run.remote.result import Answer, Findings
from pytest_compaction.run.remote.task import Asked, Briefing, Task
from pytest_compaction.run.response import Roles

T = TypeVar("T")


def measured(
    task: Task, registry: Registry, spec: Spec, tokens: TokenCounter, caller: Caller
) -> Findings:
    """Compact the case of a task, ask its probes and judge the answers. Blocks.

    Models behind an endpoint make their calls through ``caller``, which is closed.
    """
    briefing = task.briefing
    work = WorkLoop(task.concurrency, caller)
    engine = Engine(
        _roles(briefing, tokens, caller),
        lambda _: registry.create(spec),
        briefing.trigger,
        briefing.pass_score,
        briefing.timeout,
        work,
        briefing.compares_nulls,
        reminds=briefing.reminds,
        judgements=briefing.judgements,
        published_rounding=briefing.published_rounding,
    )
    try:
        return _findings(engine, task.case, task)
    finally:
        work.close()


def _findings(engine: Engine, case: Case, task: Task) -> Findings:
    engine.select(AskedProbe(case.id, task.arm, probe.id, judged) for probe, judged in task.asked)
    compaction = _or_failure(lambda: engine.compaction(case, task.arm))
    if isinstance(compaction, Failure):
        return Findings(failure=compaction)
    answers = _answers(engine, compaction, task.asked)
    views = tuple(_or_failure(partial(compaction.view, n)) for n in range(len(case.points)))
    return Findings(compaction.steps, compaction.usage, views, answers)


def _answers(engine: Engine, compaction: Compaction, asked: Asked) -> tuple[Answer, ...]:
    return tuple(_answer(engine, compaction, probe, judged) for probe, judged in asked)


def _answer(engine: Engine, compaction: Compaction, probe: Probe, judged: bool) -> Answer:
    response = _or_failure(lambda: compaction.ask(probe))
    if isinstance(response, Failure) or not judged:
        return Answer(response)
    return Answer(response, _or_failure(lambda: engine.verdict(response)))


def _or_failure(work: Callable[[], T]) -> T | Failure:
    try:
        return work()
    except Exception as error:
        return Failure.of(error)


def _roles(briefing: Briefing, tokens: TokenCounter, caller: Caller) -> Roles:
    def model(name: str) -> Model:
        if is_offline(name) or briefing.prompts is None:
            return OfflineModel(tokens)
        from pytest_compaction.models.chat.model import ChatModel

        return ChatModel(name, caller, tokens, briefing.prompts)

    return Roles(
        model(briefing.model),
        model(briefing.responder),
        tuple(model(name) for name in briefing.judges),
        tokens,
    )
