"""Questions for what the rest of the session needed: names, choices, rules, failures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, cast

from pytest_compaction.case import Change, FactType, ProbeKind
from pytest_compaction.case_making import needed
from pytest_compaction.case_making.cues import cue
from pytest_compaction.case_making.keys import Groups, identifier_keys, keys_of, role_keys
from pytest_compaction.case_making.log import MAX_FACTS, Candidate, Draft, Found, Need, ProbeLog
from pytest_compaction.case_making.needed import NAME, VALUE, last_part
from pytest_compaction.case_making.questions import change_in
from pytest_compaction.text import printable

GAP: Final = "____"
NEXT_CALLS: Final = 10
"""A use within so many calls after a point belongs to the next step."""
_MOST_LISTED: Final = 4
"""A question of numbered parts has so many at most."""
_MOST_MENTIONS: Final = 8
_PATH: Final = re.compile(r".*\.[A-Za-z]\w{0,7}")
_CHANGED: Final = tuple(
    "modified changed edited updated fixed added removed extended rewrote refactored implemented"
    " moved renamed created wrote".split()
)
"""Words of which one tells that a file was changed: a bare list of names does not."""

Source = Callable[[ProbeLog, int], Iterator[Draft]]
"""Searches the log of a point for questions."""


def name_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Names that the next step builds on, and sentences with gaps for the names that come later."""
    known = [found for need in needed.used(log, point) if (found := named(log, need, point))]
    soon = [found for found in known if _of(found).distance <= NEXT_CALLS][:MAX_FACTS]
    if len(soon) > 1:
        question = (
            "The work goes on from here. Which files, names and values does the next step build "
            "on, and what is known of each?"
        )
        yield Draft("continuation", "next-needs", question, tuple(soon), point, 0.1)
    rest = [found for found in known if len(soon) < 2 or found not in soon]
    files = [found for found in rest if found.fact.type == "path"]
    values = [found for found in rest if found.fact.type == "value"]
    asked = "belongs in the gap of each sentence of the session"
    question = f"Which file {asked}: {{}}"
    for sure in (True, False):
        held = [found for found in files if (_of(found).way == "fetched") == sure]
        yield from _listed("file", "file-gaps", question, held, point, 0.15, _gap, sure)
    yield from _listed("recall", "values", f"Which value {asked}: {{}}", values, point, 0.12, _gap)
    asked = "Which exact value did the user give in the gap of each sentence: {}"
    loose = [found for need in needed.given(log, point) if (found := named(log, need, point))]
    yield from _listed("recall", "given", asked, loose, point, 0.3, _gap, sure=False)


def named(log: ProbeLog, need: Need, point: int) -> Found | None:
    """A name with its role, as a fact: a bare list of names does not state it."""
    type: FactType = "identifier"
    if VALUE.fullmatch(need.name):
        type = "value"
    elif _PATH.fullmatch(need.name):
        type = "path"
    elif need.name.startswith("--"):
        type = "command"
    of_english = log.language == "en"
    keys = role_keys(need.clause, need.name, log.frequency) if of_english else ((need.name,),)
    return _found(log, need, point, type, keys)


def _gap(need: Need) -> str:
    """The clause with a gap for the name, and for the whole path where it ends one."""

    def blank(match: re.Match[str]) -> str:
        return GAP if last_part(match[0]) == need.name else match[0]

    text = need.clause.replace(need.name, GAP) if need.topic else NAME.sub(blank, need.clause)
    return f"“{printable(text, 200)}”" + (f" (result of `{need.topic}`)" if need.topic else "")


def file_drafts(log: ProbeLog, point: int, every: bool = False) -> Iterator[Draft]:
    """Files that were created or changed, and with which the work goes on.

    With ``every`` all of them; where there is none, the newest files that were read.
    """
    found, read = list[Found](), list[Found]()
    for need in needed.changed_files(log, point, every):
        change = cast(Change, need.topic)
        by_change = change != "modified" or log.language != "en"
        keys: Groups = ((need.name,),) if by_change else ((need.name,), _CHANGED)
        clause = change_in(need.name, change, need.clause, log.language)
        told = Candidate(clause, "path", keys, change if by_change else None)
        if entry := log.find(told, log.points[point], most=40):
            (read if change == "read" else found).append(replace(entry, need=need))
    goes_on = "" if every else " that the work goes on with"
    question = (
        f"Which files had been created or changed by then{goes_on}, and which "
        "of the two was it? Answer as a list of paths."
    )
    if found:
        chosen = tuple(found[:MAX_FACTS])
        yield Draft("file", "changed-files", question, chosen, point, 0.12, format="list")
    elif read:
        question = "Which files had been read by then? Answer as a list of paths."
        yield Draft(
            "file", "read-files", question, tuple(read[-MAX_FACTS:]), point, 0.3, format="list"
        )


def decision_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Rules and choices of the user, each with those of which a person has to say whether.

    All answers to questions wait for a person: many can be guessed from the question.
    """
    chosen = _stated(log, needed.choices(log, point), point, "decision")
    answers = [found for found in chosen if _of(found).topic and _of(found).sure]
    for found in reversed([*_stated(log, needed.answered_questions(log, point), point), *answers]):
        question = f"The agent asked: “{_of(found).topic}” What did the user answer?"
        yield Draft("decision", "answer", question, (found,), point, 0.1, sure=False)
    question = "What did the user decide or correct in the course of the session?"
    others = [found for found in chosen if found not in answers]
    yield from _broad("choices", question, list(reversed(others)), point, 0.12)
    bound = _stated(log, needed.rules(log, point), point, "constraint")
    question = "Which rules and requirements did the user set for the work?"
    yield from _broad("rules", question, bound, point, 0.11)


def again_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """What the user said before the point and had to say again after it.

    In Chinese, where no rules make keys of words, only sentences with exact names are asked for.
    """
    needs = list(needed.said_again(log, point))
    again = _stated(log, needs, point) if log.language != "zh" else []
    for need in needs if log.language == "zh" else ():
        keys = identifier_keys(*needed.names(need.clause)[:3])
        again += filter(None, [_found(log, need, point, "decision", keys)] if keys else ())
    question = "What had the user asked for, decided or ruled that has to be kept in mind?"
    yield from _broad("said-again", question, again, point, 0.01)


def reason_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Findings and decisions of the agent about names that it uses later."""
    found: dict[str, Found] = {}
    for need in needed.findings(log, point):
        if need.name not in found:
            keys = keys_of(need.clause.replace(need.name, " "), log.frequency)
            if entry := _found(log, need, point, fact_type(need.clause), keys[:3]):
                found[need.name] = entry
    question = "What had been found out or decided about {}?"
    held = list(found.values())
    yield from _listed("decision", "findings", question, held, point, 0.13, _name, sure=False)


def _name(need: Need) -> str:
    return f"`{need.name}`"


def fact_type(clause: str) -> FactType:
    """An error, a decision or a reason by its words, or else a state of the work."""
    if re.search(r"\b(?:fail|bug|error|issue|problem|crash|panic)", clause, re.I):
        return "error"
    if cue("decision").search(clause):
        return "decision"
    return "reason" if cue("reason").search(clause) else "state"


def failure_drafts(log: ProbeLog, point: int) -> Iterator[Draft]:
    """Errors of commands whose programs run again."""
    found = _stated(log, needed.failures(log, point), point, "error")
    question = "With which error did this fail: {}?"
    for sure in (True, False):
        held = [each for each in found if _of(each).sure == sure]
        yield from _listed("recall", "failures", question, held, point, 0.14, _command, sure)


def _command(need: Need) -> str:
    return f"`{need.topic.replace('`', '')}`"


def request_drafts(log: ProbeLog, point: int, every: bool = False) -> Iterator[Draft]:
    """Requests of the user on which the work goes on, the newest ones; all with ``every``."""
    found = [
        entry
        for need in needed.requests(log, point, every)
        if (entry := log.find(log.task(need.clause, "next_step"), log.points[point], most=20))
        and (entry := replace(entry, need=need))
    ]
    goes_on = "by then" if every else "that the work goes on with"
    question = f"What had the user asked for {goes_on}?"
    if found:
        chosen = tuple(found[-_MOST_LISTED:])
        yield Draft("continuation", "requests", question, chosen, point, 0.11)


def _stated(
    log: ProbeLog, needs: Iterable[Need], point: int, type: FactType = "decision"
) -> list[Found]:
    found = (_found(log, need, point, type) for need in needs)
    return list({each.fact.text: each for each in found if each is not None}.values())


def _found(
    log: ProbeLog,
    need: Need,
    point: int,
    type: FactType,
    keys: Groups = (),
    most: int = _MOST_MENTIONS,
) -> Found | None:
    found = log.find(Candidate(need.clause, type, keys), log.points[point], most=most)
    return found and replace(found, need=need)


def _of(found: Found) -> Need:
    if found.need is None:
        raise ValueError(f"“{found.fact.text}” was not found as needed")
    return found.need


def _broad(
    name: str, question: str, found: Sequence[Found], point: int, rank: float
) -> Iterator[Draft]:
    for sure in (True, False):
        if held := [each for each in found if _of(each).sure == sure][:MAX_FACTS]:
            yield Draft("decision", name, question, tuple(held), point, rank, sure=sure)


def _listed(
    kind: ProbeKind,
    name: str,
    question: str,
    found: Sequence[Found],
    point: int,
    rank: float,
    part: Callable[[Need], str],
    sure: bool = True,
) -> Iterator[Draft]:
    for start in range(0, min(len(found), 2 * _MOST_LISTED), _MOST_LISTED):
        held = tuple(found[start : start + _MOST_LISTED])
        later = 0.1 * (start > 0)
        yield Draft(kind, name, question, held, point, rank + later, sure=sure, part=part)
