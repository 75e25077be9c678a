"""Judges by rules: every criterion with evidence, which its reasoning names.

The evidence is what can be counted: the facts that the answer states, contradicts or
leaves uncertain, the traps that it hits, its claims that the log does not support, and the
form and limits that it keeps. Facts give criteria as in :mod:`~pytest_compaction.metrics.
dimensions`. An answer that states none of the facts scores 0 on every criterion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pytest_compaction.metrics import Readings, criterion_score, listed, read, tally
from pytest_compaction.models.offline.cues import exact_tokens
from pytest_compaction.models.protocol import JudgeReply, JudgeRequest, LogDigest
from pytest_compaction.rubric import MAX_SCORE, Criterion, CriterionScore
from pytest_compaction.text import (
    LogTokens,
    TextIndex,
    answer_proper,
    claims,
    content_stems,
    normalize,
)

_BULLET: Final = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+\S")

_ACCURACY: Final = frozenset({"accuracy_factual", "accuracy_technical"})
_OF_THE_WHOLE: Final = frozenset(
    {"completeness_depth", "instruction_format", "instruction_constraints"}
)
_SEVERAL_LINES: Final = 0.4
"""What is left of the form of one sentence when the answer takes several lines."""


@lru_cache(maxsize=8)
def _log_index(log: LogDigest) -> TextIndex:
    return TextIndex(log.text)


@lru_cache(maxsize=8)
def _log_tokens(log: LogDigest) -> LogTokens:
    return LogTokens(log.whole, [text for _, _, text in log.messages])


def judge(request: JudgeRequest) -> JudgeReply:
    """Score one response; deterministic, and deaf to text addressed to the judge."""
    request = replace(request, by_evidence=True)
    answer, aside = answer_proper(request.response)
    readings = read(request.facts, request.traps, TextIndex(answer))
    made, tokens = claims(answer), _log_tokens(request.digest)
    # A quotation may stand in other words: the sentences of the log are read for one that does
    # not stand there as it is.
    false = [
        claim.text
        for claim in made
        if not tokens.holds(claim)
        and not (claim.kind == "quote" and _log_index(request.digest).states([claim.text]))
    ]
    scorer = _Scorer(answer.strip(), request, readings, false, len(made) - len(false))
    flags = ("text addressed to the judge was left out",) if aside else ()
    return JudgeReply(
        tuple(map(scorer.score, request.criteria)),
        readings.stated,
        readings.hit,
        flags=flags,
        readings=readings.facts,
    )


@dataclass(frozen=True, slots=True)
class _Scorer:
    """Findings of the rules in one answer, from which each criterion is scored."""

    answer: str
    request: JudgeRequest
    readings: Readings
    false_claims: Sequence[str]
    true_claims: int

    def score(self, criterion: Criterion) -> CriterionScore:
        """The score of one applicable criterion."""
        id = criterion.id
        if not self.answer:
            return CriterionScore(id, 0.0, "the answer is empty")
        if id in _OF_THE_WHOLE:
            if not any(self.readings.stated):
                return CriterionScore(id, 0.0, "states none of the facts that were asked for")
            if id == "completeness_depth":
                share, reasoning = self._detail()
            elif id == "instruction_format":
                share, reasoning = self._form()
            else:
                share, reasoning = self._limits(criterion)
            return CriterionScore(id, round(MAX_SCORE * share, 4), reasoning)
        found = criterion_score(criterion, self.request.facts, self.request.traps, self.readings)
        if found is None:
            raise ValueError(f"the criterion {id} does not apply here")
        wrong = len(self.false_claims)
        if id not in _ACCURACY or not wrong or not found.score:
            return found
        # The score times the share of what is right: facts stated, or claims in the log.
        right = tally(criterion, self.request.facts, self.request.traps, self.readings).stated
        if id == "accuracy_technical":
            right = max(right, self.true_claims)
        score = round(found.score * right / (right + wrong), 4)
        reasoning = f"{found.reasoning}; not in the log: {listed(self.false_claims)}"
        return CriterionScore(id, score, reasoning)

    def _detail(self) -> tuple[float, str]:
        """Mean share of a fact's content stems that the answer holds; 0 for one not stated.

        The words of a wrong answer are no detail, though they are much the same.
        """
        have = set(content_stems(normalize(self.answer))) | set(exact_tokens(self.answer))
        facts = self.request.facts
        shares = [
            sum(term in have for term in terms) / len(terms)
            for fact, stated in zip(facts, self.readings.stated, strict=True)
            if stated and (terms := dict.fromkeys(content_stems(normalize(fact.text))))
        ]
        share = sum(shares) / len(facts)
        return share, f"{share:.0%} of the wanted detail is there"

    def _form(self) -> tuple[float, str]:
        """How far the answer has the form, from 0 to 1, and why."""
        lines = [line for line in self.answer.splitlines() if line.strip()]
        form = self.request.answer.format
        if form == "list":
            share = sum(bool(_BULLET.match(line)) for line in lines) / max(len(lines), 1)
            return share, f"{share:.0%} of the lines are list items"
        if form == "json":
            try:
                json.loads(self.answer)
            except (ValueError, RecursionError):
                return 0.0, "is not JSON"
            return 1.0, "is JSON"
        single = len(lines) == 1 and not _BULLET.match(lines[0])
        return (1.0, "one sentence") if single else (_SEVERAL_LINES, "more than one line")

    def _limits(self, criterion: Criterion) -> tuple[float, str]:
        """The rules that are known and the limits that are kept, each counting the same."""
        found = tally(criterion, self.request.facts, self.request.traps, self.readings)
        spec, index = self.request.answer, TextIndex(self.answer)
        lines = [line for line in self.answer.splitlines() if line.strip()]
        limits = [
            (f"more than {most} {what}", count <= most)
            for most, what, count in (
                (spec.max_items, "items", len(lines)),
                (spec.max_words, "words", len(self.answer.split())),
            )
            if most is not None
        ]
        limits += [(f"mentions {text}", not index.states([text])) for text in spec.forbid]
        broken = [name for name, kept in limits if not kept]
        known = max(0, found.stated - found.contradicted)
        share = (known + len(limits) - len(broken)) / (len(found.read) + len(limits))
        said = [found.reasoning] if found.read else []
        said += [f"broken: {listed(broken)}" if broken else "all limits kept"] if limits else []
        return share, "; ".join(said)
