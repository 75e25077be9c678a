"""Questions for what the rest of the session needed: names, choices, rules, failures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

from pytest_compaction.case import Change, FactType, ProbeKind
from pytest_compaction.case_making.keys import keys_of, role_keys
from pytest_compaction.case_making.log import (
    MAX_FACTS,
    Candidate,
    Draft,
    Found,
    Need,
    ProbeLog,
)
from pytest_compaction.case_making.needed import (
    NAME,
    changed_files,
    choices,
    failures,
    findings,
    given,
    last_part,
    rules,
    said_again,
    used,
)
from pytest_compaction.text import printable

GAP: Final = "____"
NEXT_CALLS: Final = 10
"""What the first calls after a point use belongs to the next step."""
_MOST_GAPS: Final = 4
_MOST_FAILURES: Final = 3
_NUMBER: Final = re.compile(r"v?[\d.]+|[A-Z]{2,12}-\d+")
_PATH: Final = re.compile(r".*\.[A-Za-z]\w{0,7}")


def needed_drafts(log: ProbeLog) -> Iterator[Draft]:
    """The questions at each point, at most one of a shape."""
    for point in range(len(log.points)):
        names = [found for need in used(log, point) if (found := _named(log, need, point))]
        soon = [found for found in names if _of(found).distance <= NEXT_CALLS][:MAX_FACTS]
        if len(soon) > 1:
            question = (
                "The work goes on from here. Which files, names and values does the next step "
                "build on, and what is known of each? Answer with what the session said of them."
            )
            yield _draft("continuation", "next-needs", question, soon, point, 0.1)
        rest = [found for found in names if len(soon) < 2 or found not in soon]
        yield from _gaps(rest, point)
        yield from _changed(log, point)
        yield from _finished(log, point)
        yield from _given(log, point)
        again = _stated(log, said_again(log, point), point, "decision")
        chosen = _stated(log, choices(log, point), point, "decision")
        yield from _answers(chosen, point)
        both = _distinct([*again, *reversed(chosen)])
        if both:
            question = "What did the user choose, decide or correct in the course of the session?"
            yield _draft("decision", "choices", question, both, point, 0.12)
        bound = _stated(log, rules(log, point), point, "constraint")
        if bound:
            question = "Which rules did the user set for the work?"
            yield _draft("decision", "rules", question, _distinct(bound), point, 0.14)
        broken = _stated(log, failures(log, point), point, "error")[:_MOST_FAILURES]
        if broken:
            shown = "; ".join(f"({n}) {_of(f).topic}" for n, f in enumerate(broken, 1))
            question = f"With which error did each of these commands fail? {shown}"
            yield _draft("recall", "failures", question, broken, point, 0.2)


def _draft(
    kind: ProbeKind, name: str, question: str, found: Sequence[Found], point: int, rank: float
) -> Draft:
    return Draft(kind, name, question, tuple(found), point, rank)


def _of(found: Found) -> Need:
    if found.need is None:
        raise ValueError(f"“{found.fact.text}” was not found as needed")
    return found.need


def _named(log: ProbeLog, need: Need, point: int) -> Found | None:
    """A name with its role, as a fact: a bare list of names does not state it."""
    keys = role_keys(need.clause, need.name, log.frequency)
    if not keys:
        return None
    type: FactType = "identifier"
    if _PATH.fullmatch(need.name):
        type = "path"
    elif _NUMBER.fullmatch(need.name) or need.name.startswith("http"):
        type = "value"
    elif need.name.startswith("--"):
        type = "command"
    return _found(log, Candidate(need.clause, type, keys), need, point)


def _stated(log: ProbeLog, needs: Iterable[Need], point: int, type: FactType) -> list[Found]:
    """Whole sentences as facts."""
    found = (_found(log, Candidate(need.clause, type), need, point) for need in needs)
    return [each for each in found if each is not None]


def _found(log: ProbeLog, told: Candidate, need: Need, point: int) -> Found | None:
    found = log.find(told, log.points[point], most=6)
    return found and replace(found, need=need)


def _distinct(found: Sequence[Found]) -> list[Found]:
    return list({each.fact.text: each for each in found}.values())[:MAX_FACTS]


def _gaps(names: Sequence[Found], point: int) -> Iterator[Draft]:
    """Sentences of the session with gaps for names: files in one question, others in another."""
    files = [found for found in names if found.fact.type == "path"][:_MOST_GAPS]
    others = [found for found in names if found.fact.type != "path"][:_MOST_GAPS]
    for kind, name, asked, held in (
        ("file", "file-gaps", "Which file belongs in each gap", files),
        ("recall", "name-gaps", "Which name or value belongs in each gap", others),
    ):
        if held:
            listed = "; ".join(f"({n}) “{_gap(_of(f))}”" for n, f in enumerate(held, 1))
            question = f"{asked} of what the session said? {listed}"
            yield Draft(kind, name, question, tuple(held), point, 0.15)  # type: ignore[arg-type]


def _gap(need: Need) -> str:
    """The clause with a gap for the name, and for the whole path where it ends one."""

    def blank(match: re.Match[str]) -> str:
        return GAP if last_part(match[0]) == need.name else match[0]

    return printable(NAME.sub(blank, need.clause), 200)


_VERBS: Final = (
    *(
        "modified",
        "changed",
        "edited",
        "updated",
        "fixed",
        "added",
        "removed",
        "extended",
        "rewrote",
    ),
    *("refactored", "implemented", "moved", "renamed", "created", "wrote"),
)
"""Words of which one tells that a file was changed: a bare list of names does not."""


def _changed(log: ProbeLog, point: int) -> Iterator[Draft]:
    found = []
    for need in changed_files(log, point):
        path, change = need.name, cast(Change, need.topic)
        keys = ((path,),) if change == "created" else ((path,), _VERBS)
        told = Candidate(need.clause, "path", keys, change if change == "created" else None)
        entry = log.find(told, log.points[point], most=40)
        if entry is not None:
            found.append(replace(entry, need=need))
    if found:
        question = (
            "Which files had been created or changed by then that the work goes on with, "
            "and which of the two was it? Answer as a list of paths."
        )
        chosen = tuple(found[:MAX_FACTS])
        yield Draft("file", "changed-files", question, chosen, point, 0.12, format="list")


def _finished(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Sentences that give a reason, of which the question quotes the first half."""
    held = []
    for need in findings(log, point):
        rest = keys_of(need.name, log.frequency)
        error = re.search(r"\b(?:fail|bug|error|issue|problem|crash|panic)", need.clause, re.I)
        told = Candidate(need.clause, "error" if error else "reason", rest[:3])
        if rest and (found := _found(log, told, need, point)):
            held.append(found)
    if held := held[:_MOST_GAPS]:
        listed = "; ".join(f"({n}) “{_of(f).topic} …”" for n, f in enumerate(held, 1))
        question = f"How does each of these sentences of the session go on? {listed}"
        yield Draft("decision", "reasons", question, tuple(held), point, 0.13)


def _given(log: ProbeLog, point: int) -> Iterator[Draft]:
    held = []
    for need in given(log, point):
        keys = role_keys(need.clause, need.name, log.frequency)
        if keys and (found := _found(log, Candidate(need.clause, "value", keys), need, point)):
            held.append(found)
    if held := held[-_MOST_GAPS:]:
        listed = "; ".join(
            f"({n}) “{printable(_of(f).clause.replace(_of(f).name, GAP), 200)}”"
            for n, f in enumerate(held, 1)
        )
        question = f"What did the user give for each gap? {listed}"
        yield Draft("recall", "given", question, tuple(held), point, 0.16)


def _answers(chosen: Sequence[Found], point: int) -> Iterator[Draft]:
    """Answers of the user to a question of the agent, each asked by that question."""
    for found in reversed(chosen):
        topic = _of(found).topic
        if topic.endswith("?") and len(topic.split()) > 4:
            question = f"The agent asked: “{printable(topic, 160)}” What did the user answer?"
            yield Draft("decision", "answer", question, (found,), point, 0.13)
