"""Where the files of a conversation lie: its turns, its questions, its plans, its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Final

from pytest_compaction.case.long_memory.size import is_size

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
"""What the conversations of a size are about; it lies beside their folders and is no case."""
_PLAN: Final = re.compile(r"plan-(\d{1,9})")
_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_MOST: Final = 80
_HEAD: Final = 64


@dataclass(frozen=True, slots=True)
class ConversationFiles:
    """The files of one conversation; ``chats`` are in order, and empty if there is none.

    ``questions`` is where the questions are, or would have to be. ``missing`` are the turns of
    a plan that are not there although those of others are.
    """

    folder: Path
    chats: tuple[Path, ...]
    questions: Path
    missing: Path | None = None

    @property
    def id(self) -> str:
        """The name of the folder, after its size if it stands in a folder of that name.

        Links keep the names that they have.
        """
        folder = _named(self.folder)
        name = f"{folder.parent.name}-{folder.name}" if self.size else folder.name
        return _NOT_IN_ID.sub("_", name).strip("_.-")[:_MOST] or "conversation"

    @property
    def size(self) -> str:
        """The size that the folder above names; empty if it names none."""
        above = _named(self.folder).parent.name
        return above.upper() if is_size(above) else ""


def conversation_files(path: Path, truncated: bool = False) -> ConversationFiles:
    """The files of the conversation in a folder, or of the one that a named file belongs to.

    With ``truncated`` the cut variant is taken where there is one; a file of it that is named
    is taken too.
    """
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
    """The folder of the conversation that a file belongs to."""
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
    return file.name in {CHAT, TRUNCATED} and (_is_list(file) or _has_questions(file.parent))


def has_questions(file: Path) -> bool:
    """Whether a file is one of a conversation of which the questions are there."""
    return file.name in {CHAT, TRUNCATED, QUESTIONS} and _has_questions(folder_of(file))


def is_whole(folder: Path) -> bool:
    """Whether a folder has turns and questions of its own and is no plan of another one."""
    if _plan(folder) or not _has_questions(folder):
        return False
    return (folder / CHAT).is_file() or bool(_plans(folder)[0])


def _plan(folder: Path) -> re.Match[str] | None:
    return _PLAN.fullmatch(folder.name)


def _plans(folder: Path) -> tuple[tuple[Path, ...], Path | None]:
    """The turns of each plan in order, and the first that are not there; plans count from 0 or 1.

    Nothing is missing where no plan has turns: then the folder is none of a conversation in plans.
    """
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


def _is_list(file: Path) -> bool:
    """Whether a file begins as a list: a case begins as an object."""
    try:
        with file.open("rb") as opened:
            return opened.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError:
        return False
