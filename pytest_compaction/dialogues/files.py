"""Dialogue files: recognised, read, checked, chosen from. A broken dialogue hides no other.

A file holds one dialogue, a list of them, or one per line; see :mod:`.format` for the formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import CaseFault, CaseFileError, read_json, read_text, shorten
from pytest_compaction.conversation import canonical_json, short_hash
from pytest_compaction.dialogues.dialogue import CHAT, TASKS, Dialogue
from pytest_compaction.dialogues.format import (
    format_of,
    is_case,
    is_messages,
    read_dialogue,
    with_digest,
)
from pytest_compaction.text import printable

_LOOKED_AT: Final = 100
"""Values of a file that tell whether it holds dialogues."""


class DialogueFileError(CaseFileError):
    """A dialogue cannot be used. ``source`` names file and line, ``faults`` say why."""

    what = "dialogue"


def digest(dialogue: Dialogue) -> str:
    """Identifies the content of a dialogue, wherever it was read."""
    turns = [
        [turn.user, turn.reference, [[asdict(call) for call in step] for step in turn.calls]]
        for turn in dialogue.turns
    ]
    return short_hash(canonical_json([dialogue.id, dialogue.task, dialogue.system, turns]))


class UnknownTaskError(LookupError):
    """No dialogue has this task; the text says which tasks there are."""


@dataclass(frozen=True, slots=True)
class DialogueSet:
    """The usable dialogues of some files, in file order, and the errors of the others."""

    dialogues: tuple[Dialogue, ...] = ()
    errors: tuple[DialogueFileError, ...] = ()

    def as_json(self) -> dict[str, Any]:
        digests = short_hash("".join(map(digest, self.dialogues)))
        return {"count": len(self.dialogues), "broken": len(self.errors), "digest": digests}

    def chosen(self, tasks: Sequence[str], limit: int) -> DialogueSet:
        """The dialogues of the named tasks (all without names), at most ``limit`` (if any) of each.

        Raises :class:`UnknownTaskError` for a task that no dialogue has.
        """
        counts = Counter(dialogue.task for dialogue in self.dialogues)
        wanted = {_task_named(name, counts) for name in tasks}
        taken: Counter[str] = Counter()
        chosen: list[Dialogue] = []
        for dialogue in self.dialogues:
            if not wanted or dialogue.task in wanted:
                taken[dialogue.task] += 1
                if not limit or taken[dialogue.task] <= limit:
                    chosen.append(dialogue)
        return DialogueSet(tuple(chosen), self.errors)


def _task_named(name: str, counts: Mapping[str, int]) -> str:
    for task in counts:
        if name.casefold() == task.casefold():
            return task
    named = (
        f"{printable(task, 60)} ({f'{TASKS[task]}, ' if task in TASKS else ''}{counts[task]})"
        for task in sorted(counts)
    )
    raise UnknownTaskError(
        f"--compaction-tasks={printable(name, 60)}: no dialogue has this task; there are "
        f"{', '.join(named) or 'no dialogues that can be used'}"
    )


def is_dialogue_file(path: Path) -> bool:
    """Whether the first values of a file have more dialogues than cases."""
    if not path.is_file():
        return False
    text = read_text(path)
    if isinstance(text, CaseFault):
        return False
    values = [value for _, value in islice(_values(text, path), _LOOKED_AT)]
    dialogues = sum(format_of(value) is not None for value in values)
    return dialogues > sum(map(is_case, values))


def load_dialogues(paths: Iterable[Path], root: Path | None = None) -> DialogueSet:
    """Read dialogue files; given ids must be unique, others are made from file and place."""
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
                item = replace(item, id=with_digest(item.id, item.source))
                other = dialogues.get(item.id)
            if other is not None:
                within = "" if item.task == CHAT else f" in the task {printable(item.task, 60)!r}"
                found = (
                    f"the id {printable(item.named, 80)!r}{within}, which {other.source} has too"
                )
                fault = CaseFault("/id", found, "an id that no other dialogue has")
                errors.append(DialogueFileError(item.source, [fault]))
            else:
                dialogues[item.id] = item
    return DialogueSet(tuple(dialogues.values()), tuple(errors))


def read_dialogues(path: Path, root: Path | None = None) -> Iterator[Dialogue | DialogueFileError]:
    """The dialogues of one file in their order; for a broken one, why it cannot be used."""
    source = shorten(path, root)
    text = read_text(path)
    if isinstance(text, CaseFault):
        yield DialogueFileError(source, [text])
        return
    for place, value in _values(text, path):
        if isinstance(value, CaseFault):
            yield DialogueFileError(f"{source}{place}", [value])
            continue
        read = read_dialogue(value, f"{source}{place}", f"{path.stem}{place}")
        yield read if isinstance(read, Dialogue) else DialogueFileError(f"{source}{place}", read)


def _values(text: str, path: Path) -> Iterator[tuple[str, Any]]:
    """Each JSON value of a file with its place: ``""``, ``:LINE`` or ``#INDEX``."""
    if path.suffix.lower() != ".jsonl":
        value = read_json(text, "a dialogue")
        if isinstance(value, list) and not is_messages(value):
            yield from ((f"#{index}", item) for index, item in enumerate(value))
        else:
            yield "", value
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f":{number}", read_json(line, "a dialogue")
