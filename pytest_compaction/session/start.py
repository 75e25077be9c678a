"""The start of a session: resolve the settings and register the parts of the plugin it needs."""

from __future__ import annotations

import gc
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from pytest_compaction.cache import RESULTS_FILE
from pytest_compaction.case import INDEX_FOLDER
from pytest_compaction.gc_threshold import look_less_often
from pytest_compaction.hookspecs import added
from pytest_compaction.run import Nulls
from pytest_compaction.secrets import scrubbed
from pytest_compaction.session import resolve
from pytest_compaction.session.endpoints import need_key, open_door, serve, with_prices_of_user
from pytest_compaction.session.items import fixtures, packaged
from pytest_compaction.session.unrun_items import UnrunItems
from pytest_compaction.session.worker_share import WorkerShare
from pytest_compaction.session.workers import WorkerStop
from pytest_compaction.settings import DEFAULT_CASES, SHIPPED
from pytest_compaction.text import printable

if TYPE_CHECKING:
    from pytest_compaction.session.end.baseline import SessionBaseline
    from pytest_compaction.session.session import BenchmarkSession
    from pytest_compaction.settings import Settings

_BENCHMARK_PACKAGE: Final = "pytest_compaction.benchmark"


class _RareCollection:
    """Collects garbage less often until a run ends, and leaves its objects out from then on.

    Of that pytest alone searches all, twice, and Python when it ends.
    """

    def __init__(self) -> None:
        self._as_before = look_less_often()

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Before the searches of others."""
        self._as_before()
        if gc.isenabled():
            gc.freeze()


def start_benchmark(config: pytest.Config, settings: Settings) -> BenchmarkSession:
    """Start a benchmark: resolve the settings and register the parts that it needs."""
    named = config.args_source is pytest.Config.ArgsSource.ARGS
    use_shipped = named and any(arg.startswith(_BENCHMARK_PACKAGE) for arg in config.args)
    workerinput = getattr(config, "workerinput", {})
    added_models = added(config, "pytest_compaction_models")
    try:
        door = open_door(config, settings)
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
        config.option.compaction_encoding = session.settings.encoding  # for the workers
        if not config.getoption("collectonly"):
            need_key(session.settings, added_models)
        if settings.executor:
            from pytest_compaction.session.remote import check_executor

            check_executor(session, added_models)
    except resolve.USAGE_ERRORS as error:
        raise pytest.UsageError(scrubbed(str(error))) from None
    if session.shipped and not use_shipped and not settings.cases and not workerinput:
        _refuse_gates(config, session)
    share = WorkerShare(**told) if (told := workerinput.get("compaction_shared")) else None
    calls, baseline = settings.calls, None
    lists = calls.estimate or calls.export or config.getoption("collectonly")
    if settings.baseline.path and not (lists or hasattr(config, "workerinput")):
        from pytest_compaction.session.end.baseline import session_baseline

        baseline = session_baseline(session, config.rootpath)
    title = baseline.title if baseline else ""
    nulls: Nulls = "all" if settings.reports or config.option.verbose > 0 else "shipped"
    session = replace(session, worker_share=share, baseline_title=title, nulls=nulls)
    if share is not None:
        config.pluginmanager.register(WorkerStop(session, share), "compaction-stop")
    config.add_cleanup(session.close)
    if door is not None:
        serve(session, door, lambda t: with_prices_of_user(t, settings, config.rootpath))
    config.pluginmanager.register(_RareCollection(), "compaction-rare-collection")
    config.stash[fixtures.CASES] = session.case_set
    if not config.pluginmanager.hasplugin(fixtures.__name__):  # --fixtures has it without a run
        config.pluginmanager.register(fixtures, fixtures.__name__)
    _collect(config, session, named)
    if settings.snapshots.compare:
        need_syrupy(config, "--compaction-judge-snapshots")
        from pytest_compaction.session.snapshots import JudgeSnapshots

        config.pluginmanager.register(JudgeSnapshots(), "compaction-judge-snapshots")
    if not hasattr(config, "workerinput"):
        _take_charge(config, session, baseline)
    return session


def _collect(config: pytest.Config, session: BenchmarkSession, named: bool) -> None:
    if named:
        folder = config.invocation_params.dir
        config.args[:] = [packaged.argument(text, folder) for text in config.args]
    else:
        config.args[:] = resolve.collection_arguments(session.folders, session.has_dialogues)
        if session.blocks_nowhere and _has_xdist(config):
            from pytest_compaction.session import scheduler

            # A worker that is given nothing starts for a second.
            asked = config.option.tx or []
            if config.option.dist == "load" and set(asked) == {"popen"}:
                config.option.tx = asked[: scheduler.processors()]
                # For plugins that wait for all of them.
                config.option.numprocesses = len(config.option.tx)
    packaged.remember_failures(config)


def _take_charge(
    config: pytest.Config, session: BenchmarkSession, baseline: SessionBaseline | None
) -> None:
    """Register what only the controlling process does: estimate, schedule, summarize."""
    register, calls = config.pluginmanager.register, session.settings.calls
    endpoints = session.endpoints
    here = calls.estimate or calls.export or session.settings.executor
    if here and hasattr(config.option, "tx"):  # start no workers of pytest-xdist
        config.option.dist, config.option.tx, config.option.numprocesses = "no", [], 0
    if config.getoption("words_requests", None):
        from pytest_compaction.session.words import WordsRequests

        register(WordsRequests(session, endpoints, config), "compaction-words")
        return
    if calls.estimate:
        from pytest_compaction.session.estimate import EstimateOnly

        register(EstimateOnly(session, endpoints), "compaction-estimate")
        return
    if calls.export:
        from pytest_compaction.session.export import ExportOnly

        register(ExportOnly(session, endpoints, config.rootpath), "compaction-export")
        return
    if session.settings.executor:
        from pytest_compaction.session.remote import RemoteRun

        register(RemoteRun(session), "compaction-executor")
    if endpoints is not None and not calls.replay and calls.max_cost is not None:
        from pytest_compaction.session.estimate import EstimateFirst

        register(EstimateFirst(session, endpoints, config), "compaction-estimate")
    if endpoints is not None and not calls.replay and session.asks_models:
        from pytest_compaction.session.progress_line import CallProgress

        progress = CallProgress(session, endpoints.accounts.path, config)
        register(progress, "compaction-call-progress")
    from pytest_compaction.session.case_lines import CaseLines
    from pytest_compaction.session.end.finish import RunRecorder
    from pytest_compaction.session.end.report_files import ReportFiles
    from pytest_compaction.session.end.shard_end import deselected_by
    from pytest_compaction.session.end.shown_failures import ShownFailures

    shown = ShownFailures(session.settings.show)
    register(shown, "compaction-failures")
    chosen = (*config.getoption("file_or_dir"), *deselected_by(config))
    recorder = RunRecorder(session, config.rootpath, shown, chosen, baseline)
    register(recorder, "compaction-recorder")
    register(ReportFiles(session.settings, config.rootpath, recorder), "compaction-reports")
    register(UnrunItems(), "compaction-unrun")
    register(CaseLines(session, config), "compaction-case-lines")
    if _has_xdist(config):
        from pytest_compaction.session.scheduler import BenchmarkScheduling

        register(BenchmarkScheduling(session), "compaction-xdist")


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


def start_check(config: pytest.Config, settings: Settings) -> None:
    """``--compaction-check``: resolve the strategies and register the hooks that check them."""
    from pytest_compaction.session.check import (
        CHECK_SESSION,
        CheckHooks,
        node_arguments,
        resolve_check,
    )

    ignored = _left_out_of_check(config, settings)
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
        groups = {held.id: held.spec.text for held in session.held()}
        config.pluginmanager.register(Scheduling(groups), "compaction-xdist")


def _left_out_of_check(config: pytest.Config, settings: Settings) -> list[str]:
    """A line on what of the configuration a check leaves out; what was typed is refused."""
    without = [*_gates_of(settings), *(["compaction_proxy"] if settings.calls.proxy else [])]
    why = "a check gives no scores, and keeps no calls: an invariant holds or it fails"
    for key in without:
        if _is_typed(config, key) and not hasattr(config, "workerinput"):
            raise pytest.UsageError(
                f"--{key.replace('_', '-')} has no effect on --compaction-check: {why}; leave one "
                "of the two out"
            )
    said = f"compaction: {', '.join(without)} of the configuration has no effect: {why}"
    return [said] if without else []


def _refuse_gates(config: pytest.Config, session: BenchmarkSession) -> None:
    """Refuse a gate of a project's configuration on cases that nobody named."""
    for key, gate in _gates_of(session.settings).items():
        if not _is_typed(config, key):
            found = "".join(f"; {sentence}" for sentence in session.not_read)
            raise pytest.UsageError(
                printable(
                    f"the configuration of this project has a gate ({key}: {gate}) and no cases of "
                    f"its own{found}; put them into the folder {DEFAULT_CASES}, or name them with "
                    f"compaction_cases, which takes {SHIPPED} for those of the package"
                )
            )


def _gates_of(settings: Settings) -> dict[str, str]:
    gates = {
        "compaction_threshold": ", ".join(settings.thresholds),
        "compaction_baseline": settings.baseline.path,
    }
    return {key: gate for key, gate in gates.items() if gate}


def _is_typed(config: pytest.Config, key: str) -> bool:
    flag, given = f"--{key.replace('_', '-')}", config.invocation_params.args
    return any(str(argument).partition("=")[0] == flag for argument in given)
