"""Keys and passwords in what a run shows or writes: each is replaced by ``[key]``.

A key is known from the environment or recognised by its shape, wherever it comes from. The key
that is sent to the endpoint is known whatever its length and shape; a short one counts only where
it is a word of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from functools import lru_cache
from typing import Any, Final

from pytest_compaction.secrets.known import (
    LONG,
    environment_secrets,
    find_known,
    shortest_form,
)
from pytest_compaction.secrets.shapes import find, replace

BLOT: Final = "[key]"
_REMEMBERED: Final = 20_000
_SHORT: Final = 500
"""The most characters of a text whose scrubbed form is remembered, and of one of which many are;
both bound the memory."""


def scrubbed(text: str, secrets: Iterable[str] | None = None, *, shapes: bool = True) -> str:
    """The text with every key in it replaced by ``[key]``.

    ``secrets`` are keys whatever their shape; without them, those of the environment are.
    Without ``shapes``, they alone are replaced.
    """
    known = environment_secrets() if secrets is None else tuple(secrets)
    if len(text) > _REMEMBERED:
        return _scrubbed(text, known, shapes)
    # The messages of a view are scrubbed with each request that holds them; facts and what decided
    # on them stand in records, in failures and in the reasons of scores.
    once = _short_scrubbed_once if len(text) <= _SHORT else _scrubbed_once
    return once(text, known, shapes)


def _scrubbed(text: str, secrets: tuple[str, ...], shapes: bool) -> str:
    text = replace(text, find_known(text, secrets), lambda _: BLOT)
    if shapes and (len(text) >= LONG or "://" in text):
        text = replace(text, find(text), lambda _: BLOT)
    return text


_scrubbed_once: Final = lru_cache(maxsize=1024)(_scrubbed)
_short_scrubbed_once: Final = lru_cache(maxsize=8192)(_scrubbed)


def scrubbed_json(
    value: Any, ciphertext: Set[str] = frozenset(), secrets: tuple[str, ...] | None = None
) -> Any:
    """A copy of a JSON value with all its texts scrubbed, the names of members included.

    ``ciphertext`` names members in which anything can look like a key by chance: only known
    secrets are replaced there. A name that is also the endpoint's key, when that is a short
    word, stays. ``secrets`` are keys whatever their shape; without them, those of the
    environment are.
    """
    secrets = environment_secrets() if secrets is None else secrets
    # A key such as "content" would otherwise rename the members of every record.
    in_names = tuple(s for s in secrets if len(s) >= LONG or not s.isalpha())
    least = shortest_form(secrets)

    def scrub_text(text: str, known: tuple[str, ...], shapes: bool = True) -> str:
        # Most texts are names and words that are shorter than any key.
        if len(text) < least and len(text) < LONG and "://" not in text:
            return text
        return scrubbed(text, known, shapes=shapes)

    def scrub(value: Any, shapes: bool = True) -> Any:
        if isinstance(value, str):
            return scrub_text(value, secrets, shapes)
        if isinstance(value, list | tuple):
            return [scrub(item) for item in value]
        if isinstance(value, Mapping):
            return {
                scrub_text(str(name), in_names): scrub(item, name not in ciphertext)
                for name, item in value.items()
            }
        return value

    return scrub(value)
