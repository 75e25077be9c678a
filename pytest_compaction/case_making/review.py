"""A person's answers to the questions of a case file, written into the file one by one.

A yes moves a candidate from ``proposed`` to ``probes`` and marks its facts as confirmed. A no
moves it to ``declined``, so that a later import of the session does not propose it again.
The file keeps its manner: indentation, blanks and escapes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pytest_compaction.case import Case, CaseFault, Fact, Probe, checked_case, read_json
from pytest_compaction.case_making.lint import RULES, check_full_log
from pytest_compaction.case_making.lint_facts import (
    check_choices,
    check_keys,
    check_questions,
    check_sizes,
)
from pytest_compaction.case_making.log import ProbeLog
from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.text import normalize, printable

PROPOSED: Final = "proposed"
ASKED: Final = "probes"
DECLINED: Final = "declined"
MOST_EARLIER: Final = 64_000_000
"""Characters of earlier texts of a file that are kept to take answers back."""
MAX_EVIDENCE: Final = 3
_MARK: Final = "\ufeff"
"""The byte order mark with which a file may begin."""


class ReviewError(Exception):
    """An answer cannot be taken; the message says why."""


@dataclass(frozen=True, slots=True)
class Question:
    """A probe of the list ``place`` of a case file: as data, and as it is read."""

    place: str
    data: Mapping[str, Any]
    probe: Probe

    @property
    def mark(self) -> str:
        """Tells whether a question is still the one that a person has seen."""
        return short_hash(canonical_json(self.data))


class Review:
    """The questions of a case that wait for a person; ``text`` is the case as it stands now."""

    def __init__(self, case: Case, text: str, asked: bool = False) -> None:
        self.case = case
        self.text = text
        data = json.loads(text.lstrip(_MARK))
        lists = [(PROPOSED, case.proposed), *([(ASKED, case.probes)] if asked else [])]
        self.questions = tuple(
            Question(place, raw, probe)
            for place, probes in lists
            for raw, probe in zip(data.get(place, ()), probes, strict=True)
            if place == PROPOSED or not is_confirmed(raw)
        )
        self._earlier: list[tuple[Question, str]] = []

    def accept(self, question: Question, edited: str | None = None) -> None:
        """Take a yes into the text; ``edited`` is what became of :func:`as_text` of the question.

        Raises :class:`ReviewError` if ``lint`` would find an error in the question.
        """
        case = json.loads(self.text.lstrip(_MARK))
        data, probe = dict(question.data), question.probe
        if edited is not None:
            data = self._changed(question, edited)
        is_other = _facts(data) != _facts(question.data)
        data = confirmed(data)
        twin = _twin(case, data) if question.place == PROPOSED else None
        if twin is not None:
            data = _joined(case[ASKED][twin], data)
        if edited is not None or twin is not None:
            found = checked_case({**case, ASKED: [data], PROPOSED: []})
            if not isinstance(found, Case):
                faults = [str(fault).removeprefix("/probes/0/") for fault in found[:3]]
                raise ReviewError("; ".join(faults))
            probe = found.probes[0]
        if errors := list(self._errors(probe)):
            raise ReviewError("; ".join(errors[:3]))
        place = _removed(case, question)
        if twin is not None:
            case[ASKED][twin] = data
        else:
            case[ASKED].insert(place if question.place == ASKED else len(case[ASKED]), data)
        if is_other:
            case.setdefault(DECLINED, []).append(question.data)
        self._take(question, case)

    def decline(self, question: Question) -> None:
        """Take a no into the text."""
        case = json.loads(self.text.lstrip(_MARK))
        if question.place == ASKED and len(case[ASKED]) == 1:
            raise ReviewError("this is the only question of the case, and a case needs one")
        _removed(case, question)
        case.setdefault(DECLINED, []).append(question.data)
        self._take(question, case)

    def _take(self, question: Question, case: Mapping[str, Any]) -> None:
        self._earlier.append((question, self.text))
        while len(self._earlier) > 1 and sum(len(old) for _, old in self._earlier) > MOST_EARLIER:
            del self._earlier[0]
        self.text = _written(self.text, case)

    def take_back(self, question: Question) -> bool:
        """Take back the answer to a question, if it is the last one that was given."""
        if not self._earlier or self._earlier[-1][0] is not question:
            return False
        self.text = self._earlier.pop()[1]
        return True

    def _errors(self, probe: Probe) -> Iterator[str]:
        others = tuple(each for each in self.case.probes if each.id != probe.id)
        among = check_questions(replace(self.case, probes=(*others, probe)))
        alone = replace(self.case, probes=(probe,))
        for remark in chain(
            (each for each in among if each.pointer.startswith(f"/probes/{len(others)}/")),
            check_keys(alone),
            check_choices(alone),
            check_sizes(alone, None),
            check_full_log(alone),
        ):
            if (remark.level or RULES[remark.rule][0]) == "error":
                yield remark.text

    def _changed(self, question: Question, edited: str) -> dict[str, Any]:
        """The question with what a person changed; an edited fact gets its evidence anew."""
        asked, parts = from_text(edited, question.data)
        facts = []
        for data, is_new in parts:
            if is_new:
                fact = Fact(
                    data["text"],
                    type=data.get("type", question.probe.facts[0].type),
                    keys=tuple(map(tuple, _groups(data))),
                    change=data.get("change"),
                )
                end = self.case.points[question.probe.point]
                stated = [place for place in self._log.stated(fact) if place <= end.index]
                if not stated:
                    raise ReviewError(
                        f"no message before {printable(end.id)} states "
                        f"“{printable(fact.text, 80)}” with these keys in one clause"
                    )
                ids = [self.case.messages[place].id for place in stated[:MAX_EVIDENCE]]
                data = {**data, "evidence": ids}
            facts.append(data)
        return {**_with_facts(question.data, facts), "question": asked}

    @cached_property
    def _log(self) -> ProbeLog:
        return ProbeLog(self.case.messages, [point.index for point in self.case.points])


def review_of(text: str, source: str, asked: bool = False) -> Review | tuple[CaseFault, ...]:
    """The review of the case that a text is, or what is wrong with it."""
    data = read_json(text.lstrip(_MARK))
    if isinstance(data, CaseFault):
        return (data,)
    if not isinstance(data, dict):
        return (CaseFault("", f"a {type(data).__name__}", "an object that describes a case"),)
    only_proposed = data.get(ASKED) == [] and data.get(PROPOSED)
    if only_proposed:
        data |= {ASKED: data[PROPOSED], PROPOSED: []}
    case = checked_case(data, source)
    if not isinstance(case, Case):
        return case
    if only_proposed:
        case = replace(case, probes=(), proposed=case.probes)
    return Review(case, text, asked)


def is_confirmed(data: Mapping[str, Any]) -> bool:
    """Whether a person said yes to every fact of a probe."""
    return all(map(_agreed, data["facts"]))


def confirmed(data: Mapping[str, Any]) -> dict[str, Any]:
    """A probe whose facts are marked as confirmed by a person."""
    marked = [
        {**fact, "needed": {**fact.get("needed", {"how": "confirmed"}), "confirmed": True}}
        for fact in data["facts"]
    ]
    return {**data, "facts": marked}


@dataclass(frozen=True, slots=True)
class Carried:
    """A case with the answers of an earlier import, and how many there are of each kind."""

    data: dict[str, Any]
    confirmed: int
    lost: int
    declined: int


def with_answers(made: dict[str, Any], earlier: Case, text: str) -> Carried:
    """A case imported anew, with the answers in the ``text`` of an earlier import of the session.

    Confirmed questions stay if the session still bears them out. Declined ones are neither asked
    nor proposed again.
    """
    data = json.loads(text.lstrip(_MARK))
    declined = data.get(DECLINED, [])
    kept = [
        (part, earlier.points[probe.point].index)
        for raw, probe in zip(data[ASKED], earlier.probes, strict=True)
        if (part := _with_facts(raw, [fact for fact in raw["facts"] if _agreed(fact)]))["facts"]
    ]
    no = {_facts(raw) for raw in declined}
    yes = frozenset().union(*(_facts(part) for part, _ in kept))
    case = dict(made)
    for name in (ASKED, PROPOSED):
        if name in case:
            left = (raw for raw in case[name] if _facts(raw) not in no and not _facts(raw) <= yes)
            case[name] = list(left)
    position = {message["id"]: place for place, message in enumerate(made["messages"])}
    last = case["compaction_points"][-1]["id"]
    lost = 0
    for part, asked in kept:
        at = position.get(earlier.messages[asked].id, len(position))
        points = [p["id"] for p in case["compaction_points"] if position[p["after"]] >= at]
        taken = {each["id"] for name in (ASKED, PROPOSED) for each in case.get(name, ())}
        names = chain([part["id"]], (f"{part['id'][:70]}-{n}" for n in range(2, len(taken) + 3)))
        again = {**part, "id": next(n for n in names if n not in taken)}
        if points != [last] or "point" in part:
            again["point"] = [*points, ""][0]
        twin = _twin(case, again)
        again = again if twin is None else _joined(case[ASKED][twin], again)
        if isinstance(checked_case({**case, ASKED: [again], PROPOSED: []}), Case):
            before = case[ASKED] if twin is None else case[ASKED][:twin]
            after = [] if twin is None else case[ASKED][twin + 1 :]
            case[ASKED] = [*before, again, *after]
        else:
            lost += 1
    if declined:
        case[DECLINED] = declined
    return Carried(case, len(kept) - lost, lost, len(declined))


def _removed(case: Mapping[str, Any], question: Question) -> int:
    """Remove a question from its list; the place where it stood."""
    listed = case[question.place]
    place = [raw["id"] for raw in listed].index(question.data["id"])
    del listed[place]
    return place


def _agreed(fact: Mapping[str, Any]) -> bool:
    return fact.get("needed", {}).get("confirmed") is True


def _with_facts(data: Mapping[str, Any], facts: list[Any]) -> dict[str, Any]:
    """A question for these facts alone, with the traps that stand against them or against none."""
    texts = {fact["text"] for fact in facts}
    traps = [trap for trap in data.get("traps", ()) if trap.get("of") in {None, *texts}]
    left = {key: value for key, value in data.items() if key != "traps"}
    return {**left, "facts": facts, **({"traps": traps} if traps else {})}


def _twin(case: Mapping[str, Any], data: Mapping[str, Any]) -> int | None:
    """The number of the question that is asked in the same words at the same point."""
    points = case["compaction_points"]
    last = points[-1].get("id", f"p{len(points)}")
    wanted = (normalize(data["question"]), data.get("point", last))
    asked = [(normalize(raw["question"]), raw.get("point", last)) for raw in case[ASKED]]
    return asked.index(wanted) if wanted in asked else None


def _joined(asked: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    facts = {fact["text"]: fact for fact in [*asked["facts"], *data["facts"]]}
    traps = [*asked.get("traps", ()), *data.get("traps", ())]
    return {**asked, "facts": list(facts.values()), **({"traps": traps} if traps else {})}


def _facts(data: Mapping[str, Any]) -> frozenset[str]:
    """A question is known again by the facts that it asks for."""
    return frozenset(fact["text"] for fact in data["facts"])


# A question as a text that a person edits

EDIT_GUIDE: Final = """\
# Change the lines below, save and close. Lines that begin with # are left out.
# A group of keys holds ways to say the same (a | b); the fact needs one of each group (a + b).
# Delete the lines of a fact to ask for less. Empty the file to leave the question as it was.
"""
_LINE: Final = re.compile(r"(question|fact|type|keys):[ \t]*(.*)")


def as_text(data: Mapping[str, Any]) -> str:
    """A question and its facts as lines that a person can change."""
    lines = [f"question: {_shown(data['question'])}"]
    for fact in data["facts"]:
        lines += ["", f"fact: {_shown(fact['text'])}"]
        lines += [f"type: {fact['type']}"] if "type" in fact else []
        lines += [f"keys: {_keys(fact)}"] if "keys" in fact else []
    return "\n".join(lines) + "\n"


def from_text(text: str, data: Mapping[str, Any]) -> tuple[str, list[tuple[dict[str, Any], bool]]]:
    """The question and its facts as edited, each with whether its wording or keys are new.

    A line that stands as :func:`as_text` wrote it means what it meant before, with any sign that
    cannot be shown. Raises :class:`ReviewError` for a text of another form.
    """
    asked, edited = "", list[dict[str, str]]()
    name = ""
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if not line.strip() or line.startswith("#"):
            continue
        match = _LINE.match(line)
        if match and (match[1] in {"question", "fact"} or edited):
            name, value = match[1], match[2].strip()
        elif line[0].isspace() and name:
            value = f"\n  {line.strip()}"
        else:
            raise ReviewError(
                f"line {number} is “{printable(line, 60)}”; a line begins with question:, fact:, "
                "type: or keys:, and the last two come after their fact:"
            )
        if name == "question":
            asked += value
        elif name == "fact" and match:
            edited.append({"fact": value})
        else:
            edited[-1][name] = edited[-1].get(name, "") + value
    if not asked or not edited:
        raise ReviewError("there is no line question:, or no line fact: after it")
    left = list(data["facts"])
    facts = []
    for number, lines in enumerate(edited):
        same = [fact for fact in left if _shown(fact["text"]) == lines["fact"]]
        known = same or [fact for fact in data["facts"][number : number + 1] if fact in left]
        before = known[0] if known else {}
        if known:
            left.remove(before)
        facts.append(_edited_fact(lines, before))
    same_question = asked == _shown(data["question"])
    return data["question"] if same_question else _meant(asked), facts


def _edited_fact(
    lines: Mapping[str, str], before: Mapping[str, Any]
) -> tuple[dict[str, Any], bool]:
    same_text = lines["fact"] == _shown(before.get("text", ""))
    same_keys = lines.get("keys", "") == _keys(before)
    fact = {"evidence": [], **before}
    fact["text"] = before["text"] if same_text else _meant(lines["fact"])
    fact |= {"type": lines["type"]} if "type" in lines else {}
    if not same_keys:
        groups = [
            re.split(r"\s\|\s", group) for group in re.split(r"\s\+\s", lines.get("keys", ""))
        ]
        fact["keys"] = [[key.strip() for key in group] for group in groups]
        if fact["keys"] == [[""]]:
            del fact["keys"]
    return fact, not (same_text and same_keys)


def _shown(text: str) -> str:
    return "\n  ".join(printable(line.strip()) for line in text.split("\n") if line.strip())


def _meant(shown: str) -> str:
    return shown.replace("\n  ", "\n")


def _groups(fact: Mapping[str, Any]) -> Sequence[Any]:
    keys = fact.get("keys", ())
    return next(iter(keys.values())) if isinstance(keys, Mapping) else keys


def _keys(fact: Mapping[str, Any]) -> str:
    groups = ([key] if isinstance(key, str) else key for key in _groups(fact))
    return " + ".join(" | ".join(map(printable, group)) for group in groups)


# The text of a case file

_BEGIN: Final = re.compile(r'\{(?P<lead>\s*)"(?:[^"\\]|\\.)*"\s*:(?P<blank>\s*)')


def _written(text: str, data: Mapping[str, Any]) -> str:
    """A case in the manner of the text that it was read from: its indentation and its escapes."""
    begin = _BEGIN.search(text)
    lead, blank = (begin["lead"], begin["blank"]) if begin else ("", " ")
    made = json.dumps(
        data,
        # Half a surrogate pair can only be written as an escape.
        ensure_ascii="\\u" in text and (text.isascii() or "\\ud" in text.lower()),
        indent=lead.lstrip("\r\n") if "\n" in lead else None,
        separators=("," if "\n" in lead else f",{blank}", f":{blank}"),
    )
    made = made.replace("\n", "\r\n") if "\r" in lead else made
    around = text.partition("{")[0], text[len(text.rstrip()) :]
    return made.join(around)
