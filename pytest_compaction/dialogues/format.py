"""The two formats of a dialogue, as JSON values, and how each becomes a dialogue.

That of MT-Bench-101: ``{"task", "id", "history": [{"user", "bot"}, ...]}``. And OpenAI chat:
``{"messages": [...]}`` (``"traj"`` in results of tau-bench), or a bare list of messages.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pytest_compaction.case import CaseFault, schema_faults
from pytest_compaction.conversation import Message, groups, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.conversation.formats.parts import MessageShapeError
from pytest_compaction.dialogues.dialogue import CHAT, TASKS, Dialogue, RecordedCall, UserTurn
from pytest_compaction.text import printable

DIALOGUE_SCHEMA: Final = "dialogue.schema.json"
RESULTS_SCHEMA: Final = "results.schema.json"
_TOLERATED = frozenset({"calls-answered", "no-empty-message"})
"""Faults that a replay repairs: a call that was broken off, and an empty message."""


def turns_of(messages: Sequence[Message]) -> list[UserTurn | CaseFault]:
    """The turns of a conversation in order, or the fault of a turn.

    User messages in a row are one turn. Messages before the first of them are left out,
    and so are images and thinking. The text of the assistant in a turn, before or after
    its calls, is the recorded answer. Calls keep name, arguments and result; the result
    is empty if there is none before the next turn.
    """
    spoken = [m for m in messages if m.role in {"user", "assistant", "tool"}]
    return [_turn(*pair, number) for number, pair in enumerate(_exchanges(spoken), start=1)]


def _turn(
    asked: Sequence[Message], answered: Sequence[Message], number: int
) -> UserTurn | CaseFault:
    user = "\n".join(m.text for m in asked).strip()
    if not user:
        found = f"user turn {number} (message {asked[0].id!r}) without text"
        return CaseFault("/messages", found, "text in every user turn")
    broken = [f for f in structure_faults(answered) if f.invariant not in _TOLERATED]
    if broken:
        found = f"in user turn {number} that {broken[0].sentence} (message {broken[0].ids[0]!r})"
        return CaseFault("/messages", printable(found, 200), "each result after its one call")
    reference = "\n".join(m.text for m in answered if m.text.strip())
    steps = (_step(answered[begin:end]) for begin, end in groups(answered))
    return UserTurn(user, reference, tuple(step for step in steps if step))


def _step(group: Sequence[Message]) -> tuple[RecordedCall, ...]:
    results = {result.call_id: result for message in group for result in message.results}
    return tuple(
        RecordedCall(
            call.name,
            call.arguments,
            results[call.id].text if call.id in results else "",
            call.id in results and results[call.id].is_error,
        )
        for call in group[0].calls
    )


def _exchanges(spoken: Sequence[Message]) -> Iterator[tuple[list[Message], list[Message]]]:
    """Pairs: the messages of the user, and the messages of the assistant that follow."""
    asked: list[Message] = []
    answered: list[Message] = []
    for message in spoken:
        if message.role == "user":
            if answered:
                yield asked, answered
                asked, answered = [], []
            asked.append(message)
        elif asked:
            answered.append(message)
    if asked:
        yield asked, answered


_CASE_KEYS: Final = frozenset({"probes", "compaction_points", "window", "budget"})
"""An object with ``messages`` and any of these is meant to be a case."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_ID_CHARACTERS: Final = 80
_FORMATS: Final = 'an object with "history" (turns) or "messages" (OpenAI chat)'
_AT_LEAST: Final = "at least 2 turns: the first has no history to compact"


def is_case(value: Any) -> bool:
    return isinstance(value, dict) and bool(_CASE_KEYS & value.keys())


def format_of(value: Any) -> str | None:
    """``turns`` or ``chat``, the definition in the schema; ``None`` if it is not a dialogue."""
    if is_messages(value):
        return "chat"
    if not isinstance(value, dict) or is_case(value):
        return None
    if "history" in value and "comparison" not in value:
        return "turns"
    return "chat" if "messages" in value or isinstance(value.get("traj"), list) else None


def is_messages(value: Any) -> bool:
    """Whether a value is one conversation as a bare list, and not a list of dialogues."""
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return any("role" in item for item in items) and not any(map(format_of, items))


def read_dialogue(value: Any, source: str, name: str) -> Dialogue | list[CaseFault]:
    """The dialogue that a JSON value holds, or why it cannot be used.

    ``source`` says where the value stands; ``name`` becomes the id of a dialogue without one.
    """
    name = _UNSAFE.sub("_", name)
    if is_messages(value):
        value = {"messages": value}
    form = format_of(value)
    if form is None:
        found = f"the type {type(value).__name__}"
        if isinstance(value, dict):
            keys = ", ".join(repr(printable(key, 30)) for key in sorted(value)[:8])
            found = f"an object with the keys {keys}" if keys else "an empty object"
        return [CaseFault("", found, _FORMATS)]
    if form == "turns":
        faults = shape_faults("turns", value, DIALOGUE_SCHEMA)
        if "task" not in value:
            faults = [CaseFault("/task", "no 'task'", f"one of {', '.join(TASKS)}"), *faults]
        faults = faults or _turn_faults(value)
        if faults:
            return faults
        task = value["task"]
        turns = tuple(UserTurn(turn["user"], turn["bot"]) for turn in value["history"])
        named = _named(value)
        id = _safe(f"{task}_{named}") if named else name
        return Dialogue(id, task, turns, source, named=named)
    if "messages" in value:
        return _from_chat(value, source, name)
    read = _from_chat({**value, "messages": value["traj"]}, source, name)
    if isinstance(read, Dialogue):
        return read
    # A trial of tau-bench: its faults point to where the file has them.
    return [replace(f, pointer=f.pointer.replace("/messages", "/traj", 1)) for f in read]


def _turn_faults(data: Mapping[str, Any]) -> list[CaseFault]:
    """Faults that a schema cannot express: unknown tasks, text that is only white space."""
    faults: list[CaseFault] = []
    if data["task"] not in TASKS:
        expected = f"one of {', '.join(TASKS)}"
        faults.append(CaseFault("/task", repr(printable(data["task"], 60)), expected))
    if len(data["history"]) < 2:
        faults.append(CaseFault("/history", "1 turn", _AT_LEAST))
    for number, turn in enumerate(data["history"]):
        for key in ("user", "bot"):
            if not turn[key].strip():
                fault = CaseFault(f"/history/{number}/{key}", "only white space", "text")
                faults.append(fault)
    return faults


def _from_chat(data: Mapping[str, Any], source: str, name: str) -> Dialogue | list[CaseFault]:
    faults = shape_faults("chat", data, DIALOGUE_SCHEMA)
    if faults:
        return faults
    try:
        messages = from_chat(data["messages"])
    except MessageShapeError as error:
        return [CaseFault("/messages", printable(str(error), 200), "OpenAI chat messages")]
    system = "\n".join(m.text for m in messages if m.role in {"system", "developer"})
    turns = turns_of(messages)
    faults = [item for item in turns if isinstance(item, CaseFault)]
    if len(turns) < 2:
        found = f"{len(turns)} user turn{'' if len(turns) == 1 else 's'}"
        faults.append(CaseFault("/messages", found, _AT_LEAST))
    if faults:
        return faults
    named = _named(data)
    id = _safe(named) if named else name
    said = tuple(item for item in turns if isinstance(item, UserTurn))
    return Dialogue(id, data.get("task", CHAT), said, source, system, named)


def _named(data: Mapping[str, Any]) -> str:
    return str(data.get("id", "")).strip()


def _safe(id: str) -> str:
    """An id that a test item can have; ids that differ in the file differ here."""
    safe = _UNSAFE.sub("_", id)
    return id if safe == id and len(id) <= _ID_CHARACTERS else with_digest(safe, id)


def with_digest(safe: str, whole: str) -> str:
    """A safe id, shortened, with a digest of the whole text that it was made from."""
    mark = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{safe[: _ID_CHARACTERS - 9].rstrip('_')}_{mark}"


def shape_faults(
    shape: str, data: Any, schema: str = RESULTS_SCHEMA, at: str = ""
) -> list[CaseFault]:
    """Where the data, which stands ``at`` a place, departs from a definition under ``$defs``."""
    faults = schema_faults(data, __package__, schema, f"#/$defs/{shape}")
    return [replace(fault, pointer=at + fault.pointer) for fault in faults]
