"""BEAM: a folder for each conversation, with its turns and its probing questions.

A batch is an object with ``turns``, or the list of them; a turn is a list of messages. A long
conversation is split over plans: one file each, or one file with the plans by name. Where ids
begin anew in a plan they go on counting, as those in the questions do.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.case import AnswerSpec, Case, Fact, Nugget, Point, Probe
from pytest_compaction.case.kinds import ABILITIES, Ability
from pytest_compaction.case.long_memory.published import (
    CHAT,
    QUESTIONS,
    QUESTIONS_FOLDER,
    FileFaults,
    ShapeError,
    at,
    bytes_of,
    conversation_files,
    expect,
    json_of,
    short_text,
    shown,
    size_of,
)
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.conversation import Message, Text
from pytest_compaction.text import normalize, printable

MARKER: Final = "->->"
"""With this a user's turn ends in the set, followed by the place of its plan: ``->-> 1,2``."""
_MARKED: Final = re.compile(r"->->\s*\d+\s*,")
ROLES: Final = ("user", "assistant")
_PLAN: Final = re.compile(r"plan-(\d{1,9})")


class Turns:
    """The messages of a conversation, plan after plan.

    ``ids`` are those of the messages, in the numbering of the whole conversation: a message
    without text is none, and nothing can be its evidence.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.ids: set[int] = set()
        self._taken: set[int] = set()
        self._next = 0

    def add(self, value: Any) -> None:
        """Take in batches, or plans by name; raises :class:`ShapeError` for other shapes."""
        for pointer, batches in _plans(value):
            self._take(pointer, batches)

    def _take(self, pointer: str, batches: list[Any]) -> None:
        """The batches of one plan, whose ids may begin anew."""
        shift: int | None = None
        for place, said in _messages(pointer, batches):
            id = said.get("id")
            if id is None:
                id = self._next - (shift or 0)
            if not isinstance(id, int) or isinstance(id, bool) or id < 0:
                raise ShapeError(at(place, "id"), shown(said["id"]), "a whole number from 0 on")
            if shift is None:
                shift = self._next if id < self._next else 0
            number = id + shift
            if number in self._taken:
                found = f"the id {id} a second time"
                raise ShapeError(at(place, "id"), found, "an id for each message")
            self._taken.add(number)
            self._next = max(self._next, number + 1)
            expect(said.get("content"), str, at(place, "content"), "the text of the message")
            text = said["content"]
            if MARKER in text:  # which the assistant may repeat in its last line
                last = text.rfind("\n", 0, len(text.rstrip())) + 1
                text = unmarked(text, 0 if said["role"] == "user" else last)
            if text:
                self.ids.add(number)
                self.messages.append(Message(str(number), said["role"], (Text(text),)))


def _plans(value: Any) -> Iterator[tuple[str, list[Any]]]:
    """The batches of each plan in the order of their numbers, with their place."""
    if isinstance(value, dict) and _names_plans(value):
        parts = [("", value)]
    elif not isinstance(value, list):
        raise ShapeError("", shown(value), "a list of batches, or of plans by name")
    elif value and all(isinstance(one, dict) and _names_plans(one) for one in value):
        parts = [(f"/{number}", one) for number, one in enumerate(value)]
    else:
        yield "", value
        return
    named = [
        (int(name.partition("-")[2]), at(place, name), batches)
        for place, plans in parts
        for name, batches in plans.items()
        if batches is not None  # a table has a column for each plan
    ]
    for _, pointer, batches in sorted(named, key=lambda plan: plan[0]):
        expect(batches, list, pointer, "a list of batches")
        yield pointer, batches


def _names_plans(value: dict[str, Any]) -> bool:
    return bool(value) and all(_PLAN.fullmatch(name) for name in value)


def _messages(pointer: str, batches: list[Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of batches: of lists in lists, three deep at most."""
    for number, batch in enumerate(batches):
        place, turns = f"{pointer}/{number}", batch
        if isinstance(batch, dict) and "role" not in batch:
            if "turns" not in batch:
                raise ShapeError(place, shown(batch), "an object with the key 'turns'")
            place, turns = f"{place}/turns", batch["turns"]
            expect(turns, list, place, "a list of turns")
        levels = [(place, turns, 3)]
        while levels:
            place, here, deep = levels.pop()
            if isinstance(here, dict):
                if here.get("role") not in ROLES:
                    expected = "a message with the role user or assistant"
                    raise ShapeError(at(place, "role"), shown(here.get("role")), expected)
                yield place, here
            elif isinstance(here, list) and deep:
                numbered = [(f"{place}/{i}", each, deep - 1) for i, each in enumerate(here)]
                levels.extend(reversed(numbered))
            else:
                raise ShapeError(place, shown(here), "a turn, which is a list of messages")


def unmarked(text: str, start: int = 0) -> str:
    """A text without the marker at its end, and without the notes that may follow it."""
    match = _MARKED.search(text, start)
    return text[: match.start()].rstrip() if match else text


ANSWER_KEYS: Final = (
    "answer ideal_answer ideal_response ideal_summary expected_compliance"
).split()
LONG_ANSWER_TOKENS: Final = 800
"""The most tokens of an answer to a question of an ability that asks for more than a fact."""
_OF_ANSWER: Final = frozenset({"instruction_following", "preference_following"})
_LONG: Final = _OF_ANSWER | {"event_ordering", "summarization"}
_STATED: Final = frozenset(ABILITIES) - _OF_ANSWER - {"abstention"}
"""Abilities of which the nuggets may stand in a conversation; the others are about the answer."""
_ID: Final = re.compile(r"\d{1,18}")
_NO_ID: Final = re.compile(r"[\W_]*|n/?a|none", re.IGNORECASE)


def probes_of(value: Any, ids: Container[int]) -> tuple[list[Probe], list[CaseFault]]:
    """The probes, and the faults of questions that are none; unknown ids are left out.

    Raises :class:`ShapeError` if the file does not hold questions by ability.
    """
    if not isinstance(value, dict) or not value:
        raise ShapeError("", shown(value), "an object of questions by ability")
    probes: list[Probe] = []
    faults: list[CaseFault] = []
    for name, questions in value.items():
        ability = next((each for each in ABILITIES if each == name), None)
        if ability is None:
            near = difflib.get_close_matches(name, ABILITIES, 1)
            hint = f"{near[0]}, or another" if near else "one"
            expected = f"{hint} of {', '.join(ABILITIES)}"
            faults.append(CaseFault(at("", name), f"the ability '{printable(name, 60)}'", expected))
            continue
        try:
            expect(questions, list, at("", name), "a list of questions")
            for number, asked in enumerate(questions):
                pointer = at(at("", name), number)
                expect(asked, dict, pointer, "an object with a question")
                what = at(pointer, "question")
                question = short_text(asked.get("question"), what, "the text of a question")
                named = source_ids(asked.get("source_chat_ids"), at(pointer, "source_chat_ids"))
                evidence = tuple(str(id) for id in dict.fromkeys(named) if id in ids)
                nuggets = tuple(Nugget(text, evidence) for text in _rubric(pointer, asked))
                probes.append(probe_with(ability, f"{ability}-{number + 1}", question, nuggets))
        except ShapeError as error:
            faults.append(error.fault)
    if not probes and not faults:
        faults.append(CaseFault("", "no question", "at least one question of an ability"))
    return probes, faults


def probe_with(ability: Ability, id: str, question: str, nuggets: tuple[Nugget, ...]) -> Probe:
    """A probe of an ability; its facts are the nuggets that a view can state."""
    stated = [n for n in nuggets if ability in _STATED and n.is_stated_in_log(ability)]
    answer = AnswerSpec(max_tokens=LONG_ANSWER_TOKENS) if ability in _LONG else AnswerSpec()
    facts = tuple(Fact(nugget.content, evidence=nugget.evidence) for nugget in stated)
    return Probe(id, ability, question, facts, answer=answer, nuggets=nuggets)


def _rubric(pointer: str, asked: dict[str, Any]) -> Iterator[str]:
    """The nuggets of a question; the model answer is the only one where there is no rubric."""
    keys = ("rubric", *ANSWER_KEYS)
    key = next((key for key in keys if asked.get(key) not in (None, "")), None)
    if key is None:
        found = "neither 'rubric' nor an answer"
        raise ShapeError(pointer, found, f"'rubric', or one of {', '.join(ANSWER_KEYS)}")
    value, place, expected = asked[key], at(pointer, key), "a list of nuggets, each a text"
    if value == []:
        raise ShapeError(place, shown(value), expected)
    listed = [(place, value)]
    if isinstance(value, list):
        listed = [(at(place, number), one) for number, one in enumerate(value)]
        expected = "a nugget, a text"
    for where, one in listed:
        number = isinstance(one, int | float) and not isinstance(one, bool)  # stands for itself
        yield short_text(str(one) if number else one, where, expected)


def source_ids(value: Any, pointer: str) -> Iterator[int]:
    """The ids in a list, in lists of it, or in a mapping of lists; ``--`` and the like are none."""
    levels = [(value, pointer)]
    while levels:
        here, place = levels.pop()
        if isinstance(here, bool):
            raise ShapeError(place, shown(here), "the id of a message")
        if isinstance(here, int):
            yield here
        elif isinstance(here, dict):
            levels.extend(reversed([(each, at(place, key)) for key, each in here.items()]))
        elif isinstance(here, list):
            levels.extend(reversed([(each, at(place, i)) for i, each in enumerate(here)]))
        elif isinstance(here, str) and _ID.fullmatch(here.strip()):
            yield int(here)
        elif here is not None and not (isinstance(here, str) and _NO_ID.fullmatch(here.strip())):
            expected = "the id of a message, or lists or a mapping of such ids"
            raise ShapeError(place, shown(here), expected)


def _without_calculated(probes: Sequence[Probe], messages: Sequence[Message]) -> Iterator[Probe]:
    """The probes without facts whose value an answer calculates: no view can lose it."""
    # Takes long to import, and most runs have no long conversation.
    from pytest_compaction.text import equal, values_of

    named = {id for probe in probes for fact in probe.facts for id in fact.evidence}
    held = {m.id: values_of(normalize(m.text)) for m in messages if m.id in named}

    def is_said(fact: Fact) -> bool:
        said = [value for id in fact.evidence for value in held.get(id, ())]
        asked = values_of(normalize(fact.text)) if fact.evidence else ()
        return all(any(equal(one, other) for other in said) for one in asked)

    for probe in probes:
        yield replace(probe, facts=tuple(filter(is_said, probe.facts)))


TASK: Final = "long-memory"
WINDOW: Final = 128_000
"""Tokens of the context windows that the set was made for."""
BUDGET: Final = 14_000
"""Tokens that the memory of the published system may put before a question."""
_FORMAT: Final = b"1"
_DIGITS: Final = 16


def read_conversation(path: Path, source: str, truncated: bool = False) -> Case | list[FileFaults]:
    files = conversation_files(path, truncated)
    if not files.chats:
        fault = CaseFault("", "no such file", f"the turns of the conversation, or plan-*/{CHAT}")
        return [FileFaults(files.folder / CHAT, (fault,))]
    if files.missing:  # without them the ids of evidence would stand for other messages
        fault = CaseFault("", "no such file", "the turns of each plan from the first to the last")
        return [FileFaults(files.missing, (fault,))]
    digest = hashlib.sha256(_FORMAT)
    turns = Turns()
    for chat in files.chats:
        try:
            content = bytes_of(chat)
            digest.update(content)
            turns.add(json_of(chat, content, "a list of batches"))
        except ShapeError as error:
            return [FileFaults(chat, (error.fault,))]
    if not turns.messages:
        fault = CaseFault("", "no message", "at least one message with text")
        return [FileFaults(files.chats[0], (fault,))]
    try:
        content = bytes_of(files.questions)
        questions = json_of(files.questions, content, "an object of questions by ability")
        probes, faults = probes_of(questions, turns.ids)
    except ShapeError as error:
        probes, faults = [], [error.fault]
    if faults:
        return [FileFaults(files.questions, tuple(faults))]
    digest.update(content)
    return case_of(files.id, tuple(turns.messages), probes, source, digest, files.size)


def case_of(
    id: str,
    messages: tuple[Message, ...],
    probes: Sequence[Probe],
    source: str,
    digest: hashlib._Hash,
    size: str = "",
) -> Case:
    """A case of a long conversation, compacted once, at its end."""
    return Case(
        id=id,
        task=TASK,
        window=WINDOW,
        budget=BUDGET,
        messages=messages,
        points=(Point("end", len(messages) - 1),),
        probes=tuple(_without_calculated(probes, messages)),
        source=source,
        digest=digest.hexdigest()[:_DIGITS],
        size=size or size_of(messages),
    )


ANSWER_KEY: Final[Mapping[Ability, str]] = {
    "abstention": "ideal_response",
    "contradiction_resolution": "ideal_answer",
    "event_ordering": "answer",
    "information_extraction": "answer",
    "instruction_following": "expected_compliance",
    "knowledge_update": "answer",
    "multi_session_reasoning": "answer",
    "preference_following": "expected_compliance",
    "summarization": "ideal_summary",
    "temporal_reasoning": "answer",
}


@dataclass(frozen=True, slots=True)
class Pair:
    """A turn of the user and the assistant's reply; ``kind`` is that of the user's turn."""

    user: str
    assistant: str
    kind: str = "main_question"


@dataclass(frozen=True, slots=True)
class Batch:
    """The turns of a part on one day, each a main question and what follows it."""

    turns: Sequence[Sequence[Pair]]
    anchor: str


@dataclass(frozen=True, slots=True)
class Question:
    """A probing question with its model answer and nuggets.

    ``source`` are the ids of its messages, counted over the whole conversation, as the set has
    them.
    """

    ability: Ability
    question: str
    answer: str
    rubric: Sequence[str]
    source: Any = None


def write_conversation(
    folder: Path, batches: Iterable[Batch], questions: Iterable[Question], plans: int = 1
) -> None:
    """Write a conversation into a folder; with several ``plans`` as many files, numbered anew."""
    parts = list(batches)
    size = -(-len(parts) // plans)
    for number in range(plans):
        place = folder / f"plan-{number}" if plans > 1 else folder
        place.mkdir(parents=True, exist_ok=True)
        _write(place / CHAT, _batches(parts[number * size : (number + 1) * size]))
    by_ability: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        made = {"question": question.question, ANSWER_KEY[question.ability]: question.answer}
        source = {} if question.source is None else {"source_chat_ids": question.source}
        told = {**made, "difficulty": "medium", **source, "rubric": list(question.rubric)}
        by_ability.setdefault(question.ability, []).append(told)
    (folder / QUESTIONS_FOLDER).mkdir(parents=True, exist_ok=True)
    _write(folder / QUESTIONS_FOLDER / QUESTIONS, by_ability)


def _batches(parts: Sequence[Batch]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    id = 0
    for number, batch in enumerate(parts, start=1):
        turns: list[list[dict[str, Any]]] = []
        for place, turn in enumerate(batch.turns, start=1):
            said: list[dict[str, Any]] = []
            for pair in turn:
                user: dict[str, Any] = {"role": "user", "id": id}
                if not turns and not said:
                    user["time_anchor"] = batch.anchor
                content = pair.user
                if pair.kind == "main_question":
                    user["index"] = f"{number},{place}"
                    content = f"{content} {MARKER} {number},{place}"
                said.append({**user, "question_type": pair.kind, "content": content})
                said.append({"role": "assistant", "id": id + 1, "content": pair.assistant})
                id += 2
            turns.append(said)
        found.append({"batch_number": number, "time_anchor": batch.anchor, "turns": turns})
    return found


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
