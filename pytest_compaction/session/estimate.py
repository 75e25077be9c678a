"""Prints what a run will cost: before one with a limit on costs, or in place of the run."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import pytest

from pytest_compaction.case import CaseFileError
from pytest_compaction.compactors import (
    Compactor,
    Context,
    FunctionCompactor,
    Outcome,
    Registry,
    Spec,
    State,
    Truncate,
    asks_model,
    parts_of,
)
from pytest_compaction.models import (
    ChatModel,
    DryRunCaller,
    DryRunModel,
    Endpoints,
    Estimate,
    Length,
    Model,
    ModelError,
    OfflineModel,
    Section,
    SummaryRequest,
)
from pytest_compaction.reports import (
    Line,
    estimate_lines,
    estimate_sentence,
    write_lines,
    write_unwrapped,
)
from pytest_compaction.run import CompactionError
from pytest_compaction.session.header_lines import OPTION
from pytest_compaction.session.items.collection import Selection, selected, selected_ids
from pytest_compaction.session.session import BenchmarkSession
from pytest_compaction.text import printable

_ASKED: Final = (Section("all", "Notes", "Everything that matters.", ("intent",)),)
_OURS: Final = "pytest_compaction.compactors."
_BY_SIZE: Final = frozenset({"window", "tokens", "auto", "adaptive"})
"""Triggers that depend on the size of the view, and so on the length of earlier summaries."""


def estimate(
    session: BenchmarkSession, endpoints: Endpoints, selected: Iterable[Selection]
) -> Estimate:
    """The calls that the selected items would make. Makes no call and writes nothing."""
    chosen = list(selected)
    found = _dry_run(session, endpoints, chosen, "middle")
    if not any(part.role == "compaction" for part in found.planned):
        return found
    if not any(one.item.trigger(session).kind in _BY_SIZE for one in chosen):
        return found
    short = _dry_run(session, endpoints, chosen, "short")
    long = _dry_run(session, endpoints, chosen, "long")
    same = short.calls == found.calls == long.calls
    return found if same else replace(found, ends=(short, long))


def _dry_run(
    session: BenchmarkSession, endpoints: Endpoints, chosen: Iterable[Selection], length: Length
) -> Estimate:
    refresh = session.settings.calls.refresh
    store = None if refresh else endpoints.caller
    caller = DryRunCaller(store, endpoints.tokens, endpoints.check, endpoints.own_tokens)

    def dry_model(model: Model, role: str) -> Model:
        if not isinstance(model, ChatModel):
            return OfflineModel(endpoints.tokens)
        real = ChatModel(model.name, caller, endpoints.tokens, endpoints.prompts)
        return DryRunModel(real, endpoints.tokens, length)

    strategies = DryRunStrategies(session.registry.added)
    dry = replace(session.with_models(dry_model), registry=strategies)
    try:
        for one in chosen:
            # What an item asked before it failed is counted, and the other items are still tried.
            with suppress(CaseFileError, CompactionError, ModelError):
                one.item.measure(dry, one.judged)
    finally:
        dry.close()
    assumed, views = tuple(sorted(strategies.assumed)), tuple(strategies.views)
    planned = caller.planned(endpoints.prices)
    return Estimate(planned, assumed, views=views, own_tokens=caller.own_tokens)


class DryRunStrategies(Registry):
    """The shipped strategies, and a stand-in for every other one, whose name is kept."""

    def __init__(self, added: dict[str, Any]) -> None:
        super().__init__(added)
        self.assumed: set[str] = set()
        self.views: list[int] = []
        """The tokens of each view that a strategy compacts which takes no model."""

    def create(self, spec: Spec) -> Compactor[State]:
        made = super().create(spec)
        parts = parts_of(made)
        ours = all(type(part).__module__.startswith(_OURS) for part in parts)
        if ours and not any(isinstance(part, FunctionCompactor) for part in parts):
            return made
        self.assumed.add(spec.text)
        return AssumedStrategy(None if asks_model(made) else self.views)


class AssumedStrategy(Truncate):
    """A sliding window in place of a strategy that is known only to ask a model or not."""

    name = "assumed"
    description = "stands in for a strategy that is not run in an estimate"

    def __init__(self, views: list[int] | None) -> None:
        super().__init__()
        self._views = views

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """One summary by the model, or a note of the size of the view; then the window slides."""
        view = self.render(state, context).messages
        size = context.tokens.messages(view)
        if self._views is not None:
            self._views.append(size)
        elif size > context.budget:
            await context.model.summarize(SummaryRequest(view, _ASKED, context.budget))
        return await super().compact(state, context)


class EstimateFirst:
    """Prints one line with the estimate before the first call of a run with a limit on costs."""

    def __init__(
        self, session: BenchmarkSession, endpoints: Endpoints, config: pytest.Config
    ) -> None:
        self._session = session
        self._endpoints = endpoints
        self._config = config
        self._said = False

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, Any, Any]:
        if session.items and not session.config.getoption("collectonly"):
            self._say(selected(session.items))
        return (yield)

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        if not self._said:
            self._say(selected_ids(self._session, ids))

    def _say(self, selection: Iterable[Selection]) -> None:
        self._said = True
        views: tuple[int, ...] = ()
        try:
            found = estimate(self._session, self._endpoints, selection)
            views, text = found.views, estimate_sentence(found, self._endpoints.prices)
        except Exception as error:
            text = f"no estimate could be made ({type(error).__name__}: {error})"
        if self._session.asking_outside:
            text += f"; {_outside(self._session, views)}"
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            write_unwrapped(reporter, [Line(f"compaction: {printable(text)}")])


def _outside(session: BenchmarkSession, views: Sequence[int]) -> str:
    """Note on calls of the strategies' own clients, which an estimate cannot know."""
    named = ", ".join(session.asking_outside)
    if not session.settings.calls.proxy:
        return printable(f"calls outside the plugin are not counted: what {named} asks by itself")
    return printable(
        f"If {named} asks a model once for each compaction, through {OPTION}, that is about "
        f"{len(views):,} calls and {sum(views):,} tokens in. Calls in the store are not made again"
    )


class EstimateOnly:
    """Prints the estimate in place of the run."""

    def __init__(self, session: BenchmarkSession, endpoints: Endpoints | None) -> None:
        self._session = session
        self._endpoints = endpoints
        self._lines: list[Line] | None = None
        self._outside: list[Line] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if session.testsfailed or session.config.getoption("collectonly"):
            return None
        views: tuple[int, ...] = ()
        if self._endpoints is None:
            self._lines = [Line("all models of this run work offline. Nothing was asked.")]
        else:
            found = estimate(self._session, self._endpoints, selected(session.items))
            views, lines = found.views, list(estimate_lines(found, self._endpoints.prices))
            self._lines = lines if found.planned or not views else []
        if self._session.asking_outside:
            self._outside = [Line(_outside(self._session, views))]
        return True

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._lines is not None:
            terminalreporter.section("compaction estimate")
            write_lines(terminalreporter, self._lines)
            write_unwrapped(terminalreporter, self._outside)
