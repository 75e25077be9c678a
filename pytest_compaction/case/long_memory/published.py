"""Files of published sets: where they lie, how long they are, and what is wrong in them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.validation import CaseFault, decoded, read_json
from pytest_compaction.conversation import Message
from pytest_compaction.text import printable

_NAME: Final = re.compile(r"\d+(?:\.\d+)?[KM]", re.IGNORECASE)
CHARACTERS_PER_TOKEN: Final = 4
"""About, for English text."""
_STEPS: Final = (1, 2, 5, 10)


def size_of(messages: Iterable[Message]) -> str:
    """The step of the series 1, 2, 5 that is nearest to the tokens of a conversation, about."""
    tokens = sum(len(message.text) for message in messages) / CHARACTERS_PER_TOKEN
    power = 10 ** int(math.log10(max(tokens, 1.0)))
    near = min(_STEPS, key=lambda step: abs(math.log(max(tokens, 1.0) / (step * power))))
    steps = near * power
    if steps >= 10**6:
        return f"{steps // 10**6}M"
    return f"{steps // 1000}K" if steps >= 1000 else str(steps)


def size_name(tokens: int) -> str:
    """The name of the folder for conversations of so many tokens, as in ``100K`` and ``1.5M``."""
    unit, name = (10**6, "M") if tokens >= 10**6 else (10**3, "K")
    return f"{tokens / unit:.6f}".rstrip("0").rstrip(".") + name


def size_rank(size: str) -> float:
    """A number by which sizes are ordered; what is no size comes last."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KM]?)", size, re.IGNORECASE)
    if match is None:
        return math.inf
    return float(match[1]) * {"": 1, "K": 10**3, "M": 10**6}[match[2].upper()]


MAX_BYTES: Final = 1024**3
"""A conversation of 10M tokens takes some 50 MB as JSON."""
MOST_CHARACTERS: Final = 4_000
"""Of a question and of a nugget, as the schema of cases has it of a question."""
_SHOWN: Final = 60


@dataclass(frozen=True, slots=True)
class FileFaults:
    path: Path
    faults: tuple[CaseFault, ...]


class ShapeError(ValueError):
    """A value of a file is not what was expected there; ``pointer`` is its place."""

    def __init__(self, pointer: str, found: str, expected: str) -> None:
        self.fault = CaseFault(pointer, found, expected)
        super().__init__(str(self.fault))


def json_of(path: Path, content: bytes, what: str) -> Any:
    """The value of a file. Raises :class:`ShapeError` if it is not sound JSON."""
    text = decoded(content)
    value = text if isinstance(text, CaseFault) else read_json(text, what)
    if isinstance(value, CaseFault):
        raise ShapeError(value.pointer, value.found, value.expected)
    return value


def bytes_of(path: Path) -> bytes:
    """The content of a file. Raises :class:`ShapeError` if it cannot be read or is too large."""
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise ShapeError("", f"{size / 1024**2:.1f} MB", f"at most {MAX_BYTES // 1024**2} MB")
        return path.read_bytes()
    except OSError as error:
        raise ShapeError("", error.strerror or str(error), "a readable file") from None


def expect(value: Any, kind: type, pointer: str, what: str) -> None:
    if not isinstance(value, kind):
        raise ShapeError(pointer, shown(value), what)


def short_text(value: Any, pointer: str, what: str) -> str:
    """A text without spaces around it. Raises :class:`ShapeError` if it is none, or too long."""
    if not isinstance(value, str) or not value.strip():
        raise ShapeError(pointer, shown(value), what)
    text = value.strip()
    if len(text) > MOST_CHARACTERS:
        found = f"{len(text):,} characters"
        raise ShapeError(pointer, found, f"{what} of at most {MOST_CHARACTERS:,} characters")
    return text


def shown(value: Any) -> str:
    """A value in a sentence: its type, and the start of it if it is short."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        keys = ", ".join(map(str, list(value)[:4]))
        return f"an object with {printable(keys, _SHOWN)}" if keys else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{type(value).__name__} {printable(repr(value), _SHOWN)}"


def at(pointer: str, key: object) -> str:
    """The place of a member; of a long key only the start, and none of what moves a cursor."""
    name = str(key)
    if len(name) > _SHOWN or not name.isprintable():
        name = printable(name, _SHOWN)
    return f"{pointer}/{name.replace('~', '~0').replace('/', '~1')}"


CHAT: Final = "chat.json"
TRUNCATED: Final = "chat_trunecated.json"
"""As the set spells it: a conversation cut to its size."""
QUESTIONS: Final = "probing_questions.json"
QUESTIONS_FOLDER: Final = "probing_questions"
FILES: Final = frozenset(
    {CHAT, TRUNCATED, QUESTIONS, "new_relationships.json", "topic.json", "user_messages.json"}
)
"""The JSON files that the set has in the folder of a conversation."""
TOPICS: Final = "topics.json"
"""The topics of the conversations of a size; the file lies beside their folders and is no case."""
_PLAN: Final = re.compile(r"plan-(\d{1,9})")
_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_MOST: Final = 80
_HEAD: Final = 64


@dataclass(frozen=True, slots=True)
class ConversationFiles:
    """The files of one conversation, and the first turns of a plan that are ``missing``."""

    folder: Path
    chats: tuple[Path, ...]
    questions: Path
    missing: Path | None = None

    @property
    def id(self) -> str:
        """The name of the folder, after its size if it stands in a folder of that name."""
        folder = _named(self.folder)
        name = f"{folder.parent.name}-{folder.name}" if self.size else folder.name
        return _NOT_IN_ID.sub("_", name).strip("_.-")[:_MOST] or "conversation"

    @property
    def size(self) -> str:
        """The size that the folder above names; empty if it names none."""
        above = _named(self.folder).parent.name
        return above.upper() if _NAME.fullmatch(above) else ""


def conversation_files(path: Path, truncated: bool = False) -> ConversationFiles:
    """The files of the conversation of a folder or file; those that were cut if ``truncated``."""
    folder = path if path.is_dir() else folder_of(path)
    named = TRUNCATED if truncated or path.name == TRUNCATED else CHAT
    chats: tuple[Path, ...] = next(
        ((folder / n,) for n in (named, CHAT) if (folder / n).is_file()), ()
    )
    missing = None
    if not chats:
        chats, missing = _plans(folder)
    places = (folder / QUESTIONS_FOLDER / QUESTIONS, folder / QUESTIONS)
    questions = next((place for place in places if place.is_file()), places[0])
    return ConversationFiles(folder, chats, questions, missing)


def folder_of(file: Path) -> Path:
    folder = file.parent
    if file.name == QUESTIONS and folder.name == QUESTIONS_FOLDER:
        return folder.parent
    is_part = file.name in {CHAT, TRUNCATED} and _plan(folder)
    return folder.parent if is_part and _has_questions(folder.parent) else folder


def conversation_named_by(file: Path) -> str:
    """The id of the conversation that a file is part of, by its path alone; empty for others."""
    if file.name not in {CHAT, TRUNCATED, QUESTIONS}:
        return ""
    folder = file.parent
    inner = folder.name == QUESTIONS_FOLDER or _plan(folder)
    return ConversationFiles(folder.parent if inner else folder, (), file).id


def is_part(file: Path) -> bool:
    """Whether a file is one of a conversation: its questions, or turns in a list."""
    if file.name == QUESTIONS:
        return True
    return file.name in {CHAT, TRUNCATED} and (is_list(file) or _has_questions(file.parent))


def has_questions(file: Path) -> bool:
    return file.name in {CHAT, TRUNCATED, QUESTIONS} and _has_questions(folder_of(file))


def is_whole(folder: Path) -> bool:
    """Whether a folder has turns and questions of its own and is no plan of another one."""
    if _plan(folder) or not _has_questions(folder):
        return False
    return (folder / CHAT).is_file() or bool(_plans(folder)[0])


def _plan(folder: Path) -> re.Match[str] | None:
    return _PLAN.fullmatch(folder.name)


def _plans(folder: Path) -> tuple[tuple[Path, ...], Path | None]:
    """The turns of each plan in order, from 0 or 1 on, and the first that are not there."""
    plans = sorted((int(match[1]), each) for each in folder.iterdir() if (match := _plan(each)))
    chats = {number: each / CHAT for number, each in plans if (each / CHAT).is_file()}
    if not chats:
        return (), None
    last = plans[-1][0]
    missing = next(n for n in count(min(1, plans[0][0])) if n > last or n not in chats)
    return tuple(chats.values()), None if missing > last else folder / f"plan-{missing}" / CHAT


def _named(folder: Path) -> Path:
    """The folder from the root on; links are followed only where the path goes back up."""
    return folder.resolve() if ".." in folder.parts else folder.absolute()


def _has_questions(folder: Path) -> bool:
    return (folder / QUESTIONS_FOLDER / QUESTIONS).is_file() or (folder / QUESTIONS).is_file()


def is_list(file: Path) -> bool:
    """Whether a file begins as a list: a case begins as an object."""
    try:
        with file.open("rb") as opened:
            return opened.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError:
        return False
