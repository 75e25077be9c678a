"""Records of a made-up run, whose scores a function gives."""

from pytest_compaction.rubric import DIMENSIONS

STRATEGIES = ("none", "anchored", "codex", "truncate")


def record(case="c1", probe="p", compactor="anchored", overall=3.0, **more):
    facts = [
        {"text": "it is 15", "survived": True, "used": True, "view": "stated", "answer": "stated"}
    ]
    return {
        "item": f"{compactor}-{case}-{probe}",
        "case": case,
        "probe": probe,
        "compactor": compactor,
        "trial": 1,
        "status": "passed",
        "budget": None,
        "overall": overall,
        "dimensions": {**dict.fromkeys(DIMENSIONS), "accuracy": overall},
        "reading": "view",
        "facts": facts,
        "traps": [],
        "tokens": {},
        "compaction": {},
        "hashes": {"case": f"digest of {case}"},
        "judges": [],
        **more,
    }


def run(score):
    """Items of six cases and strategies with two probes each, scored by a function."""
    return [
        record(case, probe, compactor, score(case, probe, compactor))
        for case in ("c1", "c2", "c3", "c4", "c5", "c6")
        for probe in ("p", "q")
        for compactor in STRATEGIES
    ]


def spread(case, probe, compactor):
    return int(case[1]) / 2 + STRATEGIES.index(compactor) / 2 + (probe == "q") / 2
