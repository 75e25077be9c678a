"""Derive probes from a transcript by rules: what must an agent know to continue?

The rest of the session answers that: what it uses, repeats or is bound by had to be remembered
(see ``needed``). Plans, failing tests, errors and exact values of the user are asked for as well.
The matcher that loads cases verifies every fact: a message states it, and so does the whole log,
read as ``lint`` reads it. A fact must be at risk: few messages state it, and none of them is in
the tail or in the last twentieth of the log; the present state is the exception, because it is
always stated late. No question states a fact of the case. The same log always gives the same
probes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from pytest_compaction.case import TEXT_KINDS
from pytest_compaction.case_making.agent_probes import plan_drafts
from pytest_compaction.case_making.log import (
    MAX_FACTS,
    Draft,
    Need,
    ProbeLog,
    fact_data,
    trap_data,
)
from pytest_compaction.case_making.needed_probes import needed_drafts
from pytest_compaction.case_making.run_probes import continuation_drafts, verdict_drafts
from pytest_compaction.case_making.selection import DraftedLog, select
from pytest_compaction.case_making.user_probes import error_drafts, value_drafts
from pytest_compaction.conversation import Message, shared_counter

DEFAULT_COUNT: Final = 128
LEAST_COUNT: Final = 16
TOKENS_PER_PROBE: Final = 3_000
"""A log may have a probe for each of these, and at least sixteen."""

SOURCES: Final = (
    needed_drafts,
    error_drafts,
    value_drafts,
    verdict_drafts,
    continuation_drafts,
    plan_drafts,
)
"""The functions that search a log for questions; a new kind of question adds one."""


def derive_probes(
    messages: Sequence[Message],
    points: Sequence[int],
    count: int = DEFAULT_COUNT,
    budget: int | None = None,
    recorded: Sequence[int] = (),
) -> list[dict[str, Any]]:
    """Probes in the shape of a case file, best supported first within a kind.

    At most ``count``, and no more than :func:`probe_count` of the log. ``messages`` is the whole
    session, ``points`` the ascending positions of the messages after which it is compacted;
    ``recorded`` are those after which the agent's own compaction is on record: only its summary
    can be used there, so what was needed is not asked for there. Kinds that the log does not
    support are left out. Given the ``budget`` of the case in tokens, no probe asks for a fact in
    the tail that ``lint`` expects every strategy to keep.
    """
    if not messages or not points:
        return []
    log = ProbeLog(messages, points, budget, recorded)
    drafts = (draft for source in SOURCES for draft in source(log) if draft.found)
    fitting = (draft for draft in drafts if draft.whole <= min(len(draft.found), MAX_FACTS))
    chosen = select(DraftedLog.of(log, fitting), probe_count(messages, count), len(points))
    numbers: Counter[str] = Counter()
    probes = []
    for draft in sorted(chosen, key=lambda draft: TEXT_KINDS.index(draft.kind)):
        numbers[draft.kind] += 1
        id = f"{draft.kind}-{numbers[draft.kind]}-{draft.name}"
        probes.append(_as_data(draft, id, log))
    return probes


def probe_count(messages: Sequence[Message], most: int) -> int:
    """Limit of probes by the tokens of a log, at most ``most``."""
    return min(most, max(LEAST_COUNT, shared_counter().messages(messages) // TOKENS_PER_PROBE))


def _as_data(draft: Draft, id: str, log: ProbeLog) -> dict[str, Any]:
    data: dict[str, Any] = {"id": id, "kind": draft.kind, "question": draft.question}
    if draft.point != log.last:
        data["point"] = f"p{draft.point + 1}"
    data["facts"] = [
        fact_data(found.fact) | ({"needed": _needed(found.need, log)} if found.need else {})
        for found in draft.found
    ]
    if draft.traps:
        data["traps"] = [trap_data(trap) for trap in draft.traps]
    if draft.format != "text":
        data["answer"] = {"format": draft.format}
    return data


def _needed(need: Need, log: ProbeLog) -> dict[str, Any]:
    """Why a fact is asked, in the shape of a case file."""
    message = log.messages[need.use or need.place]
    return {"how": need.way, "message": message.id, "distance": need.distance}
