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
from dataclasses import dataclass, field, replace
from typing import Any, Final, get_args

from pytest_compaction.case.case import Fact, Trap
from pytest_compaction.case.kinds import (
    CHOICE_KIND,
    DEFAULT_TYPE,
    TEXT_KINDS,
    Change,
    FactType,
    ProbeKind,
)
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.wire.call import Call, Caller
from pytest_compaction.models.wire.only_object import NoObjectError, only_object
from pytest_compaction.models.wire.reply import read_reply
from pytest_compaction.probes.by_model.prompt import prompt, response_format
from pytest_compaction.probes.confirmation import confirmed
from pytest_compaction.probes.data import fact_data, states, trap_data
from pytest_compaction.probes.draft import Candidate, path_candidate
from pytest_compaction.probes.exact import weak_alone
from pytest_compaction.probes.keys import (
    MAX_GROUPS,
    MAX_KEY,
    Groups,
    given_away,
    keys_of,
)
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.secrets.shapes import STAND_IN
from pytest_compaction.text import TextIndex, is_path, normalize

REPLY_TOKENS: Final = 12_000
"""Room for sixteen probes and for the reasoning that some models spend before them."""
MAX_FACTS: Final = 6
MAX_ALTERNATIVES: Final = 8
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
    try:
        probes = only_object(text).get("probes")
    except NoObjectError:
        return None
    return probes if isinstance(probes, list) else None


def _in_turns(proposals: Sequence[Sequence[Any]]) -> list[Any]:
    """The first proposal of each stretch, then the second of each, so that all get places."""
    longest = max(map(len, proposals))
    return [held[turn] for turn in range(longest) for held in proposals if turn < len(held)]


def _checked(proposal: Any, log: ProbeLog, seen: set[str]) -> dict[str, Any] | str:
    """The probe, or the reason for refusing it; ``seen`` collects its question and facts."""
    if isinstance(proposal, Mapping) and proposal.get("kind") == CHOICE_KIND:
        return "a compliance probe, whose options must be written by hand"
    if not isinstance(proposal, Mapping) or proposal.get("kind") not in TEXT_KINDS:
        return "a probe in the wrong form"
    question, facts = proposal.get("question"), proposal.get("facts")
    if not isinstance(question, str) or not question.strip() or len(question) > MAX_QUESTION:
        return "a probe in the wrong form"
    if not isinstance(facts, list) or not facts:
        return "a probe without facts"
    if STAND_IN in question or normalize(question) in seen:
        return "a question asked before" if normalize(question) in seen else "a redacted value"
    found: list[Fact] = []
    for given in facts[:MAX_FACTS]:
        made = _fact(given, question, proposal["kind"], log, found)
        if isinstance(made, str):
            return made
        found.append(made)
    proposed = _traps(proposal.get("traps"), found, log)
    found, traps = confirmed(found, proposed, log.whole(log.points[-1]))
    if not found:
        return "facts that the whole log does not confirm"
    texts = {fact.text for fact in found}
    if texts <= seen:
        return "facts asked for before"
    seen.update(texts, {normalize(question)})
    probe: dict[str, Any] = {"kind": proposal["kind"], "question": question.strip()}
    probe["facts"] = [fact_data(fact) for fact in found]
    if traps:
        probe["traps"] = [trap_data(trap) for trap in traps]
    return probe


def _fact(
    given: Any, question: str, kind: ProbeKind, log: ProbeLog, others: Sequence[Fact]
) -> Fact | str:
    text = given.get("text") if isinstance(given, Mapping) else None
    if not isinstance(text, str) or not text.strip():
        return "a fact in the wrong form"
    candidate = _candidate(given, text.strip(), kind)
    everywhere = len(log.messages)
    found = log.find(candidate, log.points[-1], most=everywhere, tail=True)
    if found is None and candidate.keys:
        # The model's key groups are worth less than its fact: rules can make others.
        candidate = replace(candidate, keys=())
        found = log.find(candidate, log.points[-1], most=everywhere, tail=True)
    if found is None:
        return "a fact that the log does not state"
    if kind != "continuation" and log.find(candidate, log.points[-1], most=everywhere) is None:
        return "a fact that the tail of the log still states"
    if given_away(question, found.fact.keys, found.fact.text):
        return "a question that gives its answer away"
    if any(states(other.text, found.fact) for other in others):
        return "the same fact twice in one probe"
    return found.fact


def _candidate(given: Mapping[str, Any], text: str, kind: ProbeKind) -> Candidate:
    """The fact as proposed; a type or change that does not exist is replaced by the usual one."""
    type: FactType = (
        given["type"] if given.get("type") in get_args(FactType) else DEFAULT_TYPE[kind]
    )
    change = given.get("change") if type == "path" else None
    known: Change | None = change if change in get_args(Change) else None
    if known and " " not in text and is_path(normalize(text)):
        return path_candidate(text, known)
    return Candidate(text, type, _groups(given.get("keys")), known)


def _groups(given: Any) -> Groups:
    """Key groups as proposed; empty if one of them is in the wrong form."""
    if not isinstance(given, list) or not 0 < len(given) <= MAX_GROUPS:
        return ()
    groups = []
    for group in given:
        alternatives = group if isinstance(group, list) else [group]
        if not 0 < len(alternatives) <= MAX_ALTERNATIVES or not all(
            isinstance(key, str) and 0 < len(key.strip()) <= MAX_KEY for key in alternatives
        ):
            return ()
        groups.append(tuple(dict.fromkeys(key.strip() for key in alternatives)))
    alone = len(groups) == 1 and any(weak_alone(key) for key in groups[0])
    return () if alone else tuple(groups)


def _traps(traps: Any, facts: Sequence[Fact], log: ProbeLog) -> list[Trap]:
    """The traps that the facts themselves do not fall into."""
    answer = TextIndex("\n".join(fact.text for fact in facts))
    texts = {fact.text: fact for fact in facts}
    kept = []
    for given in traps[:MAX_FACTS] if isinstance(traps, list) else []:
        text = given.get("text") if isinstance(given, Mapping) else None
        if not isinstance(text, str) or not 0 < len(text.strip()) <= MAX_KEY:
            continue
        of = given.get("of")
        of = " ".join(of.split()) if isinstance(of, str) else ""
        known = texts.get(of)
        keys = _groups(given.get("keys")) or keys_of(text, log.frequency)
        trap = Trap(
            " ".join(text.split()),
            keys=keys,
            type=known.type if known else "value",
            of=known.text if known else None,
        )
        if (known or not of) and answer.read(trap.statement).outcome != "stated":
            kept.append(trap)
    return kept


def _named(probes: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    numbers: Counter[str] = Counter()
    named = []
    for probe in sorted(probes, key=lambda probe: TEXT_KINDS.index(probe["kind"])):
        numbers[probe["kind"]] += 1
        named.append({"id": f"{probe['kind']}-{numbers[probe['kind']]}-written", **probe})
    return named
