"""Statements, and how texts are read for them. Keep imports light."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Outcome = Literal["stated", "contradicted", "uncertain", "absent", "unread"]
"""The outcome of reading a statement; *unread* where the language has no rules or no keys."""
Keys = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement that a text may hold: a fact, or its counterpart.

    ``keys`` are groups of alternatives; one alternative of every group must stand in one
    clause. Without keys the wording of ``text`` or of one of the ``aliases`` decides.
    ``counterparts`` are what would be wrong in its place, such as a value from before.
    ``change`` is what happened to the file that the keys name: created, modified, deleted,
    renamed or read. ``type`` is what the fact is about, such as ``next_step``; what is to be
    done is not stated where it is done, nor the reverse. ``language`` is that of the conversation,
    and ``keys_in`` gives the keys for sentences of other languages.
    """

    text: str
    aliases: tuple[str, ...] = ()
    keys: Keys = ()
    counterparts: tuple[Statement, ...] = ()
    change: str | None = None
    type: str | None = None
    language: str = "en"
    keys_in: tuple[tuple[str, Keys], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """Result of reading a text for one statement: outcome, clause and words that decided."""

    outcome: Outcome
    clause: str = ""
    words: tuple[str, ...] = ()
    why: str = ""


ABSENT: Final = Reading("absent", why="not all groups in one clause")
