"""One case measured without pytest: its responses, and the records that a run would write."""

from contextlib import contextmanager

from support.builders import COUNTER
from support.measuring import offline_settings

from pytest_compaction.compactors.function.compactor import FunctionCompactor
from pytest_compaction.models import OfflineModel
from pytest_compaction.records import scored_record
from pytest_compaction.run.engine import Engine, Method
from pytest_compaction.run.loop import WorkLoop
from pytest_compaction.run.response import Arm, Roles
from pytest_compaction.run.triggers import parse_trigger


@contextmanager
def engine_for(compactor, trigger="case"):
    """An engine that runs one strategy, or a function as one, with the offline model."""
    if not hasattr(compactor, "traits"):
        compactor = FunctionCompactor("my:compact", compactor, {})
    model = OfflineModel(COUNTER)
    work = WorkLoop(4)
    method = Method(
        Roles(model, model, (model,), COUNTER),
        lambda _: compactor,
        parse_trigger(trigger),
        offline_settings(compactors=("my:compact",)),
        work,
        nulls="none",
    )
    engine = Engine(method)
    try:
        yield engine
    finally:
        work.close()


def measured_case(case, compactor, trigger="case"):
    """The response and the record of each probe, by id."""
    found = {}
    with engine_for(compactor, trigger) as engine:
        compaction = engine.compaction(case, Arm("my:compact"))
        for probe in case.probes:
            response = compaction.ask(probe)
            verdict = engine.verdict(response)
            settings = offline_settings(compactors=("my:compact",))
            found[probe.id] = response, scored_record(probe.id, response, verdict, settings)
    return found


def record_of(case, compactor, probe, trigger="case"):
    """The record of one probe."""
    return measured_case(case, compactor, trigger)[probe][1]
