"""What a run would ask of its models and what that would cost, found by a dry run.

The shipped strategies are run, and every request to a model behind the endpoint is
rendered. Calls in the store are answered from it, and the offline model stands in for the
rest. So calls are counted, and only the length of replies is assumed. If a log is
compacted by its size, their length decides on the number of calls too: then the dry run is
repeated with short and with long replies, and both ends are given. Strategies that do not
come with the package are not run, because nobody knows what else they do. A sliding window
stands in for each, with one summary for every compaction if the strategy asks a model.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.case.files import CaseFileError
from pytest_compaction.compactors.composition import asks_model, parts_of
from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.compactors.protocol import Compactor, Context, Outcome, State
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import Spec
from pytest_compaction.compactors.strategies.truncate import Truncate
from pytest_compaction.models.chat.model import ChatModel
from pytest_compaction.models.dry_run import DryRunCaller, DryRunModel, Estimate, Length
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.models.protocol import Model, ModelError, SummaryRequest
from pytest_compaction.models.registry import Endpoints
from pytest_compaction.models.structured_summary import Section
from pytest_compaction.run.feeder import CompactionError
from pytest_compaction.session.items.protocol import BenchmarkItem
from pytest_compaction.session.session import BenchmarkSession

_ASKED: Final = (Section("all", "Notes", "Everything that matters.", ("intent",)),)
_OURS: Final = "pytest_compaction.compactors."
_BY_SIZE: Final = frozenset({"window", "tokens", "auto", "adaptive"})
"""Triggers that depend on the size of the view, and so on the length of earlier summaries."""


@dataclass(frozen=True, slots=True)
class Selection:
    """One item that would run, and whether its answers would be judged."""

    item: BenchmarkItem
    judged: bool = True


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
    """The calls if replies have this length."""
    refresh = session.settings.calls.refresh
    caller = DryRunCaller(None if refresh else endpoints.caller, endpoints.tokens)

    def dry_model(model: Model) -> Model:
        if not isinstance(model, ChatModel):
            return OfflineModel(endpoints.tokens)
        real = ChatModel(model.name, caller, endpoints.tokens, endpoints.prompts)
        return DryRunModel(real, endpoints.tokens, length)

    roles = session.roles
    strategies = DryRunStrategies(session.registry.added)
    dry = replace(
        session,
        roles=replace(
            roles,
            compaction=dry_model(roles.compaction),
            responder=dry_model(roles.responder),
            judges=tuple(dry_model(model) for model in roles.judges),
        ),
        registry=strategies,
        settings=replace(session.settings, executor=""),
        endpoints=None,
        compares_nulls=False,
    )
    try:
        for one in chosen:
            # What an item asked before it failed is counted, and the other items are still tried.
            with suppress(CaseFileError, CompactionError, ModelError):
                one.item.measure(dry, one.judged)
    finally:
        dry.close()
    return Estimate(caller.planned(endpoints.prices), tuple(sorted(strategies.assumed)))


class DryRunStrategies(Registry):
    """The shipped strategies, and a stand-in for every other one, whose name is kept."""

    def __init__(self, added: dict[str, Any]) -> None:
        super().__init__(added)
        self.assumed: set[str] = set()

    def create(self, spec: Spec) -> Compactor[State]:
        """The strategy itself if it comes with the package."""
        made = super().create(spec)
        parts = parts_of(made)
        ours = all(type(part).__module__.startswith(_OURS) for part in parts)
        if ours and not any(isinstance(part, FunctionCompactor) for part in parts):
            return made
        self.assumed.add(spec.text)
        return AssumedStrategy(asks_model(made))


class AssumedStrategy(Truncate):
    """A sliding window in place of a strategy that is known only to ask a model or not."""

    name = "assumed"
    description = "stands in for a strategy that is not run in an estimate"

    def __init__(self, asks: bool) -> None:
        super().__init__()
        self._asks = asks

    async def compact(self, state: State, context: Context) -> Outcome[State]:
        """One summary of the view if the strategy asks a model; then the window slides."""
        view = self.render(state, context).messages
        if self._asks and context.tokens.messages(view) > context.budget:
            await context.model.summarize(SummaryRequest(view, _ASKED, context.budget))
        return await super().compact(state, context)
