"""Judges by rules: every applicable criterion from evidence that its reasoning names.

The evidence is what can be counted: the facts that the answer states, contradicts or
leaves uncertain, the traps that it hits, its claims that the log does not support, and the
form and limits that it keeps. Facts give criteria as in :mod:`~pytest_compaction.metrics.
dimensions`. An answer that states none of the facts scores 0 on every criterion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.case.case import AnswerSpec, Fact
from pytest_compaction.metrics import Readings, criterion_score, listed, read, tally
from pytest_compaction.models.offline.cues import exact_tokens
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest, LogDigest
from pytest_compaction.rubric import MAX_SCORE, Criterion, CriterionScore
from pytest_compaction.text import (
    Claim,
    LogTokens,
    TextIndex,
    answer_proper,
    claims,
    content_stems,
    normalize,
)

_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")

_ACCURACY: Final = frozenset({"accuracy_factual", "accuracy_technical"})
_NOTHING: Final = "states none of the facts that were asked for"
_SEVERAL_LINES: Final = 0.4
"""What is left of the form of one sentence when the answer takes several lines."""


@lru_cache(maxsize=8)
def _log_index(log: LogDigest) -> TextIndex:
    return TextIndex(log.text)


@lru_cache(maxsize=8)
def _log_tokens(log: LogDigest) -> LogTokens:
    return LogTokens(log.whole, [text for _, _, text in log.messages])


def _false_claims(made: Sequence[Claim], log: LogDigest) -> list[Claim]:
    """The claims that the log does not hold.

    A quotation may stand in other words, so the sentences of the log are read for it; as it is
    it does not stand there if the tokens do not hold it.
    """
    tokens = _log_tokens(log)
    missing = [claim for claim in made if not tokens.holds(claim)]
    return [
        claim
        for claim in missing
        if claim.kind != "quote" or not _log_index(log).states([claim.text])
    ]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the rules found in one answer."""

    answer: str
    request: JudgeRequest
    readings: Readings
    false_claims: tuple[str, ...]
    true_claims: int

    def score(self, criterion: Criterion) -> CriterionScore:
        """The score of one applicable criterion."""
        id = criterion.id
        if not self.answer:
            return CriterionScore(id, 0.0, "the answer is empty")
        if id == "completeness_depth":
            return self._depth(id)
        if id == "instruction_format":
            return self._format(id)
        if id == "instruction_constraints":
            return self._constraints(criterion)
        found = criterion_score(criterion, self.request.facts, self.request.traps, self.readings)
        if found is None:
            raise ValueError(f"the criterion {id} does not apply here")
        return self._less_false_claims(found, criterion) if id in _ACCURACY else found

    def _less_false_claims(self, found: CriterionScore, criterion: Criterion) -> CriterionScore:
        """The score times the share of what is right: facts stated, or claims in the log."""
        wrong = len(self.false_claims)
        if not wrong or not found.score:
            return found
        right = tally(criterion, self.request.facts, self.request.traps, self.readings).stated
        if criterion.id == "accuracy_technical":
            right = max(right, self.true_claims)
        score = round(found.score * right / (right + wrong), 4)
        reasoning = f"{found.reasoning}; not in the log: {listed(self.false_claims)}"
        return CriterionScore(criterion.id, score, reasoning)

    def _depth(self, id: str) -> CriterionScore:
        if not any(self.readings.stated):
            return CriterionScore(id, 0.0, _NOTHING)
        share = _detail_share(self.request.facts, self.readings, self.answer)
        return _share(id, share, f"{share:.0%} of the wanted detail is there")

    def _format(self, id: str) -> CriterionScore:
        if not any(self.readings.stated):
            return CriterionScore(id, 0.0, _NOTHING)
        return _share(id, *_form_kept(self.answer, self.request.answer))

    def _constraints(self, criterion: Criterion) -> CriterionScore:
        """The rules that are known and the limits that are kept, each counting the same."""
        found = tally(criterion, self.request.facts, self.request.traps, self.readings)
        if not any(self.readings.stated):
            return CriterionScore(criterion.id, 0.0, _NOTHING)
        limits = _limits_kept(self.answer, self.request.answer)
        broken = [name for name, kept in limits if not kept]
        known = max(0, found.stated - found.contradicted)
        share = (known + len(limits) - len(broken)) / (len(found.read) + len(limits))
        said = [found.reasoning] if found.read else []
        said += [f"broken: {listed(broken)}" if broken else "all limits kept"] if limits else []
        return _share(criterion.id, share, "; ".join(said))


def judge(request: JudgeRequest) -> JudgeReply:
    """Score one response; deterministic, and deaf to text addressed to the judge."""
    answer, aside = answer_proper(request.response)
    readings = read(request.facts, request.traps, TextIndex(answer))
    made = claims(answer)
    false = _false_claims(made, request.digest)
    evidence = Evidence(
        answer=answer.strip(),
        request=request,
        readings=readings,
        false_claims=tuple(claim.text for claim in false),
        true_claims=len(made) - len(false),
    )
    flags = ("text addressed to the judge was left out",) if aside else ()
    return JudgeReply(
        tuple(evidence.score(criterion) for criterion in request.criteria),
        readings.stated,
        readings.hit,
        flags=flags,
        readings=readings.facts,
    )


def _detail_share(facts: Sequence[Fact], readings: Readings, answer: str) -> float:
    """Mean share of a fact's content stems that the answer holds; 0 for one not stated.

    The words of a wrong answer are no detail, though they are much the same.
    """
    have = set(content_stems(normalize(answer))) | set(exact_tokens(answer))
    shares = [
        sum(term in have for term in terms) / len(terms)
        for fact, stated in zip(facts, readings.stated, strict=True)
        if stated and (terms := dict.fromkeys(content_stems(normalize(fact.text))))
    ]
    return sum(shares) / len(facts) if facts else 1.0


def _form_kept(answer: str, spec: AnswerSpec) -> tuple[float, str]:
    """How far the answer has the form, from 0 to 1, and why."""
    lines = [line for line in answer.splitlines() if line.strip()]
    if spec.format == "list":
        share = sum(bool(_BULLET.match(line)) for line in lines) / max(len(lines), 1)
        return share, f"{share:.0%} of the lines are list items"
    if spec.format == "json":
        try:
            json.loads(answer)
        except (ValueError, RecursionError):
            return 0.0, "is not JSON"
        return 1.0, "is JSON"
    single = len(lines) == 1 and not _BULLET.match(lines[0])
    return (1.0, "one sentence") if single else (_SEVERAL_LINES, "more than one line")


def _limits_kept(answer: str, spec: AnswerSpec) -> list[tuple[str, bool]]:
    """What would break each limit that the question sets, and whether it is kept."""
    kept: list[tuple[str, bool]] = []
    if spec.max_items is not None:
        lines = [line for line in answer.splitlines() if line.strip()]
        kept.append((f"more than {spec.max_items} items", len(lines) <= spec.max_items))
    if spec.max_words is not None:
        kept.append((f"more than {spec.max_words} words", len(answer.split()) <= spec.max_words))
    index = TextIndex(answer)
    kept += [(f"mentions {text}", not index.states([text])) for text in spec.forbid]
    return kept


def _share(id: str, share: float, reasoning: str) -> CriterionScore:
    return CriterionScore(id, round(MAX_SCORE * share, 4), reasoning)
