"""Derive probes from a transcript by rules: what must an agent know to continue?

What the rest of the session uses, repeats or is bound by had to be remembered (see ``needed``).
Each fact is stated by the log as ``lint`` reads it, and is at risk: few messages state it, none of
them in the tail. The same log always gives the same probes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from pytest_compaction.case import TEXT_KINDS
from pytest_compaction.case_making.log import (
    Draft,
    Need,
    ProbeLog,
    fact_data,
)
from pytest_compaction.case_making.needed_probes import (
    Source,
    again_drafts,
    decision_drafts,
    failure_drafts,
    file_drafts,
    name_drafts,
    reason_drafts,
    request_drafts,
)
from pytest_compaction.case_making.open_probes import failing_drafts, plan_drafts
from pytest_compaction.case_making.selection import select
from pytest_compaction.conversation import Message, shared_counter

DEFAULT_COUNT: Final = 128
LEAST_COUNT: Final = 16
TOKENS_PER_PROBE: Final = 3_000
"""A log may have a probe for each of these, and at least sixteen."""

FILES: Final = "files changed and used again"
REQUESTS: Final = "requests of the user"
SOURCES: Final[Mapping[str, Source]] = {
    "names and values used from memory": name_drafts,
    FILES: file_drafts,
    "what the user said again": again_drafts,
    "rules and decisions of the user": decision_drafts,
    "reasons and causes about names used later": reason_drafts,
    "errors of commands run again": failure_drafts,
    REQUESTS: request_drafts,
    "open steps of plans": plan_drafts,
    "failing tests": failing_drafts,
}
"""The searches of a log for questions; a new kind of question adds one."""
OF_PROSE: Final = frozenset(
    {
        "rules and decisions of the user",
        "reasons and causes about names used later",
        REQUESTS,
        "open steps of plans",
    }
)
"""Searches that read prose by English rules, and are made in no other language."""
LAST_RESORT: Final[Mapping[str, str]] = {
    "requests": REQUESTS,
    "changed-files": FILES,
    "read-files": FILES,
}
"""Names of the questions of a session in which nothing is seen to be needed, and their searches."""

UNLIKELY: Final = frozenset({"choices", "failures", "file-gaps", "findings", "given", "rules"})
"""Names of questions of which readers would confirm less than 40 % where they are not sure."""


@dataclass(frozen=True, slots=True)
class DerivedProbes:
    """Probes in the shape of a case file, and ``proposed`` ones that wait for a person.

    ``unlikely`` are proposals of kinds that people rarely confirm.
    ``lacking`` has the kinds that a point (by its id) has no probe of; ``found`` has for each
    source how many facts it found, and how many of them are asked or proposed. ``unasked`` are the
    searches that were not made, for want of rules for the ``language``.
    """

    probes: list[dict[str, Any]] = field(default_factory=list)
    proposed: list[dict[str, Any]] = field(default_factory=list)
    unlikely: list[dict[str, Any]] = field(default_factory=list)
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    found: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    unasked: tuple[str, ...] = ()
    language: str = "en"


def derive_probes(
    messages: Sequence[Message],
    points: Sequence[int],
    count: int = DEFAULT_COUNT,
    budget: int | None = None,
    recorded: Sequence[int] = (),
) -> DerivedProbes:
    """Questions that a log supports, best supported first within a kind; at most ``count``.

    ``messages`` is the whole session, ``points`` the ascending positions after which it is
    compacted, ``recorded`` those after which the agent's own compaction is on record. Given the
    ``budget``, no probe asks for a fact in the tail that ``lint`` expects every strategy to keep.
    """
    if not messages or not points:
        return DerivedProbes()
    log = ProbeLog(messages, points, budget, recorded)
    drafts: list[Draft] = []
    source_of = dict(LAST_RESORT)
    looked: Counter[str] = Counter()
    unasked = tuple(label for label in SOURCES if log.language != "en" and label in OF_PROSE)
    for label, source in SOURCES.items():
        if label in unasked:
            continue
        for point in range(len(points)):
            for draft in source(log, point):
                if len(draft.found) >= max(1, draft.whole):
                    drafts.append(draft)
                    source_of[draft.name] = label
                    looked[label] += len(draft.found)
    most = probe_count(messages, count)
    asked = select(log, (draft for draft in drafts if draft.sure), most)
    waiting = select(log, (draft for draft in drafts if not draft.sure), most, _texts(asked))
    # Better than no case: what was stated, though nothing shows that it was needed.
    asked = asked or select(log, _stated_only(log), most, _texts(waiting))
    kept = Counter(source_of[each.name] for each in (*asked, *waiting) for _ in each.found)
    lacking = {}
    for point in range(len(points)):
        held = {draft.kind for draft in asked if draft.point == point}
        if lacks := tuple(kind for kind in TEXT_KINDS if kind not in held):
            lacking[f"p{point + 1}"] = lacks
    numbers: Counter[str] = Counter()
    likely = [draft for draft in waiting if draft.name not in UNLIKELY]
    unlikely = [draft for draft in waiting if draft.name in UNLIKELY]
    return DerivedProbes(
        _numbered(asked, numbers, log),
        _numbered(likely, numbers, log),
        _numbered(unlikely, numbers, log),
        lacking,
        {label: (looked[label], kept[label]) for label in SOURCES},
        unasked,
        log.language,
    )


def _texts(drafts: Iterable[Draft]) -> set[str]:
    return {found.fact.text for draft in drafts for found in draft.found}


def _stated_only(log: ProbeLog) -> Iterator[Draft]:
    """All requests of the user and all files changed or read, as facts that are stated only."""
    for point in range(len(log.points)):
        requests = request_drafts(log, point, True) if log.language == "en" else ()
        for draft in (*requests, *file_drafts(log, point, True)):
            yield replace(draft, found=tuple(replace(each, need=None) for each in draft.found))


def probe_count(messages: Sequence[Message], most: int) -> int:
    """Limit of probes by the tokens of a log, at most ``most``."""
    return min(most, max(LEAST_COUNT, shared_counter().messages(messages) // TOKENS_PER_PROBE))


def _numbered(
    drafts: Sequence[Draft], numbers: Counter[str], log: ProbeLog
) -> list[dict[str, Any]]:
    """The drafts in the shape of a case file; ``numbers`` counts on over all lists of a case."""
    probes = []
    for draft in sorted(drafts, key=lambda draft: (TEXT_KINDS.index(draft.kind), draft.point)):
        numbers[draft.kind] += 1
        probes.append(_as_data(draft, f"{draft.kind}-{numbers[draft.kind]}-{draft.name}", log))
    return probes


def _as_data(draft: Draft, id: str, log: ProbeLog) -> dict[str, Any]:
    data: dict[str, Any] = {"id": id, "kind": draft.kind, "question": draft.asked_in(log.language)}
    if draft.point != log.last:
        data["point"] = f"p{draft.point + 1}"
    data["facts"] = [
        fact_data(found.fact) | ({"needed": _needed(found.need, log)} if found.need else {})
        for found in draft.found
    ]
    if draft.format != "text":
        data["answer"] = {"format": draft.format}
    return data


def _needed(need: Need, log: ProbeLog) -> dict[str, Any]:
    data = {"how": need.way, "message": log.messages[need.use].id, "distance": need.distance}
    return data | ({"act": need.act} if need.act else {})
