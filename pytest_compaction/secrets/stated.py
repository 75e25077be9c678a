"""Secrets by where they stand: elements, options of commands, and sentences.

What stands there need not look like a key. A sentence or an option names many other things a
key or a token, so there a value must look like one: as a hash does, as a UUID, or random.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pytest_compaction.secrets.blocks import Span
from pytest_compaction.secrets.formatted import without_gaps

_OPAQUE: Final = (
    r"(?:[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
    r"|(?=[A-Za-z_\-+/.~]{0,80}[0-9])[A-Za-z0-9_\-+/.~]{20,200}={0,2})(?![\w\-+/(\[])"
)
"""A UUID, a hash, or any word of that length with a digit."""


_WORDLIKE: Final = re.compile(r"[A-Za-z]+[0-9]{0,4}(?:[_.\-/]+(?:[A-Za-z]+[0-9]{0,4}|[0-9]{1,4}))*")


def _is_opaque(value: str) -> bool:
    """Whether a value is not made of words and small numbers."""
    return not _WORDLIKE.fullmatch(value.rstrip(".")) and "/" not in value[:1]


_FORMS: Final = (
    # <token>…</token>, --token …, "the API key is …"
    (
        ("token>", "key>", "secret>"),
        re.compile(
            rf"(?i)<[\w.:\-]{{0,30}}(?:token|secret|api_?-?key|access_?-?key)>(?P<secret>{_OPAQUE})</"
        ),
    ),
    (
        ("--",),
        re.compile(
            r"(?i)(?<!\S)--[a-z\-]{0,30}(?:token|secret|api-?key|access-?key|private-?key|auth)"
            rf"[ \t]{{1,3}}[\"']?(?P<secret>{_OPAQUE})"
        ),
    ),
    (
        (" is ", " was ", ": ", " to "),
        re.compile(
            r"(?i)\b(?:key|token|secret|credential|password)s?(?:[ ]value|[ ]for[ ][\w.\-]{1,30})?"
            rf"(?:[ ](?:is|was|to)(?:[ ]now)?:?|:)[ ][\"'`*]{{0,3}}(?P<secret>{_OPAQUE})"
        ),
    ),
)
"""Signs of which one is in every match, and the pattern with the value."""
_OTHER_KEYS: Final = re.compile(
    r"(?i)(?:cache|hash|primary|foreign|sort|public|idempotency|dedup\w*|partition|row|object|query"
    r"|map|dict|storage|routing|license|next|page|continuation)[_ \-]?\Z"
)
"""What else is called a key or a token, in the words before."""


def find_stated(text: str) -> Iterator[Span]:
    """Where secrets stand that the form of an element, a command or a sentence shows; linear."""
    plain = without_gaps(text)
    for signs, pattern in _FORMS:
        if any(sign in plain for sign in signs):
            for match in pattern.finditer(plain):
                start = match.start()
                other = _OTHER_KEYS.search(plain, max(0, start - 24), start)
                if not other and _is_opaque(match["secret"]):
                    yield match.span("secret")
