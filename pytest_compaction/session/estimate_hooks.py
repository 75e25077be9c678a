"""Prints what a run will cost before it starts, or in place of the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.dialogues.dialogue import Dialogue
from pytest_compaction.models.dry_run import Estimate
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.reports.terminal import Line
from pytest_compaction.reports.usage import estimate_lines, estimate_sentence
from pytest_compaction.run.response import Arm
from pytest_compaction.session import dialogue_items
from pytest_compaction.session.estimate import Selection, estimate
from pytest_compaction.session.probe_items import ARM
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text.words import printable

_DIALOGUES: int = 100
"""Dialogues that are estimated before every run at most; an estimate alone counts them all."""


class EstimateFirst:
    """Prints one line with the estimate before the first call of a run."""

    def __init__(
        self, session: BenchmarkSession, endpoints: Endpoints, config: pytest.Config
    ) -> None:
        self._session = session
        self._endpoints = endpoints
        self._config = config
        self._said = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """In one process: the items are known."""
        if session.items and not session.config.getoption("collectonly"):
            self._say(_selected(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Under pytest-xdist: the first worker tells what it collected."""
        if not self._said:
            self._say(_selected_ids(self._session, ids))

    def _say(self, selected: Iterable[Selection]) -> None:
        self._said = True
        chosen = list(selected)
        dialogues = [item for item in chosen if item.dialogue is not None]
        left_out = 0
        if len(dialogues) > _DIALOGUES:
            left_out = len(dialogues)
            chosen = [item for item in chosen if item.dialogue is None]
        try:
            found = estimate(self._session, self._endpoints, chosen)
            text = estimate_sentence(found, self._endpoints.prices)
        except Exception as error:
            text = f"no estimate could be made ({type(error).__name__}: {error})"
        if left_out:
            text += (
                f"; {left_out:,} dialogues are not counted here, --compaction-estimate counts them"
            )
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            _write(reporter, [Line(f"compaction: {printable(text)}")])


class EstimateOnly:
    """Prints the estimate in place of the run."""

    def __init__(self, session: BenchmarkSession, endpoints: Endpoints | None) -> None:
        self._session = session
        self._endpoints = endpoints
        self._found: Estimate | None = None
        self._done = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run nothing; an error in collection is still an error."""
        if session.testsfailed or session.config.getoption("collectonly"):
            return None
        self._done = True
        if self._endpoints is not None:
            selected = _selected(session.items)
            self._found = estimate(self._session, self._endpoints, selected)
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print what was found."""
        if not self._done:
            return
        terminalreporter.section("compaction estimate")
        if self._endpoints is None or self._found is None:
            said = "nothing is asked of an endpoint: all models of this run work offline"
            _write(terminalreporter, [Line(said)])
            return
        _write(terminalreporter, estimate_lines(self._found, self._endpoints.prices))


def _selected(items: Iterable[pytest.Item]) -> Iterator[Selection]:
    for item in items:
        params: dict[str, Any] = getattr(getattr(item, "callspec", None), "params", {})
        judged = "judge" in getattr(item, "fixturenames", ())
        selection = _selection(
            params.get(ARM), params.get("case"), params.get("probe"), params.get("dialogue"), judged
        )
        if selection is not None:
            yield selection


def _selected_ids(session: BenchmarkSession, ids: Iterable[str]) -> Iterator[Selection]:
    """The same from node ids, which is all that the controller gets to know of them."""
    from pytest_compaction.session.scheduler import group_of

    known: dict[str, Any] = {item.id: item for item in session.parameters()}
    known |= {item.id: item for item in dialogue_items.parameters(session)}
    names = {name: name for name in known}
    for nodeid in ids:
        item = known.get(group_of(nodeid, names) or "")
        if item is not None:
            selection = _selection(
                item.arm,
                getattr(item, "case", None),
                getattr(item, "probe", None),
                getattr(item, "dialogue", None),
                True,
            )
            if selection is not None:
                yield selection


def _selection(arm: Any, case: Any, probe: Any, dialogue: Any, judged: bool) -> Selection | None:
    if not isinstance(arm, Arm):
        return None
    if isinstance(dialogue, Dialogue):
        return Selection(arm, dialogue=dialogue)
    if isinstance(case, Case) and isinstance(probe, Probe):
        return Selection(arm, case, probe, judged)
    return None


def _write(reporter: Any, lines: Iterable[Line]) -> None:
    for line in lines:
        reporter.write_line(line.text)
