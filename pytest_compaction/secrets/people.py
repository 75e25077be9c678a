"""E-mail addresses of people in the text of a transcript, and the names before them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

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


def names_rule(names: Iterable[str]) -> re.Pattern[str]:
    """Finds these names as whole words, the longest first."""
    ordered = sorted(names, key=lambda name: (-len(name), name))
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, ordered))})(?!\w)")
