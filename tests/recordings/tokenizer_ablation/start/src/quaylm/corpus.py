"""Reading the texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from quaylm.errors import CorpusError, SealedError

SEALED = "heldout.txt"


def read_lines(path: Path, *, final: bool = False) -> list[str]:
    """The entries of a text, white space normalised, empty lines left out.

    The held-out text is refused unless ``final`` is given.
    """
    if path.name == SEALED and not final:
        raise SealedError(f"{path} is sealed: give --final to score it")
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise CorpusError(f"no such text: {path}") from None
    lines = [" ".join(line.split()) for line in text.splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise CorpusError(f"nothing to read in {path}")
    return lines


def characters(lines: Iterable[str]) -> int:
    """Characters of the entries; a line end counts as one."""
    return sum(len(line) + 1 for line in lines)


def word_counts(lines: Iterable[str]) -> Counter[str]:
    """How often each word occurs."""
    return Counter(word for line in lines for word in line.split())
