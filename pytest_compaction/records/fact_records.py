"""The facts of a probe in its record: what became of each, and where the log states it."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.case.case import Fact, fact_digest
from pytest_compaction.judges.verdict import FactOutcome, Verdict
from pytest_compaction.metrics.facts.fact_classes import class_of
from pytest_compaction.records.record import clean
from pytest_compaction.run.response import FactHistory, Response
from pytest_compaction.text import printable

_CLAUSE: Final = 300
_WORD: Final = 60
"""The most characters that a record keeps of a clause, and of a word that decided."""
_WORDS: Final = 12


def facts_of(response: Response, verdict: Verdict) -> list[dict[str, Any]]:
    """Each fact as plain JSON, in the order of the probe."""
    found = zip(response.probe.facts, verdict.facts, response.history, strict=True)
    return [
        _outcome(outcome) | _in_log(fact) | _history(history) for fact, outcome, history in found
    ]


def _outcome(fact: FactOutcome) -> dict[str, Any]:
    """What became of one fact, with the clause and the words that decided."""
    decided = fact.decisive
    return {
        "text": clean(fact.text),
        "type": fact.type,
        "view": fact.view.outcome,
        **({} if fact.answer is None else {"answer": fact.answer.outcome}),
        "survived": fact.survived,
        "used": fact.used,
        "loss": fact.loss,
        "clause": clean(printable(decided.clause, _CLAUSE)),
        "words": [clean(printable(word, _WORD)) for word in decided.words[:_WORDS]],
        "why": clean(printable(decided.why, _CLAUSE)),
    }


def _in_log(fact: Fact) -> dict[str, Any]:
    return {
        "class": class_of(fact),
        "evidence": list(map(clean, fact.evidence)),
        "keys": fact_digest(fact),
    }


def _history(history: FactHistory) -> dict[str, Any]:
    source = history.source
    return {
        "stated_after": [[clean(point), stated] for point, stated in history.stated_after],
        "recoverable": history.recoverable,
        "source": None if source is None else {"message": clean(source[0]), "tokens": source[1]},
    }
