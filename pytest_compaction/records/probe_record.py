"""The record of a probe: a judged response, or why there is none."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from pytest_compaction.case import (
    Case,
    CaseEntry,
    Choice,
    Probe,
    ProbeEntry,
    fact_digest,
    log_digest,
    probe_digest,
    read_letter,
)
from pytest_compaction.judges import NULL, Nuggets, Verdict, complied, unreadable
from pytest_compaction.metrics import ORDER_FIGURES, class_of
from pytest_compaction.models import PriceTable
from pytest_compaction.record import CompactionRecord, EventRecord, FactRecord, merged
from pytest_compaction.records.record import (
    Record,
    Status,
    blank_record,
    charged,
    clean,
    rounded,
    status_from,
    words_of,
)
from pytest_compaction.rubric import DIMENSIONS, CriterionScore
from pytest_compaction.run import Arm, Response, Step
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable

_CLAUSE: Final = 300
_WORD: Final = 60
"""The most characters that a record keeps of a clause, and of a word that decided."""
_WORDS: Final = 12
_NUGGET_REASON: Final = 400
_PARTS: Final = 10
"""Equal parts of a conversation, by characters, in which evidence is placed."""


def scored_record(
    item: str,
    response: Response,
    verdict: Verdict,
    settings: Settings,
    prices: PriceTable | None = None,
) -> Record:
    """The record of a judged response; its status is passed, failed, skipped or unscored.

    ``prices`` are those of the endpoint; without an endpoint nothing costs anything.
    """
    case, probe, written = response.case, response.probe, response.compaction_usage
    name = response.arm.compactor
    record = _blank(item, case, probe, response.arm, settings)
    unread = [
        {"text": clean(fact.text), "why": clean(fact.unread)}
        for fact in verdict.facts
        if fact.unread is not None
    ]
    found: dict[str, Any] = {
        **({"words": words} if (words := words_of(settings, name, written.calls)) else {}),
        "question": clean(probe.choice.asked(probe.question) if probe.choice else probe.question),
        "status": "skipped" if verdict.is_null else status_from(verdict.passed),
        "reason": clean(verdict.unscored or _reason(verdict)),
        "overall": rounded(verdict.overall),
        "dimensions": _dimensions(verdict.dimensions),
        "criteria": _criteria(verdict.criteria),
        "reading": verdict.reading,
        "facts": _facts(response, verdict),
        **({"unread": unread} if unread else {}),
        "traps": _traps(verdict.traps),
        "flags": list(verdict.flags),
        "response": clean(response.asked_text),
        "tokens": {
            "log": response.log_tokens,
            "view": response.view_tokens,
            "summary": written.output_tokens,
        },
        **({"search": asdict(response.search)} if response.search else {}),
        **charged(
            {
                "compaction": written,
                "view": response.view_usage,
                "responder": response.usage,
                "reader": response.reader_usage,
                "judge": verdict.usage,
            },
            [(scores.model, scores.usage) for scores in verdict.judges],
            settings,
            prices,
            {"compaction": response.own_calls, "view": response.view_own_calls},
        ),
        "judges": [
            {
                "name": clean(scores.name),
                "overall": rounded(scores.overall),
                "criteria": {c.id: rounded(c.score) for c in scores.criteria},
                "unscored": None if scores.unscored is None else clean(scores.unscored),
            }
            for scores in verdict.judges
        ],
        "latency_s": {} if response.latency_s is None else {"responder": response.latency_s},
        "compaction": compaction_of(response),
        "nulls": {
            null.name: {
                "overall": rounded(null.overall),
                "stated": rounded(null.stated),
                "tokens": null.tokens,
            }
            for null in response.made.nulls
        },
    }
    found["latency_s"] |= {
        f"compaction {clean(step.point)}": step.seconds
        for step in response.steps
        if step.seconds is not None
    }
    second = verdict.second
    if second is not None:
        found["answer" if verdict.reading == "view" else "view"] = {
            "overall": rounded(second.overall),
            "dimensions": _dimensions(second.dimensions),
            "criteria": _criteria(second.criteria),
            "traps": _traps(second.traps),
        }
    found["hashes"] = record["hashes"] | {
        "prompt": response.made.prompt_hash,
        "log": log_digest(case),
        "probe": probe_digest(probe),
    }
    if response.made.constraints and response.failure is None:
        found["constraints"] = {
            "point": case.points[probe.point].id,
            "standing": [
                {"text": clean(text), "survived": held} for text, held in response.made.constraints
            ],
        }
    if probe.choice is not None and response.failure is None:
        found["compliance"] = _compliance(response, probe.choice)
    if (following := response.next_action) is not None:
        found["next_action"] = {
            **({"message": clean(following.message)} if following.message else {}),
            **{
                way: {context: rounded(share) for context, share in shares.items()}
                for way, shares in following.shares.items()
            },
            "notes": [clean(printable(note, _CLAUSE)) for note in following.notes],
        }
    if probe.nuggets:
        evidence = {id for nugget in probe.nuggets for id in nugget.evidence}
        parts = _part_of_message(case)
        found["tenths"] = sorted({parts[id] for id in evidence if id in parts})
        found |= _nuggets(verdict.nuggets)
    # A view with most of its names, or of the facts' wordings, that its log has not; or of names.
    foreign, worded = response.made.foreign, response.made.worded
    if foreign.make_it_foreign:
        names = list(map(clean, foreign.names))
        found["foreign"] = {"names": names, "count": foreign.count, "of": foreign.of}
    if worded.come_from_the_case:
        texts = list(map(clean, worded.texts))
        found["worded"] = {"facts": texts, "count": worded.count, "of": worded.of}
    if response.made.listed.make_the_view:
        found["listed"] = asdict(response.made.listed)
    if verdict.unpaid:
        found["unpaid"] = True
    return merged(record, found)


def record_without_verdict(
    item: str,
    case: Case | CaseEntry,
    probe: Probe | ProbeEntry,
    arm: Arm,
    status: Status,
    reason: str,
    settings: Settings,
) -> Record:
    """The record of a probe that ended without a verdict.

    ``unscored``: a model did not answer. ``error``: the strategy or the test went wrong.
    """
    found: dict[str, Any] = {
        "status": status,
        "reason": clean(reason),
        "overall": None,
        "dimensions": dict.fromkeys(DIMENSIONS),
        "reading": None,
        "response": "",
        **{key: [] for key in ("criteria", "facts", "traps", "flags", "judges")},
        **{key: {} for key in ("tokens", "usage", "usd", "latency_s", "compaction")},
    }
    return merged(_blank(item, case, probe, arm, settings), found)


def _blank(
    item: str, case: Case | CaseEntry, probe: Probe | ProbeEntry, arm: Arm, settings: Settings
) -> Record:
    record = blank_record(
        item=item,
        case=case.id,
        task=case.task,
        probe=probe.id,
        kind=probe.kind,
        compactor=arm.compactor,
        trial=arm.trial,
        digest=case.digest,
        scoring=settings.scoring(arm.budget),
    )
    point = case.points[probe.point]
    record["hashes"]["prompt"] = None
    if digest := settings.prompt_digest(arm.compactor):
        record["hashes"]["summary_prompt"] = digest
    record["budget"] = arm.budget
    record["origin"] = case.origin
    if not settings.read_by_rules:
        record["reader"] = clean(settings.reader)
    if case.project:
        record["project"] = clean(case.project)
    if case.size:
        record["size"] = case.size
    record["point"] = {"id": point.id, "recorded": bool(point.recorded)}
    return record


def _dimensions(scores: dict[str, float]) -> dict[str, float | None]:
    return {name: rounded(scores.get(name)) for name in DIMENSIONS}


def _criteria(scores: Sequence[CriterionScore]) -> list[dict[str, Any]]:
    return [
        {"id": c.id, "score": rounded(c.score), "reasoning": clean(c.reasoning)} for c in scores
    ]


def _traps(traps: Sequence[tuple[str, bool]]) -> list[dict[str, Any]]:
    return [{"text": clean(text), "hit": hit} for text, hit in traps]


def _facts(response: Response, verdict: Verdict) -> list[FactRecord]:
    """The outcome of each fact, in the order of the probe, and where the log states it."""
    facts: list[FactRecord] = []
    each = zip(response.probe.facts, verdict.facts, response.made.history, strict=True)
    for fact, outcome, history in each:
        if outcome.unread is not None:
            continue
        decided, source = outcome.decisive, history.source
        answer: FactRecord = {} if outcome.answer is None else {"answer": outcome.answer.outcome}
        found: FactRecord = {
            "text": clean(outcome.text),
            "type": outcome.type,
            "view": outcome.view.outcome,
            **answer,
            "survived": outcome.survived,
            "used": outcome.used,
            "loss": outcome.loss,
            "clause": clean(printable(decided.clause, _CLAUSE)),
            "words": [clean(printable(word, _WORD)) for word in decided.words[:_WORDS]],
            "why": clean(printable(decided.why, _CLAUSE)),
            "class": class_of(fact),
            "evidence": list(map(clean, fact.evidence)),
            "keys": fact_digest(fact),
            "stated_after": [[clean(point), stated] for point, stated in history.stated_after],
            "recoverable": history.recoverable,
            "source": source and {"message": clean(source[0]), "tokens": source[1]},
        }
        if history.unasked is not None:
            found["unasked"] = history.unasked
        if history.proved:
            found["proved"] = True
        if fact.needed is not None:
            why = {**asdict(fact.needed), "why": printable(fact.needed.why)}
            found["needed"] = {k: clean(v) if isinstance(v, str) else v for k, v in why.items()}
        facts.append(found)
    return facts


def _compliance(response: Response, choice: Choice) -> dict[str, Any]:
    reminded = response.reminded
    found: dict[str, Any] = {
        "complying": choice.letter,
        "chosen": read_letter(response.asked_text),
        "complied": complied(choice, response.asked_text),
    }
    if reminded is not None:
        held = None if reminded.failure else complied(choice, reminded.text)
        problem = reminded.failure or ("" if held is not None else unreadable(reminded.text))
        found["reminded"] = {
            "chosen": read_letter(reminded.text),
            "complied": held,
            "reason": clean(problem),
        }
    return found


def _nuggets(found: Nuggets | None) -> dict[str, Any]:
    if found is None:
        return {}
    made: dict[str, Any] = {
        "score": rounded(found.figures.score),
        "nuggets": [
            {
                "text": clean(text),
                "score": rounded(nugget.score),
                "reasoning": clean(printable(nugget.reasoning, _NUGGET_REASON)),
            }
            for text, nugget in found.scored
        ],
    }
    order = found.figures.ordering
    if order is not None:
        made["ordering"] = {name: rounded(getattr(order, name)) for name in ORDER_FIGURES}
    return made


@lru_cache(maxsize=2)
def _part_of_message(case: Case) -> dict[str, int]:
    """The part of each message, from 1 to 10, by where it begins."""
    starts = [0, *accumulate(len(message.text) for message in case.messages)]
    total = max(starts[-1], 1)
    ends = [total * part / _PARTS for part in range(1, _PARTS)]
    return {
        message.id: bisect_right(ends, start) + 1
        for message, start in zip(case.messages, starts, strict=False)
    }


def _reason(verdict: Verdict) -> str:
    if verdict.over_budget:
        return verdict.over_budget.partition("\n")[0]
    if verdict.is_null:
        return NULL
    if verdict.passed:
        return ""
    weak = sorted(verdict.dimensions.items(), key=lambda pair: (pair[1], pair[0]))[:2]
    shown = {"dropped"} if verdict.reading == "view" else {"dropped", "unused"}
    lost = Counter(fact.loss for fact in verdict.facts if fact.loss in shown)
    parts = [f"{name} {score:.1f}" for name, score in weak]
    for name, count in sorted(lost.items()):
        types = Counter(fact.type for fact in verdict.facts if fact.loss == name)
        listed = ", ".join(f"{number} {type}" for type, number in sorted(types.items()))
        parts.append(f"{count} of {len(verdict.facts)} facts {name} ({listed})")
    if verdict.nuggets:
        scores = [n.score for _, n in verdict.nuggets.scored if n.score is not None]
        parts.append(f"{scores.count(1)} of {len(scores)} nuggets")
        ordering = verdict.nuggets.figures.ordering
        parts += [] if ordering is None else [f"order {ordering.order:.2f}"]
    stale = [text for text, hit in verdict.traps if hit]
    parts += [f"stale: {stale[0]}"] if stale else []
    return ", ".join(parts)


def compaction_of(response: Response) -> CompactionRecord:
    """The part of a response's record on compaction; ``steps`` and ``errors`` are of the
    whole case, ``events`` end at the point of the probe; ``continued`` come after the last one.
    """
    messages = response.case.points[response.probe.point].index + 1
    window, last = response.case.window, response.case.points[-1].index + 1
    continued = [_event(step, window) for step in response.steps if step.messages > last]
    return {
        "steps": dict(sorted(Counter(step.status for step in response.steps).items())),
        "errors": sorted({clean(step.error) for step in response.steps if step.error}),
        "budget": response.budget,
        "window": window,
        "messages": messages,
        "events": [_event(step, window) for step in response.steps if step.messages <= messages],
        **({"continued": continued} if continued else {}),
    }


def _event(step: Step, window: int) -> EventRecord:
    """One compaction; what an endpoint made of the request is not known."""
    known = not step.by_server
    found: EventRecord = {
        "point": clean(step.point),
        "status": step.status,
        "log": step.log,
        "before": step.before if known else None,
        "after": step.after if known else None,
        "prefix": step.prefix if known else None,
        "free": window - step.after if known else None,
        "until_next": step.until_next,
        "messages_left": step.left,
        "requests": step.requests,
        "added": step.added,
        "sent": step.sent,
    }
    if step.usage.calls:
        found["calls"] = step.usage.calls
        found["input_tokens"] = step.usage.input_tokens
        if step.usage.cached_tokens:
            found["cached_tokens"] = step.usage.cached_tokens
        found["output_tokens"] = step.usage.output_tokens
    if step.usage.prompt_tokens:
        found["prompt_tokens"] = step.usage.prompt_tokens
    if step.placeholder:
        found["placeholder"] = step.placeholder
    if step.flaws:
        found["flaws"] = dict(step.flaws)
    return found
