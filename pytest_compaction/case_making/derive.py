"""Derive probes from a transcript by rules: what must an agent know to continue?

The matcher that loads cases verifies every fact: a message states it, and so does the
whole log, read as ``lint`` reads it. A fact must be at risk: few messages state it, and
none of them is in the tail or in the last twentieth of the log.
Continuation probes are the exception, because the present state is always stated late.
Probes of which the offline model finds a fact in the full log come first. No question
states one of its own facts. The same log always gives the same probes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.case import TEXT_KINDS
from pytest_compaction.case_making.agent_probes import announced_drafts, plan_drafts
from pytest_compaction.case_making.code_probes import (
    comment_drafts,
    defined_drafts,
    signature_drafts,
)
from pytest_compaction.case_making.edit_probes import changed_drafts, definition_drafts
from pytest_compaction.case_making.file_probes import file_drafts, request_drafts
from pytest_compaction.case_making.log import MAX_FACTS, Draft, ProbeLog, fact_data, trap_data
from pytest_compaction.case_making.run_probes import (
    commit_drafts,
    continuation_drafts,
    issue_drafts,
    output_drafts,
    pull_request_drafts,
    verdict_drafts,
)
from pytest_compaction.case_making.selection import Checks, DraftedLog, FullLogControl, select
from pytest_compaction.case_making.user_probes import error_drafts, value_drafts
from pytest_compaction.conversation import Message, shared_counter

DEFAULT_COUNT: Final = 128
LEAST_COUNT: Final = 16
TOKENS_PER_PROBE: Final = 3_000
"""A log may have a probe for each of these, and at least sixteen."""
FEW: Final = 8
"""With fewer probes, or less than two thirds of those that the log may have, a session is
also asked for single facts and for what the offline model does not answer."""
MAX_MENTIONS_ALONE: Final = 5


SOURCES: Final = (
    file_drafts,
    request_drafts,
    definition_drafts,
    error_drafts,
    value_drafts,
    changed_drafts,
    output_drafts,
    commit_drafts,
    pull_request_drafts,
    defined_drafts,
    signature_drafts,
    comment_drafts,
    announced_drafts,
    verdict_drafts,
    continuation_drafts,
    issue_drafts,
    plan_drafts,
)
"""The functions that search a log for questions; a new kind of question adds one."""


def derive_probes(
    messages: Sequence[Message],
    points: Sequence[int],
    count: int = DEFAULT_COUNT,
    budget: int | None = None,
    verified: bool = True,
) -> list[dict[str, Any]]:
    """Probes in the shape of a case file, best supported first within a kind.

    At most ``count``, and no more than :func:`probe_count` of the log.

    ``points`` are the ascending positions of the messages after which the log is
    compacted; most probes are asked after the last one. Kinds that the log does not
    support are left out. Given the ``budget`` of the case in tokens, no probe asks for a
    fact in the tail that ``lint`` expects every strategy to keep.

    Unless ``verified`` is false, probes with a fact that the offline model's answer from the
    full log states come first; ``lint`` calls the others unanswerable, and they only fill up
    what would be few. If no probe is left and the log fits the budget, facts in the tail are
    allowed too. ``lint`` then says what such probes are worth.
    """
    if not messages or not points:
        return []
    log = messages[: points[-1] + 1]
    count = probe_count(log, count)
    drafted = _drafted(ProbeLog(messages, points, budget))
    control = FullLogControl(messages, points) if verified else None
    chosen = _best(Checks(drafted, control), count)
    if not chosen and budget is not None and shared_counter().messages(log) <= budget:
        chosen = _best(Checks(_drafted(ProbeLog(messages, points))), count)
    numbers: Counter[str] = Counter()
    probes = []
    for draft in sorted(chosen, key=lambda draft: TEXT_KINDS.index(draft.kind)):
        numbers[draft.kind] += 1
        id = f"{draft.kind}-{numbers[draft.kind]}-{draft.name}"
        probes.append(_as_data(draft, id, last=len(points) - 1))
    return probes


def probe_count(messages: Sequence[Message], most: int) -> int:
    """Limit of probes by the tokens of a log, at most ``most``."""
    return min(most, max(LEAST_COUNT, shared_counter().messages(messages) // TOKENS_PER_PROBE))


def _drafted(log: ProbeLog) -> DraftedLog:
    """The drafts of a log, which is not held any more when the control reads it."""
    drafts = (draft for source in SOURCES for draft in source(log) if draft.found)
    return DraftedLog.of(
        log, (draft for draft in drafts if draft.whole <= min(len(draft.found), MAX_FACTS))
    )


def _best(checks: Checks, count: int) -> list[Draft]:
    """Drafts with several facts; if there are few, also drafts with one, then unanswered ones."""
    drafts = checks.log.drafts
    several = [draft for draft in drafts if len(draft.found) >= draft.least]
    chosen = select(several, count, checks)
    few = max(min(FEW, count), count * 2 // 3)
    if len(chosen) < few:
        # A single fact is worth a question, but not a file that is mentioned everywhere.
        alone = [
            replace(draft, least=1) if len(draft.found) == 1 else draft
            for draft in drafts
            if len(draft.found) > 1
            or draft.kind != "file"
            or len(draft.found[0].positions) <= MAX_MENTIONS_ALONE
        ]
        chosen = select(alone, few, checks, most=count)
        if checks.control is not None and len(chosen) < few:
            chosen = select(alone, few, Checks(checks.log), chosen, count)
    return chosen


def _as_data(draft: Draft, id: str, last: int) -> dict[str, Any]:
    data: dict[str, Any] = {"id": id, "kind": draft.kind, "question": draft.question}
    if draft.point != last:
        data["point"] = f"p{draft.point + 1}"
    data["facts"] = [fact_data(found.fact) for found in draft.found]
    if draft.traps:
        data["traps"] = [trap_data(trap) for trap in draft.traps]
    if draft.format != "text":
        data["answer"] = {"format": draft.format}
    return data
