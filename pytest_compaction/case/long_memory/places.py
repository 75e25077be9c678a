"""Conversations among the files of a folder: which files are part of one, and how it is read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pytest_compaction.case.case import Case
from pytest_compaction.case.long_memory.beam.conversation import read_conversation
from pytest_compaction.case.long_memory.beam.folder import (
    FILES,
    TOPICS,
    TRUNCATED,
    conversation_files,
    folder_of,
    is_part,
    is_whole,
)
from pytest_compaction.case.long_memory.locomo import is_locomo, read_locomo
from pytest_compaction.case.long_memory.shapes import FileFaults

_BLOCK: Final = 1024 * 1024


def with_conversations(files: Iterable[Path]) -> list[Path]:
    """The files, with the folder of a conversation in place of all files below it.

    One that stands whole below another is read, too, and so is what lies beside turns without
    questions or the other way round. The topics of a set are left out. A single file stays: it
    was named, and may be the cut variant.
    """
    found = list(files)
    if len(found) == 1:
        return found
    folders = {folder_of(file) for file in found if is_part(file)}
    whole = {each for each in folders if is_whole(each)}
    own = {each for each in folders if each in whole or not folders.intersection(each.parents)}
    beside = {folder.parent / TOPICS for folder in own}

    def is_other(file: Path) -> bool:
        taken = own if file.name in FILES else whole
        return file not in beside and not taken.intersection(file.parents)

    return sorted([*filter(is_other, found), *own])


def stands_for(path: Path) -> Path:
    """What is read where a path is named: the whole conversation for a part of it.

    The cut variant is a conversation of its own.
    """
    is_other = path.is_dir() or path.name == TRUNCATED or not is_part(path)
    return path if is_other else folder_of(path)


def is_conversation(path: Path) -> bool:
    """Whether a path is a conversation, or a file of conversations."""
    return path.is_dir() or is_part(path) or is_locomo(path)


def conversations(
    path: Path, source: str, truncated: bool = False
) -> Iterator[tuple[int, Case | FileFaults]]:
    """The cases of a path, numbered from 1 if it is a file with several, and the faults."""
    if not path.is_dir() and not is_part(path):
        yield from read_locomo(path, source)
        return
    found = read_conversation(path, source, truncated)
    if isinstance(found, Case):
        yield 0, found
    else:
        yield from ((0, faults) for faults in found)


def content_hash(path: Path, truncated: bool = False) -> str:
    """A hash of all that the cases of a path are made of; the text is not held."""
    parts = [path]
    name = ""
    if path.is_dir() or is_part(path):
        files = conversation_files(path, truncated)
        parts, name = [*files.chats, files.questions], f"{files.id} {files.size}"
    digest = hashlib.sha256(name.encode("utf-8", "replace"))
    for part in parts:
        digest.update(b"\n" + part.name.encode("utf-8", "replace") + b"\n")
        if part.is_file():
            with part.open("rb") as opened:
                while block := opened.read(_BLOCK):
                    digest.update(block)
    return digest.hexdigest()
