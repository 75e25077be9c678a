"""``recorded``: the view on record, at each point of an imported case."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from support.builders import build_case, case_data, context_of
from support.compacting import with_records

from pytest_compaction.compactors.strategies.plain import Recorded
from pytest_compaction.run.case_feeder import CaseFeeder
from pytest_compaction.run.triggers import Trigger


def views(data: dict[str, Any]) -> list[list[str]]:
    """The texts of the view that the strategy gives at each point."""
    made = build_case(**data)
    feeder = CaseFeeder(made, Recorded(), context_of(), Trigger(), 10)

    async def fed() -> list[list[str]]:
        points = (await feeder.feed()).points
        found = []
        for number, point in enumerate(points):
            assert point.state is not None
            view = await feeder.rendered(point.state, number)
            found.append([m.text for m in view.messages])
        feeder.close()
        return found

    return asyncio.run(fed())


def test_the_view_is_the_summary_and_what_was_kept_after_it() -> None:
    early, late = views(
        with_records(
            {"summary": "the timeout is now 45", "kept": ["m4"]},
            {"summary": "all is done", "tokens_before": 900},
        )
    )
    system = case_data()["messages"][0]["content"]
    assert early == [system, "the timeout is now 45", case_data()["messages"][4]["content"]]
    assert late == [system, "all is done"]


def test_a_whole_view_is_taken_as_it_was_sent() -> None:
    whole = [{"log": "m1"}, {"role": "user", "content": "Summary: 45."}]
    early, late = views(with_records({"messages": whole}, {"messages": whole}))
    assert early == late == [case_data()["messages"][1]["content"], "Summary: 45."]


def test_every_message_before_is_accounted_for() -> None:
    made = build_case(**with_records({"summary": "short", "kept": ["m4"]}, {"summary": "shorter"}))
    compactor, context = Recorded(), context_of()
    state = compactor.observe(compactor.start(), made.log_until(0), context)
    outcome = asyncio.run(
        compactor.compact(state, replace(context, recorded=made.points[0].recorded))
    )
    assert [(span.ids, span.fate, span.by) for span in outcome.spans] == [
        (("m0",), "kept", None),
        (("m1", "m2", "m3"), "replaced", "recorded-early"),
        (("m4",), "kept", None),
    ]
    assert outcome.status == "compacted"


def test_without_a_record_the_compaction_fails_and_says_so() -> None:
    compactor, context = Recorded(), context_of()
    state = compactor.observe(compactor.start(), build_case().log_until(0), context)
    outcome = asyncio.run(compactor.compact(state, context))
    assert outcome.status == "failed"
    assert outcome.state == state
    assert "no record of what its agent went on with" in (outcome.error or "")
