"""E-mail addresses of people in the text of a transcript, and the names before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from pytest_compaction.secrets.blocks import Span

_MAIL: Final = (
    r"[A-Za-z0-9_][\w.+%-]{0,63}@"
    r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,5}[A-Za-z]{2,24}(?![\w@-]|\.\w)"
)
ADDRESS: Final = re.compile(rf"(?:(?<=\\u003c)|(?<![\w.+%@/:-])(?!u003c))(?!git@){_MAIL}")
"""An e-mail address, or what looks like one; some writers of JSON escape the ``<`` before it."""
_NOBODY: Final = re.compile(
    r"(?i)^(?:no-?reply|do-?not-?reply|users?|name|you|me|foo|someone|test|openhands)@"
    r"|@(?:(?:[\w-]+\.)*example\.(?:com|org|net)|(?:test|foo|bar|domain|company|your-?domain)\.com"
    r"|[\d.]+x?\.\w+|.*\.(?:png|jpe?g|gif|svg|webp|ico|pdf"
    r"|[cm]?[jt]sx?|py|rs|go|md|json|ya?ml|toml|css|html?|invalid|test|example|local(?:host|domain)?))$"
)
"""Addresses that belong to no person: of examples, services, packages and pictures."""
_CAPITALISED: Final = r"[A-ZÀ-ÖØ-Þ][\w.'’-]{0,30}"
_NAMED: Final = re.compile(
    rf"(?<![\w.'’-])(?P<name>{_CAPITALISED}(?: (?:[a-z]{{2,3}} )?{_CAPITALISED}){{1,3}})"
    rf" (?:<|\\u003c)(?P<address>{_MAIL})"
)
"""As git, e-mail and manifests write people: ``Ann Lee <ann@acme.io>``."""
_WORD: Final = re.compile(r"\w")
_FIRST_WORD: Final = re.compile(r"[A-ZÀ-ÖØ-Þ](?<!\w.)(?=([\w.'’-]{0,30}) )")
"""The letter is sought before it is asked what stands before it, which is faster."""


def is_of_person(address: str) -> bool:
    """Whether an address may be that of a person."""
    return _NOBODY.search(address) is None


def named_people(text: str) -> Iterator[tuple[str, str]]:
    """Names of two words or more that stand before an address, each with the address; linear.

    A first name alone says little of a person, and as a word it may mean anything.
    """
    if "@" in text:
        for match in _NAMED.finditer(text):
            if is_of_person(match["address"]):
                yield match["name"], match["address"]


class KnownNames:
    """Names of people as :func:`named_people` gives them, for any number in one pass."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_first: dict[str, dict[int, set[str]]] = {}
        """By their first word, then by their length, the longest first."""
        for name in sorted(names, key=len, reverse=True):
            by_length = self._by_first.setdefault(name.partition(" ")[0], {})
            by_length.setdefault(len(name), set()).add(name)

    def places(self, text: str) -> Iterator[Span]:
        """Where the names stand as whole words, the longest at each place; linear."""
        end = 0
        for match in _FIRST_WORD.finditer(text):
            start = match.start()
            if start < end:
                continue
            for length, names in self._by_first.get(match[0] + match[1], {}).items():
                stop = start + length
                if text[start:stop] in names and not _WORD.match(text, stop):
                    end = stop
                    yield start, stop
                    break
