"""Judges by rules: every applicable criterion from evidence that its reasoning names.

The evidence is what can be counted: the facts that the answer states, its claims that the
log does not support, the traps that it hits, and the limits that it keeps. A share ``f``
of facts scores ``5 f``, so that the anchors 3 and 5 stand for "most" and "all".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from pytest_compaction.case.case import About, AnswerSpec, Fact
from pytest_compaction.models.offline.cues import exact_tokens
from pytest_compaction.models.protocol import CriterionScore, JudgeReply, JudgeRequest
from pytest_compaction.rubric import MAX_SCORE, applicable
from pytest_compaction.text.claims import answer_proper, claims, unsupported
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import content_stems, is_path, normalize, printable

TRAP_WEIGHT: Final = 2.0
"""Weight of a stale value against a made-up one, which a reader notices sooner."""
STALE_STATE: Final = 0.6
"""Factor on the criteria of state for an answer that gives a stale value."""
_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")


@lru_cache(maxsize=8)
def _log_index(text: str) -> TextIndex:
    return TextIndex(text)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules found in one answer."""

    answer: str
    facts: tuple[Fact, ...]
    stated: tuple[bool, ...]
    traps: tuple[str, ...]
    false_claims: tuple[str, ...]
    true_claims: int
    detail_share: float
    spec: AnswerSpec

    def share(self, *about: About) -> tuple[float, list[str]] | None:
        """Share of facts about these that are stated, and those missing; ``None`` without any."""
        pairs = [
            (fact, stated)
            for fact, stated in zip(self.facts, self.stated, strict=True)
            if not about or fact.about in about
        ]
        if not pairs:
            return None
        missing = [fact.text for fact, stated in pairs if not stated]
        return 1 - len(missing) / len(pairs), missing


def judge(request: JudgeRequest) -> JudgeReply:
    """Score one response; deterministic, and deaf to text addressed to the judge."""
    answer, aside = answer_proper(request.response)
    index = TextIndex(answer)
    stated = tuple(index.states(fact.forms) for fact in request.facts)
    hit = tuple(trap.hit_by(index) for trap in request.traps)
    made = claims(answer)
    false = unsupported(made, _log_index(request.digest.text))
    evidence = Evidence(
        answer=answer.strip(),
        facts=request.facts,
        stated=stated,
        traps=tuple(trap.text for trap, caught in zip(request.traps, hit, strict=True) if caught),
        false_claims=tuple(claim.text for claim in false),
        true_claims=len(made) - len(false),
        detail_share=_detail_share(request.facts, answer),
        spec=request.answer,
    )
    scored: list[CriterionScore] = []
    for criterion in applicable(request.kind):
        outcome = _RULES[criterion.id](evidence)
        if outcome is not None:
            if not evidence.answer:
                outcome = Scored(0.0, "the answer is empty")
            score = round(min(max(outcome.score, 0.0), MAX_SCORE), 4)
            scored.append(
                CriterionScore(criterion.id, score, outcome.reasoning, outcome.lists_facts)
            )
    flags = ("text addressed to the judge was left out",) if aside else ()
    return JudgeReply(tuple(scored), stated, hit, flags=flags)


def _detail_share(facts: Sequence[Fact], answer: str) -> float:
    """Share of the exact tokens and content stems of the facts that the answer holds."""
    have = set(content_stems(normalize(answer))) | set(exact_tokens(answer))
    wanted: dict[str, None] = {}
    for fact in facts:
        wanted.update(dict.fromkeys([*content_stems(normalize(fact.text))]))
    return sum(term in have for term in wanted) / len(wanted) if wanted else 1.0


class Scored(NamedTuple):
    """A score (0 to 5) with its reasoning, and whether that only lists facts."""

    score: float
    reasoning: str
    lists_facts: bool = False


def _factual(e: Evidence) -> Scored | None:
    right = sum(e.stated)
    wrong = len(e.false_claims) + TRAP_WEIGHT * len(e.traps)
    if not right:
        return Scored(0.0, "states no fact that was asked for")
    return Scored(
        MAX_SCORE * right / (right + wrong), _mistakes(e) or f"{right} facts stated, none wrong"
    )


def _technical(e: Evidence) -> Scored | None:
    right = e.true_claims if e.true_claims and any(e.stated) else sum(e.stated)
    wrong = len(e.false_claims) + TRAP_WEIGHT * len(e.traps)
    if not right or not any(e.stated):
        return Scored(0.0, "no technical detail that was asked for")
    return Scored(MAX_SCORE * right / (right + wrong), _mistakes(e) or "every detail is in the log")


def _mistakes(e: Evidence) -> str:
    said: list[str] = []
    if e.traps:
        said.append(f"stale: {_listed(e.traps)}")
    if e.false_claims:
        said.append(f"not in the log: {_listed(e.false_claims)}")
    return "; ".join(said)


def _coverage(
    e: Evidence, *about: About, strict: bool = False, stale: bool = False
) -> Scored | None:
    """Share of the facts about these; without any, of all facts, or ``None`` if ``strict``."""
    found = e.share(*about)
    if found is None:
        if strict:
            return None
        found = e.share()
    share, missing = found or (0.0, [])
    reasoning = f"missing: {_listed(missing)}" if missing else "nothing is missing"
    if stale and e.traps:
        share *= STALE_STATE
        reasoning += f"; stale: {_listed(e.traps)}"
    return Scored(MAX_SCORE * share, reasoning, bool(missing))


def _artifact_state(e: Evidence) -> Scored | None:
    if e.share("created", "modified", "accessed"):
        return _coverage(e, "created", "modified", "accessed")
    named = [
        (fact, stated)
        for fact, stated in zip(e.facts, e.stated, strict=True)
        if any(is_path(form) for form in normalize(fact.text).split())
    ]
    if not named:
        return _coverage(e)
    missing = [fact.text for fact, stated in named if not stated]
    reasoning = f"missing: {_listed(missing)}" if missing else "all artifacts are named"
    return Scored(MAX_SCORE * (1 - len(missing) / len(named)), reasoning, bool(missing))


def _depth(e: Evidence) -> Scored | None:
    return Scored(MAX_SCORE * e.detail_share, f"{e.detail_share:.0%} of the wanted detail is there")


def _format(e: Evidence) -> Scored | None:
    lines = [line for line in e.answer.splitlines() if line.strip()]
    form = e.spec.format
    if form == "list":
        share = sum(bool(_BULLET.match(line)) for line in lines) / max(len(lines), 1)
        return Scored(MAX_SCORE * share, f"{share:.0%} of the lines are list items")
    if form == "json":
        try:
            json.loads(e.answer)
        except (ValueError, RecursionError):
            return Scored(0.0, "is not JSON")
        return Scored(MAX_SCORE, "is JSON")
    if form == "sentence":
        single = len(lines) == 1 and not _BULLET.match(lines[0])
        return Scored(
            (MAX_SCORE if single else 2.0), "one sentence" if single else "more than one line"
        )
    return Scored(MAX_SCORE, "no particular form was asked for")


def _constraints(e: Evidence) -> Scored | None:
    kept: list[bool] = []
    broken: list[str] = []

    def check(name: str, holds: bool) -> None:
        kept.append(holds)
        if not holds:
            broken.append(name)

    lines = [line for line in e.answer.splitlines() if line.strip()]
    if e.spec.max_items is not None:
        check(f"more than {e.spec.max_items} items", len(lines) <= e.spec.max_items)
    if e.spec.max_words is not None:
        check(f"more than {e.spec.max_words} words", len(e.answer.split()) <= e.spec.max_words)
    index = TextIndex(e.answer)
    for text in e.spec.forbid:
        check(f"mentions {text}", not index.states([text]))
    if not kept:
        return Scored(MAX_SCORE, "no limit was set")
    reasoning = f"broken: {_listed(broken)}" if broken else "all limits kept"
    return Scored(MAX_SCORE * sum(kept) / len(kept), reasoning)


def _listed(texts: Sequence[str], limit: int = 3) -> str:
    shown = ", ".join(printable(text, 60) for text in texts[:limit])
    return f"{shown} and {len(texts) - limit} more" if len(texts) > limit else shown


_RULES: Final[dict[str, Callable[[Evidence], Scored | None]]] = {
    "accuracy_factual": _factual,
    "accuracy_technical": _technical,
    "context_conversation_state": lambda e: _coverage(e, "state", "pending", stale=True),
    "context_artifact_state": _artifact_state,
    "artifact_files_created": lambda e: _coverage(e, "created", strict=True),
    "artifact_files_modified": lambda e: _coverage(e, "modified", strict=True),
    "artifact_key_details": lambda e: _coverage(e, "detail"),
    "continuity_work_state": lambda e: _coverage(e, stale=True),
    "continuity_todo_state": lambda e: _coverage(e, "pending", strict=True),
    "continuity_reasoning": lambda e: _coverage(e, "reason", strict=True),
    "completeness_coverage": _coverage,
    "completeness_depth": _depth,
    "instruction_format": _format,
    "instruction_constraints": _constraints,
}
