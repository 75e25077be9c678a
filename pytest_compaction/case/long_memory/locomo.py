"""LoCoMo: a JSON list of conversations between two people, with dated sessions and questions.

The first speaker is read as the user, the other as the assistant, each turn under its name and
the first of a session under its date. Categories of questions become kinds.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.case import Case, Nugget, Probe
from pytest_compaction.case.kinds import Ability
from pytest_compaction.case.long_memory.beam import case_of, probe_with
from pytest_compaction.case.long_memory.published import (
    FileFaults,
    ShapeError,
    at,
    bytes_of,
    expect,
    is_list,
    json_of,
    short_text,
    shown,
)
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.conversation import Message, Text, canonical_json
from pytest_compaction.text import printable

KIND_OF: Final[Mapping[int, Ability]] = {
    1: "multi_session_reasoning",
    2: "temporal_reasoning",
    3: "multi_session_reasoning",
    4: "information_extraction",
    5: "abstention",
}
"""The kind of a category: several hops, time, common sense, one hop, and what was never said."""
_ADVERSARIAL: Final = 5
_SESSION: Final = re.compile(r"session_(\d{1,9})")
_TURN_ID: Final = re.compile(r"D:?(\d{1,9}):(\d{1,9})")
"""Also as the set mistypes it: ``D:11:26`` and ``D30:05``."""
_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LONGEST_ID: Final = 200
"""Of a message, as the schema of cases has it."""
_MARKS: Final = (b'"conversation"', b'"qa"')


def is_locomo(path: Path) -> bool:
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    try:
        return is_list(path) and all(mark in bytes_of(path) for mark in _MARKS)
    except ShapeError:
        return False


def read_locomo(path: Path, source: str) -> Iterator[tuple[int, Case | FileFaults]]:
    """Each conversation of a file with its number from 1 on, or what is wrong with it."""
    try:
        samples = json_of(path, bytes_of(path), "a list of conversations")
        expect(samples, list, "", "a list of conversations")
    except ShapeError as error:
        yield 0, FileFaults(path, (error.fault,))
        return
    for number, sample in enumerate(samples):
        try:
            yield number + 1, _case(path, number, sample, source)
        except ShapeError as error:
            yield number + 1, FileFaults(path, (error.fault,))


def _case(path: Path, number: int, sample: Any, source: str) -> Case | FileFaults:
    pointer = f"/{number}"
    expect(sample, dict, pointer, "an object with 'conversation' and 'qa'")
    place = at(pointer, "conversation")
    conversation = sample.get("conversation")
    expect(conversation, dict, place, "an object with speakers and sessions")
    messages = tuple(_messages(place, conversation))
    if not messages:
        raise ShapeError(place, "no turn with text", "sessions as session_1, session_2, …")
    known = {message.id for message in messages}
    probes, faults = _probes(at(pointer, "qa"), sample.get("qa"), known)
    if faults:
        return FileFaults(path, tuple(faults))
    name = str(sample.get("sample_id") or f"{path.stem}-{number + 1}")
    id = "locomo-" + (_NOT_IN_ID.sub("_", name)[:60].strip("_.-") or str(number + 1))
    digest = hashlib.sha256(canonical_json(sample).encode("utf-8", "replace"))
    return case_of(id, messages, probes, source, digest)


def _messages(pointer: str, conversation: dict[str, Any]) -> Iterator[Message]:
    first = conversation.get("speaker_a")
    if not isinstance(first, str) or not first:
        expected = "the name of the speaker who is read as the user"
        raise ShapeError(at(pointer, "speaker_a"), shown(first), expected)
    sessions = sorted((int(m[1]), m[0]) for name in conversation if (m := _SESSION.fullmatch(name)))
    seen: set[str] = set()
    for _, session in sessions:
        place = at(pointer, session)
        turns = conversation[session]
        expect(turns, list, place, "a list of turns")
        date = conversation.get(f"{session}_date_time")
        for turn, said in enumerate(turns):
            message = _message(f"{place}/{turn}", said, first, "" if turn else date)
            if message.id in seen:
                found = f"the id {printable(message.id, 60)!r} a second time"
                raise ShapeError(f"{place}/{turn}/dia_id", found, "an id for each turn")
            seen.add(message.id)
            yield message


def _message(pointer: str, said: Any, first: Any, date: Any) -> Message:
    expect(said, dict, pointer, "a turn: an object with speaker, dia_id and text")
    for key in ("speaker", "dia_id", "text"):
        expect(said.get(key), str, at(pointer, key), "a text")
    if not 0 < len(said["dia_id"]) <= _LONGEST_ID:
        expected = f"an id of 1 to {_LONGEST_ID} characters"
        raise ShapeError(at(pointer, "dia_id"), shown(said["dia_id"]), expected)
    caption = said.get("blip_caption")
    image = f"\n[shares an image: {caption}]" if isinstance(caption, str) and caption else ""
    head = f"[{date}]\n" if isinstance(date, str) and date else ""
    role = "user" if said["speaker"] == first else "assistant"
    text = f"{head}{said['speaker']}: {said['text']}{image}"
    return Message(said["dia_id"], role, (Text(text),))


def _probes(pointer: str, value: Any, known: set[str]) -> tuple[list[Probe], list[CaseFault]]:
    if not isinstance(value, list) or not value:
        raise ShapeError(pointer, shown(value), "a list of questions")
    probes: list[Probe] = []
    faults: list[CaseFault] = []
    counts: dict[str, int] = {}
    for number, asked in enumerate(value):
        try:
            kind, question, answer, evidence = _question(f"{pointer}/{number}", asked, known)
        except ShapeError as error:
            faults.append(error.fault)
            continue
        counts[kind] = counts.get(kind, 0) + 1
        nuggets = (Nugget(answer, evidence),)
        probes.append(probe_with(kind, f"{kind}-{counts[kind]}", question, nuggets))
    return probes, faults


def _question(
    pointer: str, asked: Any, known: set[str]
) -> tuple[Ability, str, str, tuple[str, ...]]:
    expect(asked, dict, pointer, "an object with question, answer and category")
    question = short_text(asked.get("question"), at(pointer, "question"), "the text of a question")
    category = asked.get("category")
    kind = KIND_OF.get(category) if type(category) is int else None
    if kind is None:
        expected = f"one of {', '.join(map(str, KIND_OF))}"
        raise ShapeError(at(pointer, "category"), shown(category), expected)
    answer = asked.get("answer")
    if category == _ADVERSARIAL:
        about = question.rstrip("?")
        answer = f"Based on the provided chat, there is no information on this: {about}"
    else:
        number = isinstance(answer, int | float)
        text = str(answer) if number else answer
        answer = short_text(text, at(pointer, "answer"), "the answer, a text or a number")
    named = asked.get("evidence") or []
    expect(named, list, at(pointer, "evidence"), "a list of ids of turns")
    evidence: dict[str, None] = {}
    for place, each in enumerate(named):
        expect(each, str, f"{pointer}/evidence/{place}", "the id of a turn")
        # Some ids stand together in one text; unknown ones are left out.
        ids = (f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(each))
        evidence |= dict.fromkeys(id for id in (each, *ids) if id in known)
    return kind, question, answer, tuple(evidence)
