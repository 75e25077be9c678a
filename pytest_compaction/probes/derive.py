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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.case.case import PROBE_KINDS, Fact
from pytest_compaction.conversation.messages import Message
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.probes.confirmation import is_confirmed, keys_agree
from pytest_compaction.probes.control import FullLogControl
from pytest_compaction.probes.data import fact_data, states, trap_data
from pytest_compaction.probes.keys import given_away
from pytest_compaction.probes.log import Draft, Found, ProbeLog
from pytest_compaction.probes.sources.changed import changed_drafts
from pytest_compaction.probes.sources.checks import check_drafts
from pytest_compaction.probes.sources.decisions import decision_drafts
from pytest_compaction.probes.sources.edits import edit_drafts
from pytest_compaction.probes.sources.errors import error_drafts
from pytest_compaction.probes.sources.files import file_drafts
from pytest_compaction.probes.sources.last_edits import last_edit_drafts
from pytest_compaction.probes.sources.options import option_drafts
from pytest_compaction.probes.sources.outputs import output_drafts
from pytest_compaction.probes.sources.plans import plan_drafts
from pytest_compaction.probes.sources.reruns import rerun_drafts
from pytest_compaction.probes.sources.rules import rule_drafts
from pytest_compaction.probes.sources.turns import continuation_drafts
from pytest_compaction.probes.sources.values import value_drafts
from pytest_compaction.text.matching import TextIndex

DEFAULT_COUNT: Final = 16
FEW: Final = 8
"""A session with fewer probes is also asked for single facts and for unanswered ones."""
MAX_MENTIONS_ALONE: Final = 5
MAX_FACTS: Final = 6
MAX_OF_A_NAME: Final = 3
MAX_DRAFTS_OF_A_NAME: Final = 200
"""Bounds the work on huge logs: the control answers every draft that comes up for choice."""
REPETITION: Final = 0.25
"""What each chosen draft of a name adds to the rank of the others of that name."""
WANTED: Final[Mapping[str, int]] = {"file": 4, "recall": 6, "continuation": 3, "decision": 3}
"""How many probes of each kind are chosen before the rest is filled by rank."""


SOURCES: Final = (
    file_drafts,
    edit_drafts,
    last_edit_drafts,
    error_drafts,
    value_drafts,
    rule_drafts,
    changed_drafts,
    output_drafts,
    rerun_drafts,
    check_drafts,
    continuation_drafts,
    plan_drafts,
    decision_drafts,
    option_drafts,
)
"""The functions that search a log for questions; a new kind of question adds one."""


def derive_probes(
    messages: Sequence[Message],
    points: Sequence[int],
    count: int = DEFAULT_COUNT,
    budget: int | None = None,
    verified: bool = True,
) -> list[dict[str, Any]]:
    """At most ``count`` probes in the shape of a case file, best supported first within a kind.

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
    control = FullLogControl(messages, points) if verified else None
    chosen = _best(_Checks(ProbeLog(messages, points, budget), control), count)
    if not chosen and budget is not None and _fits(messages[: points[-1] + 1], budget):
        chosen = _best(_Checks(ProbeLog(messages, points)), count)
    numbers: Counter[str] = Counter()
    probes = []
    for draft in sorted(chosen, key=lambda draft: PROBE_KINDS.index(draft.kind)):
        numbers[draft.kind] += 1
        id = f"{draft.kind}-{numbers[draft.kind]}-{draft.name}"
        probes.append(_as_data(draft, id, last=len(points) - 1))
    return probes


def _fits(messages: Sequence[Message], budget: int) -> bool:
    return TokenCounter().messages(messages) <= budget


def _drafts(log: ProbeLog) -> list[Draft]:
    return [draft for source in SOURCES for draft in source(log) if draft.found]


@dataclass(frozen=True, slots=True)
class _Checks:
    """What a draft must pass: the log confirms it, and the control, if there is one, answers it."""

    log: ProbeLog
    control: FullLogControl | None = None


def _best(checks: _Checks, count: int) -> list[Draft]:
    """Drafts with several facts; if there are few, also drafts with one, then unanswered ones."""
    drafts = _drafts(checks.log)
    several = [draft for draft in drafts if len(draft.found) >= draft.least]
    chosen = _chosen(several, count, checks)
    few = min(FEW, count)
    if len(chosen) < few:
        alone = [_alone(draft) for draft in drafts if _worth_asking_alone(draft)]
        chosen = _chosen(alone, few, checks)
        if checks.control is not None and len(chosen) < few:
            chosen = _chosen(alone, few, _Checks(checks.log), chosen)
    return chosen


def _alone(draft: Draft) -> Draft:
    """Allow a draft of one fact; a draft of several facts still needs two of them."""
    return replace(draft, least=1) if len(draft.found) == 1 else draft


def _worth_asking_alone(draft: Draft) -> bool:
    """Whether a single fact is worth a question; a file that is mentioned everywhere is not."""
    several = len(draft.found) > 1 or draft.kind != "file"
    return several or len(draft.found[0].positions) <= MAX_MENTIONS_ALONE


def _chosen(
    drafts: Sequence[Draft],
    count: int,
    checks: _Checks,
    already: Sequence[Draft] = (),
) -> list[Draft]:
    """Choose one draft of each kind per round, then fill up by rank; repeated names rank lower.

    Those ``already`` chosen stay.
    """
    left: list[Draft] = []
    kept: Counter[str] = Counter()
    asked = {(draft.question, draft.point) for draft in already}
    for draft in sorted(drafts, key=lambda draft: draft.rank):
        if (draft.question, draft.point) in asked:
            continue
        kept[draft.name] += 1
        if kept[draft.name] <= MAX_DRAFTS_OF_A_NAME:
            left.append(draft)
    rounds = max(WANTED.values())
    turns: list[str] = [
        kind for turn in range(rounds) for kind in PROBE_KINDS if turn < WANTED[kind]
    ]
    used = {found.fact.text for draft in already for found in draft.found}
    names = Counter(draft.name for draft in already)
    chosen = list(already)
    for kind in [*turns, *[""] * count]:
        if len(chosen) >= count:
            break
        best = _next(left, kind, used, names, checks)
        if best is not None:
            chosen.append(best)
            names[best.name] += 1
            used.update(found.fact.text for found in best.found)
    return chosen


def _next(
    left: list[Draft],
    kind: str,
    used: set[str],
    names: Mapping[str, int],
    checks: _Checks,
) -> Draft | None:
    """Remove and return the best draft of a kind (of any kind for ``""``) that passes its checks.

    Drafts that fail a check are removed as well.
    """
    while True:
        fitting = [
            draft
            for draft in left
            if kind in {"", draft.kind} and names[draft.name] < MAX_OF_A_NAME
        ]
        if not fitting:
            return None
        best = min(fitting, key=lambda draft: draft.rank + REPETITION * names[draft.name])
        left.remove(best)
        checked = _checked(best, used, checks.log)
        control = checks.control
        if checked is not None and (control is None or control.answers(checked)):
            return checked


def _checked(draft: Draft, used: set[str], log: ProbeLog) -> Draft | None:
    """The draft reduced to the facts that may be asked: at most six, not leaked, not repeated.

    The log up to the question must confirm each of them. ``None`` when too few are left.
    """
    whole = log.whole(log.points[draft.point])
    sound = [trap for trap in draft.traps if keys_agree(trap)]
    kept: list[Found] = []
    for found in draft.found:
        fact = found.fact
        repeated = fact.text in used and fact.type != "path"
        leaked = given_away(draft.question, fact.keys, fact.text)
        if repeated or leaked or _within(fact, kept) or not is_confirmed(fact, sound, whole):
            continue
        kept.append(found)
    if len(kept) < draft.least or all(found.fact.text in used for found in kept):
        return None
    best = sorted(kept, key=lambda found: found.risk)[:MAX_FACTS]
    facts = {found.fact.text for found in best}
    answer = TextIndex("\n".join(sorted(facts)))
    traps = tuple(
        trap
        for trap in sound
        if trap.of in facts and answer.read(trap.statement).outcome != "stated"
    )
    chosen = tuple(found for found in kept if found.fact.text in facts)
    return replace(draft, found=chosen, traps=traps)


def _within(fact: Fact, kept: Sequence[Found]) -> bool:
    """Whether another fact of the probe states this one, or the reverse."""
    return any(states(other.fact.text, fact) or states(fact.text, other.fact) for other in kept)


def _as_data(draft: Draft, id: str, last: int) -> dict[str, Any]:
    data: dict[str, Any] = {"id": id, "kind": draft.kind, "question": draft.question}
    if draft.point != last:
        data["point"] = f"p{draft.point + 1}"
    data["facts"] = [fact_data(found.fact) for found in draft.found]
    if draft.traps:
        data["traps"] = [trap_data(trap) for trap in draft.traps]
    if draft.answer:
        data["answer"] = dict(draft.answer)
    return data
