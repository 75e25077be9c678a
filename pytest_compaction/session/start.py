"""The start of a session: resolve the settings and register the parts of the plugin it needs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from pytest_compaction.cache import RESULTS_FILE
from pytest_compaction.case.index import INDEX_FOLDER
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.hookspecs import added
from pytest_compaction.run import Nulls
from pytest_compaction.secrets import scrubbed
from pytest_compaction.session import resolve
from pytest_compaction.session.caches import WhatIsRemembered
from pytest_compaction.session.configured_gates import need_named_cases
from pytest_compaction.session.endpoints import need_key, open_door, serve, with_prices_of_user
from pytest_compaction.session.items import fixtures, packaged
from pytest_compaction.session.items.own_tests import take_in_own_tests
from pytest_compaction.session.session import shipped_cases
from pytest_compaction.session.unrun_items import UnrunItems
from pytest_compaction.session.worker_share import WorkerShare
from pytest_compaction.session.workers import WorkerStop

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline
    from pytest_compaction.session.session import BenchmarkSession
    from pytest_compaction.settings import Settings

_BENCHMARK_PACKAGE: Final = "pytest_compaction.benchmark"


def start_benchmark(config: pytest.Config, settings: Settings) -> BenchmarkSession:
    """Start a benchmark: resolve the settings and register the parts that it needs.

    Raises :class:`pytest.UsageError` with a sentence for a name that cannot be resolved.
    """
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    use_shipped = named and any(arg.startswith(_BENCHMARK_PACKAGE) for arg in config.args)
    try:
        door = open_door(config, settings)
        session = _resolved(config, settings, use_shipped)
    except resolve.USAGE_ERRORS as error:
        raise pytest.UsageError(scrubbed(str(error))) from None
    workerinput = getattr(config, "workerinput", {})
    if session.shipped and not use_shipped and not settings.cases and not workerinput:
        need_named_cases(config, session)
    share = WorkerShare.from_input(workerinput.get("compaction_shared"))
    baseline = _baseline(config, session)
    title = baseline.title if baseline else ""
    nulls: Nulls = "all" if settings.reports or config.option.verbose > 0 else "shipped"
    session = replace(session, worker_share=share, baseline_title=title, nulls=nulls)
    if share is not None:
        config.pluginmanager.register(WorkerStop(session, share), "compaction-stop")
    config.add_cleanup(session.close)
    if door is not None:
        serve(session, door, lambda t: with_prices_of_user(t, settings, config.rootpath))
    config.add_cleanup(look_less_often())
    config.pluginmanager.register(WhatIsRemembered(), "compaction-memory")
    config.stash[fixtures.CASES] = session.case_set
    if not config.pluginmanager.hasplugin(fixtures.__name__):  # --fixtures has it without a run
        config.pluginmanager.register(fixtures, fixtures.__name__)
    _collect(config, session, named)
    if settings.snapshots.compare:
        _compare_snapshots(config)
    if not hasattr(config, "workerinput"):
        _take_charge(config, session, baseline)
    return session


def _resolved(config: pytest.Config, settings: Settings, use_shipped: bool) -> BenchmarkSession:
    """The session of the settings, with what conftest files and plugins add.

    Raises one of ``USAGE_ERRORS`` for what cannot be resolved or asked.
    """
    workerinput = getattr(config, "workerinput", {})
    added_models = added(config, "pytest_compaction_models")
    session = resolve.resolve_session(
        settings,
        config.rootpath,
        config.invocation_params.dir,
        use_shipped,
        added(config, "pytest_compaction_compactors"),
        added_models,
        workerinput.get("compaction_accounts"),
        config.rootpath / INDEX_FOLDER,
        workerinput.get("compaction_cases"),
        config.rootpath / RESULTS_FILE,
        leave_out_rules=config.getoption("compaction_threshold") is None,
    )
    if not config.getoption("collectonly"):
        need_key(session.settings, added_models)
    if settings.executor:
        from pytest_compaction.session.remote import check_executor

        check_executor(session, added_models)
    return session


def _collect(config: pytest.Config, session: BenchmarkSession, named: bool) -> None:
    """Have pytest collect what was ``named``, else the benchmark and the user's own tests."""
    if named:
        folder = config.invocation_params.dir
        config.args[:] = [packaged.argument(text, folder) for text in config.args]
    else:
        own = take_in_own_tests(config, (*session.folders, shipped_cases()))
        measured = resolve.collection_arguments(session.folders, session.has_dialogues)
        config.args[:] = [*measured, *own]
        if session.blocks_nowhere and not own and _has_xdist(config):
            _start_no_idle_workers(config)
    packaged.remember_failures(config)


def _start_no_idle_workers(config: pytest.Config) -> None:
    """Start no more workers than processors: a worker that is given nothing starts for a second."""
    from pytest_compaction.session import scheduler

    asked = config.option.tx or []
    if config.option.dist == "load" and set(asked) == {"popen"}:
        config.option.tx = asked[: scheduler.processors()]
        config.option.numprocesses = len(config.option.tx)  # for plugins that wait for all of them


def _compare_snapshots(config: pytest.Config) -> None:
    """``--compaction-judge-snapshots``: compare every verdict with its accepted snapshot."""
    need_syrupy(config, "--compaction-judge-snapshots")
    from pytest_compaction.session.snapshots import JudgeSnapshots

    config.pluginmanager.register(JudgeSnapshots(), "compaction-judge-snapshots")


def _baseline(config: pytest.Config, session: BenchmarkSession) -> SessionBaseline | None:
    """What the run is compared with. Only the controlling process of a real run looks for it."""
    calls = session.settings.calls
    instead = calls.estimate or calls.export or config.getoption("collectonly")
    if not session.settings.baseline.path or instead or hasattr(config, "workerinput"):
        return None
    from pytest_compaction.session.end.baseline import session_baseline

    return session_baseline(session, config.rootpath)


def _take_charge(
    config: pytest.Config, session: BenchmarkSession, baseline: SessionBaseline | None
) -> None:
    """Register what only the controlling process does: estimate, schedule, summarize."""
    if session.settings.calls.estimate:
        _estimate_only(config, session)
        return
    if session.settings.calls.export:
        _export_only(config, session)
        return
    if session.settings.executor:
        from pytest_compaction.session.remote import RemoteRun

        _in_this_process(config)
        config.pluginmanager.register(RemoteRun(session), "compaction-executor")
    _estimate_first(config, session)
    _say_how_far(config, session)
    from pytest_compaction.session.case_lines import CaseLines
    from pytest_compaction.session.end.finish import RunRecorder
    from pytest_compaction.session.end.report_files import ReportFiles
    from pytest_compaction.session.end.shard_end import selected_by
    from pytest_compaction.session.end.shown_failures import ShownFailures

    shown = ShownFailures(session.settings.show)
    config.pluginmanager.register(shown, "compaction-failures")
    recorder = RunRecorder(session, config.rootpath, shown, selected_by(config), baseline)
    config.pluginmanager.register(recorder, "compaction-recorder")
    files = ReportFiles(session.settings, config.rootpath, recorder)
    config.pluginmanager.register(files, "compaction-reports")
    config.pluginmanager.register(UnrunItems(), "compaction-unrun")
    config.pluginmanager.register(CaseLines(session, config), "compaction-case-lines")
    if _has_xdist(config):
        from pytest_compaction.session.scheduler import BenchmarkScheduling

        config.pluginmanager.register(BenchmarkScheduling(session), "compaction-xdist")


def _has_xdist(config: pytest.Config) -> bool:
    return config.pluginmanager.hasplugin("dsession") or config.pluginmanager.hasplugin("xdist")


def need_syrupy(config: pytest.Config, what: str) -> None:
    """Raise :class:`pytest.UsageError` if ``what`` cannot work because syrupy is missing or old."""
    if not config.pluginmanager.hasplugin("syrupy"):
        missing = "which is not installed or is switched off"
    else:
        from syrupy.extensions.base import SnapshotCollectionStorage

        if hasattr(SnapshotCollectionStorage, "matches_test_location"):
            return
        missing = "and an older version is installed"
    raise pytest.UsageError(
        f"{what} needs the pytest plugin syrupy 7.0.1 or later, {missing}: "
        "python -m pip install 'syrupy>=7.0.1'"
    )


def _estimate_only(config: pytest.Config, session: BenchmarkSession) -> None:
    """``--compaction-estimate``: collect in this process, count the calls, run nothing."""
    from pytest_compaction.session.estimate import EstimateOnly

    _in_this_process(config)
    estimate = EstimateOnly(session, session.endpoints)
    config.pluginmanager.register(estimate, "compaction-estimate")


def _export_only(config: pytest.Config, session: BenchmarkSession) -> None:
    """``--compaction-export``: collect in this process, write the missing calls, run nothing."""
    from pytest_compaction.session.export import ExportOnly

    _in_this_process(config)
    export = ExportOnly(session, session.endpoints, config.rootpath)
    config.pluginmanager.register(export, "compaction-export")


def _in_this_process(config: pytest.Config) -> None:
    """Start no workers of pytest-xdist."""
    if hasattr(config.option, "tx"):
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], 0


def _estimate_first(config: pytest.Config, session: BenchmarkSession) -> None:
    """``--compaction-max-cost``: print what the run is expected to cost before it starts."""
    calls = session.settings.calls
    if session.endpoints is None or calls.replay or calls.max_cost is None:
        return
    from pytest_compaction.session.estimate import EstimateFirst

    estimate = EstimateFirst(session, session.endpoints, config)
    config.pluginmanager.register(estimate, "compaction-estimate")


def _say_how_far(config: pytest.Config, session: BenchmarkSession) -> None:
    """Show on the way how many calls are done, where an endpoint is asked."""
    if session.endpoints is None or session.settings.calls.replay or not session.asks_models:
        return
    from pytest_compaction.session.progress_line import CallProgress

    progress = CallProgress(session, session.endpoints.accounts.path, config)
    config.pluginmanager.register(progress, "compaction-call-progress")


def start_check(config: pytest.Config, settings: Settings) -> None:
    """``--compaction-check``: resolve the strategies and register the hooks that check them.

    Raises :class:`pytest.UsageError` with a sentence for a name that cannot be resolved.
    """
    from pytest_compaction.session.check import (
        CHECK_SESSION,
        CheckHooks,
        node_arguments,
        resolve_check,
    )
    from pytest_compaction.session.configured_gates import left_out_of_check

    ignored = left_out_of_check(config, settings)
    try:
        session = resolve_check(
            settings,
            (config.invocation_params.dir, config.rootpath),
            added(config, "pytest_compaction_compactors"),
            added(config, "pytest_compaction_models"),
        )
    except resolve.USAGE_ERRORS as error:
        raise pytest.UsageError(scrubbed(str(error))) from None
    config.stash[CHECK_SESSION] = session
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    config.args[:] = node_arguments(config.args, named, config.invocation_params.dir)
    packaged.remember_failures(config)
    config.pluginmanager.register(CheckHooks(session, ignored), "compaction-check")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(UnrunItems(), "compaction-unrun")
    if _has_xdist(config):
        from pytest_compaction.session.scheduler import Scheduling

        # The items of one compactor share its survey, which is made once.
        groups = {subject.id: subject.spec.text for subject in session.subjects()}
        config.pluginmanager.register(Scheduling(groups), "compaction-xdist")
