"""Replay public dialogues without pytest, for the figures that docs/dialogues.md shows."""

from contextlib import closing
from functools import cache
from pathlib import Path

from support.measuring import offline_settings
from support.paths import public_data

from pytest_compaction.compactors import parse_spec
from pytest_compaction.dialogues import Replayer, Rules, history_mode, trigger_for_dialogues
from pytest_compaction.dialogues.figures import evaluation_of
from pytest_compaction.run import parse_trigger
from pytest_compaction.session.resolve import resolve_session
from pytest_compaction.settings import DialogueSettings

MT_BENCH = public_data("mt-bench-101/mtbench101.jsonl")
TAU = public_data("tau-bench/gpt-4o-airline-tasks-0-9.json")
HERE = Path(__file__).parent

TALKS = [("anchored", "case"), ("anchored", "adaptive"), ("truncate", "case")]
TOOLS = [("anchored", "case"), ("truncate", "case"), ("mask-observations", "case")]


@cache
def of_mt_bench():
    """An evaluation for each of :data:`TALKS` over all of MT-Bench-101."""
    return evaluations(MT_BENCH, TALKS)


@cache
def of_tau_bench():
    """An evaluation for each of :data:`TOOLS` over the shipped conversations of tau-bench."""
    return evaluations(TAU, TOOLS)


def evaluations(path, arms, tasks=()):
    """One evaluation for each strategy and trigger, as a run makes it; all share one baseline."""
    named = DialogueSettings(tasks=tasks)
    names = tuple(dict.fromkeys(name for name, _ in arms))
    settings = offline_settings(compactors=names, cases=(str(path),), dialogues=named)
    session = resolve_session(settings, HERE, HERE, False, {}, {})
    with closing(session):
        assert not session.dialogue_set.errors
        found = []
        for name, trigger in arms:
            rules = Rules(
                trigger_for_dialogues(parse_trigger(trigger)),
                history_mode(named.history, settings.responder),
                settings.trials,
                named.window,
                named.budget,
                settings.timeout,
                named.consistency,
            )
            label = name if trigger == "case" else f"{name}, {trigger}"
            create = _creating(session, name)
            replayer = Replayer(session.roles, create, rules, session.work_loop)
            replayed = [replayer.replayed(d, label) for d in session.dialogue_set.dialogues]
            found.append(evaluation_of(label, [one.comparison for one in replayed]))
        return found


def _creating(session, name):
    return lambda label: session.registry.create(parse_spec(name))
