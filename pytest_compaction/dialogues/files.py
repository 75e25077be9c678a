"""Dialogue files: recognising, reading, validating, choosing. A broken dialogue hides no other.

Two shapes are read: that of MT-Bench-101, one ``{"task", "id", "history": [{"user",
"bot"}, ...]}`` a line, and OpenAI chat: ``{"messages": [...]}`` (``"traj"`` in results of
tau-bench) or a bare list of messages, alone, in a list, or one conversation a line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.files import CaseFileError, read_json, read_text, shorten
from pytest_compaction.case.validation import CaseFault, schema_faults
from pytest_compaction.conversation.chat_format import MessageShapeError, from_chat
from pytest_compaction.conversation.messages import canonical_json, short_hash
from pytest_compaction.dialogues.chat_turns import turns_of
from pytest_compaction.dialogues.dialogue import CHAT, TASKS, Dialogue, Turn
from pytest_compaction.text.words import printable

_CASE_KEYS: Final = frozenset({"probes", "compaction_points", "window", "budget"})
"""An object with ``messages`` and any of these is meant to be a case."""
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_ID_CHARACTERS: Final = 80
_LOOKED_AT: Final = 100
"""Values of a file by which it is told what the file holds."""
_SHAPES: Final = 'an object with "history" (turns) or "messages" (OpenAI chat)'

_AT_LEAST: Final = "at least 2 turns: the first has no history to compact"


class DialogueFileError(CaseFileError):
    """A dialogue cannot be used. ``source`` names file and line, ``faults`` say why."""

    what = "dialogue"


def digest(dialogue: Dialogue) -> str:
    """Identifies the content of a dialogue, wherever it was read."""
    turns = [
        [turn.user, turn.reference, [[asdict(call) for call in step] for step in turn.calls]]
        for turn in dialogue.turns
    ]
    text = canonical_json([dialogue.id, dialogue.task, dialogue.system, turns])
    return short_hash(text)


class UnknownTaskError(LookupError):
    """No dialogue has this task; the text says which tasks there are."""


@dataclass(frozen=True, slots=True)
class DialogueSet:
    """What dialogue files held: the usable dialogues in file order, the errors of the others."""

    dialogues: tuple[Dialogue, ...] = ()
    errors: tuple[DialogueFileError, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """How many there are, and a digest of them all, for the header of a run."""
        digests = "".join(digest(dialogue) for dialogue in self.dialogues)
        return {
            "count": len(self.dialogues),
            "broken": len(self.errors),
            "digest": short_hash(digests),
        }

    def chosen(self, tasks: Sequence[str], limit: int) -> DialogueSet:
        """The dialogues of the named tasks (all without names), at most ``limit`` of each.

        They stay in file order; ``limit`` 0 means all. Raises
        :class:`UnknownTaskError` for a task that no dialogue has.
        """
        counts = Counter(dialogue.task for dialogue in self.dialogues)
        wanted = {_task_named(name, counts) for name in tasks}
        taken: Counter[str] = Counter()
        chosen: list[Dialogue] = []
        for dialogue in self.dialogues:
            if wanted and dialogue.task not in wanted:
                continue
            taken[dialogue.task] += 1
            if not limit or taken[dialogue.task] <= limit:
                chosen.append(dialogue)
        return DialogueSet(tuple(chosen), self.errors)


def _task_named(name: str, counts: Mapping[str, int]) -> str:
    for task in counts:
        if name.casefold() == task.casefold():
            return task
    there = ", ".join(
        f"{printable(task, 60)} ({TASKS[task]}, {counts[task]})"
        if task in TASKS
        else f"{printable(task, 60)} ({counts[task]})"
        for task in sorted(counts)
    )
    raise UnknownTaskError(
        f"--compaction-tasks={printable(name, 60)}: no dialogue has this task; there are "
        f"{there or 'no dialogues that can be used'}"
    )


def is_dialogue_file(path: Path) -> bool:
    """Whether a file holds dialogues: its first values have more of them than of cases.

    What is neither, a broken line or one that lacks its keys, says nothing of the others.
    """
    if not path.is_file():
        return False
    text = read_text(path)
    if isinstance(text, CaseFault):
        return False
    values = [value for _, value in islice(_values(text, path), _LOOKED_AT)]
    dialogues = sum(_shape(value) is not None for value in values)
    cases = sum(isinstance(value, dict) and bool(_CASE_KEYS & value.keys()) for value in values)
    return dialogues > cases


def _shape(value: Any) -> str | None:
    """``turns``, ``chat`` or ``None`` for what is no dialogue."""
    if _is_messages(value):
        return "chat"
    if not isinstance(value, dict) or _CASE_KEYS & value.keys():
        return None
    if "history" in value and "comparison" not in value:
        return "turns"
    return "chat" if "messages" in value or _is_trial(value) else None


def _is_trial(value: Any) -> bool:
    """Whether a value is a trial of tau-bench, which has its messages under ``traj``."""
    return isinstance(value, dict) and isinstance(value.get("traj"), list)


def _is_messages(value: Any) -> bool:
    """Whether a value is one conversation as a bare list, and not a list of dialogues."""
    items = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return any("role" in item for item in items) and not any(map(_shape, items))


def load_dialogues(paths: Iterable[Path], root: Path | None = None) -> DialogueSet:
    """Read dialogue files; the ids that they give must be unique over all of them.

    A dialogue without one is named after its file and place. ``root`` shortens the
    file names in messages.
    """
    dialogues: dict[str, Dialogue] = {}
    errors: list[DialogueFileError] = []
    seen: set[Path] = set()
    for path in paths:
        if path.resolve() in seen:
            continue
        seen.add(path.resolve())
        for item in read_dialogues(path, root):
            if isinstance(item, DialogueFileError):
                errors.append(item)
                continue
            other = dialogues.get(item.id)
            if other is not None and not (item.named and other.named):
                item = replace(item, id=_marked(item.id, item.source))
                other = dialogues.get(item.id)
            if other is not None:
                errors.append(DialogueFileError(item.source, [_twice(item, other)]))
            else:
                dialogues[item.id] = item
    return DialogueSet(tuple(dialogues.values()), tuple(errors))


def _twice(item: Dialogue, other: Dialogue) -> CaseFault:
    within = "" if item.task == CHAT else f" in the task {printable(item.task, 60)!r}"
    found = f"the id {printable(item.named, 80)!r}{within}, which {other.source} has too"
    return CaseFault("/id", found, "an id that no other dialogue has")


def read_dialogues(path: Path, root: Path | None = None) -> Iterator[Dialogue | DialogueFileError]:
    """The dialogues of one file, in its order; for each that is broken, why."""
    source = shorten(path, root)
    text = read_text(path)
    if isinstance(text, CaseFault):
        yield DialogueFileError(source, [text])
        return
    for place, value in _values(text, path):
        yield _dialogue(value, f"{source}{place}", _UNSAFE.sub("_", f"{path.stem}{place}"))


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Each JSON value of a file with its place: ``""``, ``:LINE`` or ``#INDEX``."""
    if path.suffix != ".jsonl":
        value = read_json(text, "a dialogue")
        if isinstance(value, list) and not _is_messages(value):
            yield from ((f"#{index}", item) for index, item in enumerate(value))
        else:
            yield "", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f":{number}", read_json(line, "a dialogue")


def _dialogue(value: Any, source: str, name: str) -> Dialogue | DialogueFileError:
    if isinstance(value, CaseFault):
        return DialogueFileError(source, [value])
    if _is_messages(value):
        value = {"messages": value}
    shape = _shape(value)
    if shape is None:
        found = f"the type {type(value).__name__}"
        if isinstance(value, dict):
            keys = ", ".join(repr(printable(key, 30)) for key in sorted(value)[:8])
            found = f"an object with the keys {keys}" if keys else "an empty object"
        return DialogueFileError(source, [CaseFault("", found, _SHAPES)])
    if shape == "chat" and "messages" not in value:
        return _trial({**value, "messages": value["traj"]}, source, name)
    faults = schema_faults(value, _validator(shape))
    if shape == "turns" and "task" not in value:
        faults = [CaseFault("/task", "no 'task'", f"one of {', '.join(TASKS)}"), *faults]
    if not faults and shape == "turns":
        faults = _turn_faults(value)
    if faults:
        return DialogueFileError(source, faults)
    if shape == "turns":
        return _from_turns(value, source, name)
    try:
        return _from_chat(value, source, name)
    except MessageShapeError as error:
        fault = CaseFault("/messages", printable(str(error), 200), "OpenAI chat messages")
        return DialogueFileError(source, [fault])


def _trial(value: dict[str, Any], source: str, name: str) -> Dialogue | DialogueFileError:
    """The dialogue of a trial; its faults point to where the file has them."""
    read = _dialogue(value, source, name)
    if isinstance(read, Dialogue):
        return read
    faults = [replace(f, pointer=f.pointer.replace("/messages", "/traj", 1)) for f in read.faults]
    return DialogueFileError(source, faults)


@lru_cache(maxsize=2)
def _validator(shape: str) -> Any:
    from jsonschema import Draft202012Validator

    text = resources.files(__package__).joinpath("dialogue.schema.json").read_text("utf-8")
    schema = json.loads(text)
    return Draft202012Validator({"$schema": schema["$schema"], **schema["$defs"][shape]})


def _turn_faults(data: Mapping[str, Any]) -> list[CaseFault]:
    """What a schema cannot say: tasks that do not exist, and text that is only white space."""
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


def _from_turns(data: Mapping[str, Any], source: str, name: str) -> Dialogue:
    task = data["task"]
    turns = tuple(Turn(turn["user"], turn["bot"]) for turn in data["history"])
    named = _named(data)
    id = _safe(f"{task}_{named}") if named else name
    return Dialogue(id, task, turns, source, named=named)


def _named(data: Mapping[str, Any]) -> str:
    """The id as the file has it; empty without one."""
    return str(data.get("id", "")).strip()


def _safe(id: str) -> str:
    """An id that a test item can carry; ids that differ in the file differ here."""
    safe = _UNSAFE.sub("_", id)
    return id if safe == id and len(id) <= _ID_CHARACTERS else _marked(safe, id)


def _marked(safe: str, whole: str) -> str:
    """An id, shortened, with a digest of what it is made from."""
    mark = hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{safe[: _ID_CHARACTERS - 9].rstrip('_')}_{mark}"


def _from_chat(data: Mapping[str, Any], source: str, name: str) -> Dialogue | DialogueFileError:
    messages = from_chat(data["messages"])
    system = "\n".join(m.text for m in messages if m.role in {"system", "developer"})
    turns = turns_of(messages)
    faults = [item for item in turns if isinstance(item, CaseFault)]
    if len(turns) < 2:
        found = f"{len(turns)} user turn{'' if len(turns) == 1 else 's'}"
        faults.append(CaseFault("/messages", found, _AT_LEAST))
    if faults:
        return DialogueFileError(source, faults)
    named = _named(data)
    id = _safe(named) if named else name
    said = tuple(item for item in turns if isinstance(item, Turn))
    return Dialogue(id, data.get("task", CHAT), said, source, system, named)
