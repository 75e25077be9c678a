"""Reads the views of responses: what they state of facts, traps and standing constraints."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from pytest_compaction.case.case import Probe
from pytest_compaction.compactors.protocol import View
from pytest_compaction.conversation.chat_format import to_chat
from pytest_compaction.conversation.messages import canonical_json, short_hash
from pytest_compaction.metrics.constraints import standing_constraints
from pytest_compaction.metrics.survival import read as read_facts
from pytest_compaction.metrics.survival import view_index
from pytest_compaction.run.compaction import CompactedCase
from pytest_compaction.run.null_views import NullViews
from pytest_compaction.run.response import NullReading, Roles, ViewFigures
from pytest_compaction.run.server_context import Seen

T = TypeVar("T")


class ViewReader:
    """Makes the figures of views; beside those of a strategy it runs the nulls, if asked to.

    ``give_way`` blocks as long as something else goes before.
    """

    def __init__(self, roles: Roles, compares_nulls: bool, give_way: Callable[[], object]) -> None:
        self._give_way = give_way
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
        make = partial(self._figures, compacted, probe, view, read, answered)
        if self._by_rules:
            made = make()
            return lambda: made

        def later() -> ViewFigures:
            self._give_way()
            return make()

        return later

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
        if self._nulls is None or not compacted.compared:
            return ()
        earlier = (point.view_tokens for point in compacted.fed.points[: probe.point])
        tokens = (*earlier, read.tokens)
        return _result(self._nulls.readings(compacted.case, probe, tokens))


def _result(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    work.close()
    raise RuntimeError("a null waits for something, but nulls ask nobody")
