"""Pytest hooks and fixtures. Every body delegates, and imports what is heavy only when needed."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_compaction.options import (
    PREFIX,
    add_options,
    check_keys,
    old_key_sentences,
    read_settings,
    refuse_unknown,
)
from pytest_compaction.settings import OptionError

if TYPE_CHECKING:
    from pytest_compaction.case import Case, Probe
    from pytest_compaction.dialogues import Dialogue, Replayed
    from pytest_compaction.judges import Verdict
    from pytest_compaction.run import Arm, Compaction, Response
    from pytest_compaction.session.session import BenchmarkSession

SESSION: pytest.StashKey[BenchmarkSession] = pytest.StashKey()
DESELECTED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    from pytest_compaction import hookspecs
    from pytest_compaction.session.whole_run_hooks import WholeRun

    pluginmanager.add_hookspecs(hookspecs)
    pluginmanager.register(WholeRun(), "compaction-whole-run")


@pytest.hookimpl(trylast=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser, args: list[str]
) -> None:
    """Refuse an unknown option that looks as if it were of this plugin."""
    if any(arg.startswith(PREFIX) for arg in args):
        _, unknown = parser.parse_known_and_unknown_args(args, copy.copy(early_config.option))
        try:
            refuse_unknown(unknown)
        except OptionError as error:
            raise pytest.UsageError(str(error)) from None


def pytest_cmdline_main(config: pytest.Config) -> int | None:
    """``--compactors``: list the strategies and exit."""
    if not config.getoption("compactors"):
        return None
    from pytest_compaction.compactors import Registry
    from pytest_compaction.hookspecs import added

    listed = Registry(added(config, "pytest_compaction_compactors")).descriptions()
    width = max(len(name) for name, _ in listed)
    for name, description in listed:
        sys.stdout.write(f"{name:<{width}}  {description}\n")
    return 0


def pytest_configure(config: pytest.Config) -> None:
    """Read the settings; if they name a strategy, start the benchmark or the check."""
    config.addinivalue_line(
        "markers",
        "compaction(case, task, kind, compactor, trial): set on every benchmark item",
    )
    try:
        # pytest only warns of a key that nobody reads, as of a gate whose key is misspelt.
        check_keys(getattr(config, "_get_unknown_ini_keys", set[str])())
        settings = read_settings(config)
    except OptionError as error:
        raise pytest.UsageError(str(error)) from None
    if config.getoption("showfixtures"):
        from pytest_compaction.session.items import fixtures

        config.pluginmanager.register(fixtures, fixtures.__name__)
    if settings.check and not settings.active:
        raise pytest.UsageError("--compaction-check needs --compactor=NAME, the strategy to check")
    if settings.active and not config.getoption("compactors"):
        from pytest_compaction.secrets import forget
        from pytest_compaction.session.start import start_benchmark, start_check

        config.add_cleanup(forget)
        if settings.check:
            start_check(config, settings)
        else:
            config.stash[SESSION] = start_benchmark(config, settings)


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Strategies, cases, probes, models, parameters without effect, and old names of ini keys."""
    session = config.stash.get(SESSION, None)
    old_keys = old_key_sentences(config)
    if session is None:
        return old_keys
    from pytest_compaction.session.header_lines import header_lines

    return [*header_lines(session), *old_keys]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    from pytest_compaction.session.items.kinds import kind_of, parametrize_idle

    kind = kind_of(metafunc)
    if kind is None:
        return
    session = metafunc.config.stash.get(SESSION, None)
    if session is None:
        parametrize_idle(metafunc)
        return
    from pytest_compaction.session.items.collection import parametrize

    parametrize(metafunc, kind, session)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Give the modules of this package node ids that do not depend on where it is installed."""
    from pytest_compaction.session.items.packaged import collected

    return collected(module_path, parent)


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class,
) -> Generator[None, Any, Any]:
    """Collect no test of dialogues in a run that has none; the same for probes."""
    made = yield
    if isinstance(made, list) and collector.config.stash.get(SESSION, None) is not None:
        from pytest_compaction.session.items.collection import measuring

        return list(measuring(made))
    return made


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Generator[None, None, None]:
    """Keep benchmark items in order; deselect them if no strategy is named."""
    collected = list(items)
    yield
    if config.stash.get(SESSION, None) is not None:
        from pytest_compaction.session.items.collection import restore_order

        restore_order(items, collected)
        return
    idle = [item for item in items if item.get_closest_marker("compaction")]
    if idle:
        config.stash[DESELECTED] = len(idle)
        config.hook.pytest_deselected(items=idle)
        items[:] = [item for item in items if item not in idle]
        if hasattr(config, "workeroutput"):
            config.workeroutput["compaction_deselected"] = len(idle)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the engine work ahead on the items that will run, unless workers share a case."""
    benchmark = session.config.stash.get(SESSION, None)
    if benchmark is not None and (benchmark.thresholds or benchmark.settings.baseline.path):
        from pytest_compaction.session.items.report import GATED

        session.config.stash[GATED] = True
    workerinput = getattr(session.config, "workerinput", {"compaction_case_is_whole": True})
    if benchmark is not None and workerinput.get("compaction_case_is_whole"):
        from pytest_compaction.session.items.collection import work_ahead
        from pytest_compaction.session.workers import own_items

        share = benchmark.worker_share
        is_dealt = share is None or share.place is not None
        work_ahead(benchmark, own_items(benchmark, session.items), is_dealt)


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt(excinfo: pytest.ExceptionInfo[BaseException]) -> None:
    """Drop traceback entries without a line, which neither pytest nor Python can show.

    On Python 3.11 Ctrl-C can arrive at an instruction that belongs to no line.
    """
    errors = [excinfo.value]
    for error in errors:  # and those in whose handling it arrived
        entries: list[Any] = []
        following = error.__traceback__
        while following is not None:
            entries.append(following)
            following = following.tb_next
        shown = None
        for entry in reversed(entries):
            if entry.tb_lineno is not None:
                entry.tb_next = shown
                shown = entry
        error.__traceback__ = shown
        linked = (error.__cause__, error.__context__)
        errors += [other for other in linked if other is not None and other not in errors]
    first: Any = excinfo.tb
    if first.tb_lineno is None:
        excinfo.traceback = excinfo.traceback[1:]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Cancel what no item waits for, and write all that is known before it is added up."""
    benchmark = session.config.stash.get(SESSION, None)
    if benchmark is None:
        return
    benchmark.stop()
    benchmark.kept.flush()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take the number of deselected benchmark tests from a worker."""
    count = (getattr(node, "workeroutput", None) or {}).get("compaction_deselected", 0)
    if count:
        node.config.stash[DESELECTED] = count


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    count = terminalreporter.config.stash.get(DESELECTED, 0)
    if count:
        terminalreporter.write_line(
            f"compaction: {count} benchmark test{'s' if count > 1 else ''} deselected; "
            "name a strategy to run them, as in --compactor=anchored (--compactors lists them)"
        )


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    if SESSION in pyfuncitem.config.stash:
        from pytest_compaction.session.items.collection import refuse_broken

        refuse_broken(pyfuncitem)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let go what the engine kept for a benchmark item, once all its reports are made.

    An item that was interrupted is not done: the end of the session stops all work at once. To
    cancel that of this item before would make room for another request.
    """
    result = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None:
        from pytest_compaction.session.items.collection import finish_item

        finish_item(session, item)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    session = item.config.stash.get(SESSION, None)
    if session is None:
        return (yield)
    from pytest_compaction.session.items.report import (
        finish_report,
        record_before_report,
        scrub_report,
    )

    record = record_before_report(item, call, session)
    report = yield
    finish_report(item, call, report, record, session)
    scrub_report(report)
    return report


def pytest_report_teststatus(
    report: pytest.TestReport, config: pytest.Config
) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
    """Show the score of a benchmark item in verbose progress, and ``U`` for unscored."""
    if SESSION not in config.stash or not isinstance(report, pytest.TestReport):
        return None
    from pytest_compaction.session.items.report import progress_of

    return progress_of(report, config.stash[SESSION].settings)


@pytest.fixture
def compaction_arm() -> Arm:
    """Strategy and trial of the item; parametrization replaces this fixture."""
    raise pytest.UsageError(
        "the compactor fixture needs a test function that asks for case and probe as well, "
        "the replay fixture one that asks for dialogue"
    )


@pytest.fixture
def compactor(compaction_arm: Arm, pytestconfig: pytest.Config) -> Callable[[Case], Compaction]:
    """Compact a case with the strategy under test, once for all its probes."""
    session = pytestconfig.stash[SESSION]
    return lambda case: session.engine.compaction(case, compaction_arm)


@pytest.fixture
def judge(request: pytest.FixtureRequest) -> Callable[[Probe, Response], Verdict]:
    """Score the response to a probe in six dimensions and keep the verdict in the record."""
    from pytest_compaction.session.items.probe import judge_for

    session = request.config.stash[SESSION]
    judge = judge_for(session, request.node)
    if session.settings.snapshots.compare and "judge_snapshot" not in request.fixturenames:
        from pytest_compaction.session.snapshots import watched

        return watched(judge, request, session)
    return judge


@pytest.fixture
def judge_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare a verdict with the one accepted earlier; ``--snapshot-update`` accepts it."""
    from pytest_compaction.session.start import need_syrupy

    need_syrupy(request.config, "the judge_snapshot fixture")
    from pytest_compaction.session.snapshots import comparison_for

    session = request.config.stash.get(SESSION, None)
    settings = session.settings if session else read_settings(request.config)
    return comparison_for(request, session, settings.snapshots).compare


@pytest.fixture
def replay(compaction_arm: Arm, request: pytest.FixtureRequest) -> Callable[[Dialogue], Replayed]:
    """Answer a dialogue's user turns in both arms and keep the comparison in the record."""
    from pytest_compaction.session.items.dialogue import replay_for

    return replay_for(request.config.stash[SESSION], compaction_arm, request.node)
