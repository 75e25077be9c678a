"""Words as the shopping list compares them."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"[a-z0-9]+")


def fold(text: str) -> str:
    """Lower case without accents: ``Crème`` becomes ``creme``."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(ch for ch in decomposed if not unicodedata.combining(ch))


def words(text: str) -> list[str]:
    """The words of a text in order, folded."""
    return _WORD.findall(fold(text))


def singular(word: str) -> str:
    """A word without its plural s: good enough to add up leek and leeks.

    >>> singular("leeks"), singular("grass"), singular("gas")
    ('leek', 'grass', 'gas')
    """
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def name_key(name: str) -> str:
    """The key under which the shopping list adds up an ingredient."""
    return " ".join(singular(word) for word in words(name))
