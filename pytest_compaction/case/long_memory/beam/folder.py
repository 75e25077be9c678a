"""Where the files of a conversation lie: its turns, its questions, its plans, its size."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pytest_compaction.case.long_memory.size import is_size

CHAT: Final = "chat.json"
TRUNCATED: Final = "chat_trunecated.json"
"""As the set spells it: a conversation cut to its size."""
QUESTIONS: Final = "probing_questions.json"
QUESTIONS_FOLDER: Final = "probing_questions"
_PLAN: Final = re.compile(r"plan-(\d+)")
_NOT_IN_ID: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_MOST: Final = 80
_HEAD: Final = 64


@dataclass(frozen=True, slots=True)
class ConversationFiles:
    """The files of one conversation; ``chats`` are in order, and empty if there is none.

    ``questions`` is where the questions are, or would have to be.
    """

    folder: Path
    chats: tuple[Path, ...]
    questions: Path

    @property
    def id(self) -> str:
        """The name of the folder, after its size if it stands in a folder of that name."""
        folder = self.folder.resolve()
        name = f"{folder.parent.name}-{folder.name}" if self.size else folder.name
        return _NOT_IN_ID.sub("_", name).strip("_.-")[:_MOST] or "conversation"

    @property
    def size(self) -> str:
        """The size that the folder above names; empty if it names none."""
        above = self.folder.resolve().parent.name
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
    if not chats:
        plans = [(int(match[1]), each) for each in folder.iterdir() if (match := _plan(each))]
        chats = tuple(each / CHAT for _, each in sorted(plans) if (each / CHAT).is_file())
    places = (folder / QUESTIONS_FOLDER / QUESTIONS, folder / QUESTIONS)
    questions = next((place for place in places if place.is_file()), places[0])
    return ConversationFiles(folder, chats, questions)


def folder_of(file: Path) -> Path:
    """The folder of the conversation that a file belongs to."""
    folder = file.parent
    if file.name == QUESTIONS and folder.name == QUESTIONS_FOLDER:
        return folder.parent
    is_part = file.name in {CHAT, TRUNCATED} and _plan(folder)
    return folder.parent if is_part and _has_questions(folder.parent) else folder


def is_part(file: Path) -> bool:
    """Whether a file is one of a conversation: its questions, or turns in a list."""
    if file.name == QUESTIONS:
        return True
    return file.name in {CHAT, TRUNCATED} and (_is_list(file) or _has_questions(file.parent))


def _plan(folder: Path) -> re.Match[str] | None:
    return _PLAN.fullmatch(folder.name)


def _has_questions(folder: Path) -> bool:
    return (folder / QUESTIONS_FOLDER / QUESTIONS).is_file() or (folder / QUESTIONS).is_file()


def _is_list(file: Path) -> bool:
    """Whether a file begins as a list: a case begins as an object."""
    try:
        with file.open("rb") as opened:
            return opened.read(_HEAD).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    except OSError:
        return False
