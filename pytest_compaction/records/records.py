"""From a verdict, or from what went wrong, to a record: plain JSON that survives any transport."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.conversation.messages import canonical_json, short_hash
from pytest_compaction.judges.verdict import JudgeScores, Verdict
from pytest_compaction.models.calls.prices import PriceTable
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import ChargedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.records.run_file import Record
from pytest_compaction.rubric import DIMENSIONS
from pytest_compaction.run.response import Arm, Response
from pytest_compaction.settings import Settings

MAX_TEXT: Final = 4000
_DIGITS: Final = 4
_DOLLAR_DIGITS: Final = 8


def scored_record(
    item: str,
    response: Response,
    verdict: Verdict,
    settings: Settings,
    prices: PriceTable | None = None,
) -> Record:
    """The record of a judged response; its status is passed, failed or unscored.

    ``prices`` are those of the endpoint; without an endpoint nothing costs anything.
    """
    status = "unscored" if verdict.passed is None else "passed" if verdict.passed else "failed"
    record = _blank(item, response.case, response.probe, response.arm, settings)
    record |= {
        "status": status,
        "reason": _clean(verdict.unscored or _reason(verdict)),
        "overall": _rounded(verdict.overall),
        "dimensions": {name: _rounded(verdict.dimensions.get(name)) for name in DIMENSIONS},
        "criteria": [
            {"id": c.id, "score": _rounded(c.score), "reasoning": _clean(c.reasoning)}
            for c in verdict.criteria
        ],
        "facts": [
            {"text": _clean(fact.text), "survived": fact.survived, "used": fact.used}
            for fact in verdict.facts
        ],
        "traps": [{"text": _clean(text), "hit": hit} for text, hit in verdict.traps],
        "flags": list(verdict.flags),
        "response": _clean(response.text),
        "tokens": {
            "log": response.log_tokens,
            "view": response.view_tokens,
            "summary": response.compaction_usage.output_tokens,
        },
        **charged(
            {
                "compaction": response.compaction_usage,
                "responder": response.usage,
                "judge": verdict.usage,
            },
            [(scores.name, scores.usage) for scores in verdict.judges],
            settings,
            prices,
        ),
        "judges": [_judge(scores) for scores in verdict.judges],
        "latency_s": {} if response.latency_s is None else {"responder": response.latency_s},
        "compaction": {
            "steps": dict(sorted(Counter(step.status for step in response.steps).items())),
            "errors": sorted({_clean(step.error) for step in response.steps if step.error}),
            "budget": response.case.budget,
        },
    }
    record["hashes"]["prompt"] = response.prompt_hash
    if verdict.unpaid:
        record["unpaid"] = True
    return record


def unscored_record(
    item: str, case: Case, probe: Probe, arm: Arm, reason: str, settings: Settings
) -> Record:
    """The record of an item that a model left without an answer: neither passed nor failed."""
    return error_record(item, case, probe, arm, reason, settings) | {"status": "unscored"}


def error_record(
    item: str, case: Case, probe: Probe, arm: Arm, reason: str, settings: Settings
) -> Record:
    """The record of an item that ended without a verdict: a strategy or the test went wrong."""
    return _blank(item, case, probe, arm, settings) | {
        "status": "error",
        "reason": _clean(reason),
        "overall": None,
        "dimensions": dict.fromkeys(DIMENSIONS),
        "criteria": [],
        "facts": [],
        "traps": [],
        "flags": [],
        "response": "",
        "tokens": {},
        "usage": {},
        "usd": {},
        "judges": [],
        "latency_s": {},
        "compaction": {},
    }


def spent_before(
    failure: ChargedError, settings: Settings, prices: PriceTable | None = None
) -> dict[str, Any]:
    """Usage and US dollars of an item that has no verdict, for its record."""
    unpaid = {"unpaid": True} if failure.unpaid else {}
    return charged(failure.spent, (), settings, prices) | unpaid


def charged(
    spent: Mapping[str, Usage],
    judging: Sequence[tuple[str, Usage]],
    settings: Settings,
    prices: PriceTable | None,
) -> dict[str, Any]:
    """``usage`` and ``usd`` of a record, by role; dollars are ``None`` where there is no price.

    ``judging`` is what each judge used, with its model; without it the first judge is
    taken to have done what ``spent`` says of them. Without ``prices`` there is no
    endpoint, and nothing costs anything.
    """
    models = {"compaction": settings.model, "judge": settings.judges[0]}
    usd: dict[str, float | None] = {}
    if prices:
        for role, usage in spent.items():
            alone = [(models.get(role, settings.responder), usage)]
            usd[role] = _dollars(judging if judging and role == "judge" else alone, prices)
    return {"usage": {role: used.as_json() for role, used in spent.items()}, "usd": usd}


def _blank(item: str, case: Case, probe: Probe, arm: Arm, settings: Settings) -> dict[str, Any]:
    return {
        "item": _clean(item),
        "case": case.id,
        "task": case.task,
        "probe": probe.id,
        "kind": probe.kind,
        "compactor": arm.compactor,
        "trial": arm.trial,
        "hashes": {
            "case": case.digest,
            "settings": short_hash(canonical_json(settings.scoring())),
            "prompt": None,
        },
    }


def _dollars(used: Sequence[tuple[str, Usage]], prices: PriceTable) -> float | None:
    """What several models cost together; ``None`` where one has no price. Offline is free."""
    costs = [
        0.0 if model == offline.NAME or not usage.calls else prices.cost(model, usage)
        for model, usage in used
    ]
    known = [cost for cost in costs if cost is not None]
    return round(math.fsum(known), _DOLLAR_DIGITS) if len(known) == len(costs) else None


def _judge(scores: JudgeScores) -> dict[str, Any]:
    """What one of several judges said, as plain JSON."""
    return {
        "name": _clean(scores.name),
        "overall": _rounded(scores.overall),
        "criteria": {c.id: _rounded(c.score) for c in scores.criteria},
        "unscored": None if scores.unscored is None else _clean(scores.unscored),
    }


def _reason(verdict: Verdict) -> str:
    if verdict.passed:
        return ""
    weak = sorted(verdict.dimensions.items(), key=lambda pair: (pair[1], pair[0]))[:2]
    lost = Counter(fact.loss for fact in verdict.facts if fact.loss)
    parts = [f"{name} {score:.1f}" for name, score in weak]
    parts += [
        f"{count} of {len(verdict.facts)} facts {name}" for name, count in sorted(lost.items())
    ]
    stale = [text for text, hit in verdict.traps if hit]
    if stale:
        parts.append(f"stale: {stale[0]}")
    return ", ".join(parts)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, _DIGITS)


def _clean(text: str) -> str:
    """Bounded, and free of lone surrogates, which no worker can send."""
    return text[:MAX_TEXT].encode("utf-8", "replace").decode("utf-8")
