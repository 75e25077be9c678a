"""From the settings of a run to the engine that measures its cases elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_compaction.case.case import Case
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.models.reference import shipped
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.run.engine import Engine
from pytest_compaction.run.remote.address import parse_address
from pytest_compaction.run.remote.code import folders_of, modules_of
from pytest_compaction.run.remote.dispatcher import Dispatcher
from pytest_compaction.run.remote.engine import RemoteEngine
from pytest_compaction.run.remote.executors import opener_for
from pytest_compaction.run.remote.intake import Intake
from pytest_compaction.run.remote.task import Briefing, GroupKey
from pytest_compaction.run.response import Roles
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.secrets.hidden import hidden
from pytest_compaction.settings import CONTROL, Settings


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
    address = parse_address(settings.executor)
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
        prompts=endpoints.prompts if endpoints else None,
        prices=endpoints.prices if endpoints else None,
        modules=modules,
        folders=folders_of(modules),
        hidden=hidden(),
    )
    dispatcher: Dispatcher[GroupKey] = Dispatcher(opener_for(address), str(address))
    intake = Intake(
        endpoints,
        registry,
        {spec.text: spec for spec in specs},
        roles.tokens,
        reads_reference=shipped.NAME in settings.models,
    )
    return RemoteEngine(local, dispatcher, intake, briefing, cases, settings.concurrency)
