"""Probes written by a model; only those that the log confirms are kept.

The model sees the log in stretches, one for each compaction point. Its proposals pass
the same checks as derived probes: the log must state every fact before the question is
asked, according to the matcher that later judges, and no question may give one of its
facts away.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from pytest_compaction.case.case import PROBE_KINDS, About, Trap
from pytest_compaction.conversation.messages import Message, json_or_none
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call, Caller
from pytest_compaction.models.wire.reply import read_reply
from pytest_compaction.probes.by_model.prompt import prompt, response_format
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.secrets.shapes import STAND_IN
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.words import normalize

REPLY_TOKENS: Final = 12_000
"""Room for sixteen probes and for the reasoning that some models spend before them."""
MAX_FACTS: Final = 6
MAX_QUESTION: Final = 600
"""The most characters of a question; a longer one restates the session."""
_SPARE: Final = 1.5
"""The model is asked for this many times the wanted probes, because not all are kept."""


@dataclass(frozen=True, slots=True)
class WrittenProbes:
    """Probes in the shape of a case file, the number of proposals, and reasons for refusals."""

    probes: list[dict[str, Any]]
    proposed: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)


async def write_probes(
    caller: Caller,
    model: str,
    messages: Sequence[Message],
    points: Sequence[int],
    count: int,
    counter: TokenCounter | None = None,
    budget: int | None = None,
) -> WrittenProbes:
    """Ask the model for probes about each stretch of the log; at most ``count`` are kept.

    Raises :class:`~pytest_compaction.models.protocol.ModelError` when no stretch was
    answered; a single stretch without an answer counts as refused.
    """
    tokens = counter or TokenCounter()
    starts = [0, *(point + 1 for point in points[:-1])]
    wanted = max(2, round(count * _SPARE / len(points)))
    asked = [
        _asked(caller, model, messages[start : point + 1], wanted, tokens)
        for start, point in zip(starts, points, strict=True)
    ]
    replies = await asyncio.gather(*asked, return_exceptions=True)
    refused: Counter[str] = Counter()
    proposals: list[list[Any]] = []
    for reply in replies:
        if isinstance(reply, ModelError):
            refused[f"a part of the session was not answered: {reply}"] += 1
        elif isinstance(reply, BaseException):
            raise reply
        else:
            proposals.append(reply)
    if not proposals:
        raise next(reply for reply in replies if isinstance(reply, ModelError))
    log = ProbeLog(messages, points, budget)
    kept: list[dict[str, Any]] = []
    seen: set[str] = set()
    for proposal in _in_turns(proposals):
        probe = _checked(proposal, log, seen)
        if isinstance(probe, str):
            refused[probe] += 1
        elif len(kept) < count:
            kept.append(probe)
    proposed = sum(map(len, proposals))
    return WrittenProbes(_named(kept), proposed, dict(sorted(refused.items())))


async def _asked(
    caller: Caller, model: str, messages: Sequence[Message], count: int, tokens: TokenCounter
) -> list[Any]:
    body = {
        "model": model,
        "messages": prompt(messages, count, tokens.text),
        "max_tokens": REPLY_TOKENS,
        "temperature": 0,
        "seed": 1,
        "response_format": response_format(),
    }
    answered = await caller.call(Call("chat.completions", body))
    reply = read_reply("chat.completions", answered.body)
    if reply.problem:
        raise ModelError(f"{model} wrote no probes: {reply.problem}")
    probes = _parsed(reply.text)
    if probes is None:
        cut = " (it was cut off at its token limit)" if reply.cut else ""
        raise ModelError(f"{model} wrote no probes: its reply is not a JSON object of probes{cut}")
    return probes


def _parsed(text: str) -> list[Any] | None:
    start, end = text.find("{"), text.rfind("}")
    data = json_or_none(text[start : end + 1]) if start >= 0 else None
    probes = data.get("probes") if isinstance(data, Mapping) else None
    return probes if isinstance(probes, list) else None


def _in_turns(proposals: Sequence[Sequence[Any]]) -> list[Any]:
    """The first proposal of each stretch, then the second of each, so that all get places."""
    longest = max(map(len, proposals))
    return [held[turn] for turn in range(longest) for held in proposals if turn < len(held)]


def _checked(proposal: Any, log: ProbeLog, seen: set[str]) -> dict[str, Any] | str:
    """The probe, or the reason for refusing it; ``seen`` collects its question and facts."""
    if not isinstance(proposal, Mapping) or proposal.get("kind") not in PROBE_KINDS:
        return "a probe in the wrong form"
    question, facts = proposal.get("question"), proposal.get("facts")
    if not isinstance(question, str) or not question.strip() or len(question) > MAX_QUESTION:
        return "a probe in the wrong form"
    if not isinstance(facts, list) or not facts:
        return "a probe without facts"
    if STAND_IN in question or normalize(question) in seen:
        return "a question asked before" if normalize(question) in seen else "a redacted value"
    found: list[dict[str, Any]] = []
    for fact in facts[:MAX_FACTS]:
        made = _fact(fact, question, proposal["kind"], log, found)
        if isinstance(made, str):
            return made
        found.append(made)
    texts = {fact["text"] for fact in found}
    if texts <= seen:
        return "facts asked for before"
    seen.update(texts, {normalize(question)})
    probe: dict[str, Any] = {"kind": proposal["kind"], "question": question.strip()}
    probe["facts"] = found
    if traps := _traps(proposal.get("traps"), texts):
        probe["traps"] = traps
    return probe


def _fact(
    fact: Any, question: str, kind: str, log: ProbeLog, others: Sequence[Mapping[str, Any]]
) -> dict[str, Any] | str:
    text = fact.get("text") if isinstance(fact, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        return "a fact in the wrong form"
    about: About = fact["about"] if fact.get("about") in get_args(About) else "detail"
    everywhere = len(log.messages)
    found = log.find(text, log.points[-1], about, most=everywhere, tail=True)
    if found is None:
        return "a fact that the log does not state"
    if kind != "continuation" and log.find(text, log.points[-1], about, most=everywhere) is None:
        return "a fact that the tail of the log still states"
    if TextIndex(question).states((text,)):
        return "a question that gives its answer away"
    if any(TextIndex(other["text"]).states((text,)) for other in others):
        return "the same fact twice in one probe"
    return {"text": text.strip(), "evidence": list(found.fact.evidence), "about": about}


def _traps(traps: Any, facts: set[str]) -> list[dict[str, Any]]:
    """The traps that the facts themselves do not fall into, in the form of a case file."""
    answer = TextIndex("\n".join(sorted(facts)))
    kept = []
    for trap in traps[:MAX_FACTS] if isinstance(traps, list) else []:
        text = trap.get("text") if isinstance(trap, Mapping) else None
        current = trap.get("current") if isinstance(trap, Mapping) else None
        if not isinstance(text, str) or not isinstance(current, str):
            continue
        short = 0 < len(text.strip()) <= 200 and 0 < len(current.strip()) <= 200
        if short and not Trap(text).hit_by(answer):
            kept.append({"text": text.strip(), "current": current.strip()})
    return kept


def _named(probes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    numbers: Counter[str] = Counter()
    named = []
    for probe in sorted(probes, key=lambda probe: PROBE_KINDS.index(probe["kind"])):
        numbers[probe["kind"]] += 1
        named.append({"id": f"{probe['kind']}-{numbers[probe['kind']]}-written", **probe})
    return named
