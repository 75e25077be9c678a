"""Runs that have ended, made up for the tests of what is written of them."""

from support.builders import record

from pytest_compaction.gate import Check, Decision
from pytest_compaction.reports.finished_run import FinishedRun, with_finite_figures

HOSTILE = (
    "<script>alert(1)</script> | `x` ```\n# [a](http://evil.example) @octocat #12 "
    "www.evil.example =1+1 *b* \x1b[2J \u202e \ud800 &lt; $x$"
)
"""What a case or a model may say."""
HEADER = {"settings": {"pass_score": 3.5}, "versions": {"pytest": "9.0"}, "cases": {"a": "d"}}


def fact(loss=None, **more):
    """A fact as a record holds it, by why it is lost."""
    return {
        "text": "it is 15",
        "type": "value",
        "survived": loss != "dropped",
        "used": loss is None,
        "loss": loss,
        **more,
    }


def several(compactor="anchored", *scores, **more):
    """A record for each score, two a case; a score of ``None`` is unscored."""
    return [
        record(
            case=f"c{number // 2}",
            probe=f"p{number % 2}",
            compactor=compactor,
            overall=score,
            status="unscored" if score is None else "passed" if score >= 3.5 else "failed",
            reason="" if score is None or score >= 3.5 else f"accuracy {score}",
            dimensions={} if score is None else {"accuracy": score},
            **{"facts": [fact(), fact("dropped")], **more},
        )
        for number, score in enumerate(scores)
    ]


def finished(*records, outcome="none", **more):
    """A run with these records."""
    order = tuple(dict.fromkeys(each["compactor"] for each in records))
    given = {"name": "runs/0001.jsonl", "header": HEADER, "order": order, "outcome": outcome}
    return FinishedRun(records=with_finite_figures(records), **{**given, **more})


def gated(*records, holds=False, text="overall 2.00 < 3.50", rule="overall>=3.5"):
    """A run on which a gate with one rule has decided."""
    check = Check(text, holds, rule, (1.0, 3.0), tuple(records[:1]))
    word = "PASSED" if holds else "FAILED"
    return finished(
        *records,
        outcome=word.lower(),
        line=f"GATE {word} {text}",
        decision=Decision((check,)),
    )
