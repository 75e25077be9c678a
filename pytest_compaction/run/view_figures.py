"""Reads the views of responses: what they state of facts, traps and standing constraints."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from pytest_compaction.cache.kept_results import KeptResults
from pytest_compaction.case.case import Probe
from pytest_compaction.compactors.protocol import View
from pytest_compaction.conversation.chat_format import to_chat
from pytest_compaction.conversation.messages import canonical_json, identity, short_hash
from pytest_compaction.metrics.constraints import standing_constraints
from pytest_compaction.metrics.survival import read as read_facts
from pytest_compaction.metrics.survival import view_index
from pytest_compaction.run.compaction import CompactedCase
from pytest_compaction.run.figures_form import FIGURES
from pytest_compaction.run.null_views import NullViews
from pytest_compaction.run.response import NullReading, Roles, ViewFigures
from pytest_compaction.run.server_context import Seen

T = TypeVar("T")


class ViewReader:
    """Makes the figures of views; beside those of a strategy it runs the nulls, if asked to.

    ``give_way`` blocks as long as something else goes before, and ``kept`` keeps the figures from
    run to run.
    """

    def __init__(
        self,
        roles: Roles,
        compares_nulls: bool,
        give_way: Callable[[], object],
        kept: KeptResults,
    ) -> None:
        self._give_way = give_way
        self._kept = kept
        self._encoding = roles.tokens.name
        self._nulls = NullViews(roles) if compares_nulls else None
        self._by_rules = any(model.name == "offline" for model in roles.all)

    def figures(
        self, compacted: CompactedCase, probe: Probe, view: View, read: Seen, answered: bool
    ) -> Callable[[], ViewFigures]:
        """Makes the figures of a view when it is called.

        ``read`` is what the model read of the view; ``answered`` is false where a failure
        left nothing to compare. Where rules answer or judge they are made at once, because
        rules read the same views on the same loop.
        """
        make = partial(self._known_figures, compacted, probe, view, read, answered)
        if self._by_rules:
            made = make()
            return lambda: made

        def later() -> ViewFigures:
            self._give_way()
            return make()

        return later

    def _known_figures(
        self, compacted: CompactedCase, probe: Probe, view: View, read: Seen, answered: bool
    ) -> ViewFigures:
        make = partial(self._figures, compacted, probe, view, read, answered)
        case = compacted.case
        if not self._kept.keeps or not case.digest:  # a case made in code has no digest
            return make()
        tokens = self._tokens(compacted, probe, read) if self._runs_nulls(compacted) else None
        about = [self._encoding, case.id, case.digest, probe.id, view, read.messages]
        return self._kept.once(identity(["figures", *about, tokens, answered]), FIGURES, make)

    def _figures(
        self, compacted: CompactedCase, probe: Probe, view: View, read: Seen, answered: bool
    ) -> ViewFigures:
        index = view_index(read.messages)
        standing = standing_constraints(compacted.case, probe.point)
        held = read_facts(standing, (), index).stated
        question = probe.choice.asked(probe.question) if probe.choice else probe.question
        asked = [to_chat(view.messages), question]
        return ViewFigures(
            read_facts(probe.facts, probe.traps, index),
            self._null_readings(compacted, probe, read) if answered else (),
            tuple(zip((fact.text for fact in standing), held, strict=True)),
            short_hash(canonical_json([*asked, view.parameters] if view.parameters else asked)),
        )

    def _null_readings(
        self, compacted: CompactedCase, probe: Probe, read: Seen
    ) -> tuple[NullReading, ...]:
        if self._nulls is None or not self._runs_nulls(compacted):
            return ()
        tokens = self._tokens(compacted, probe, read)
        return _result(self._nulls.readings(compacted.case, probe, tokens))

    def _runs_nulls(self, compacted: CompactedCase) -> bool:
        return self._nulls is not None and compacted.compared

    @staticmethod
    def _tokens(compacted: CompactedCase, probe: Probe, read: Seen) -> tuple[int, ...]:
        """The tokens of the views at the points up to that of the probe."""
        earlier = (point.view_tokens for point in compacted.fed.points[: probe.point])
        return (*earlier, read.tokens)


def _result(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    work.close()
    raise RuntimeError("a null waits for something, but nulls ask nobody")
