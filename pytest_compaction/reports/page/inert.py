"""Data and code inside an HTML file: JSON that cannot end its element, and what may run."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final

from pytest_compaction.records import finite

_INERT: Final = str.maketrans(
    {ch: f"\\u{ord(ch):04x}" for ch in ("<", ">", "&", "\u2028", "\u2029")}
)


def inert_json(data: Any) -> str:
    """JSON for a script element: no text in it ends the element or begins a comment.

    Whatever is not ASCII is escaped, lone surrogates too; NaN and infinities become ``null``.
    """
    text = json.dumps(finite(data), separators=(",", ":"), allow_nan=False)
    return text.translate(_INERT)


def content_policy(script: str, style: str) -> str:
    """A Content-Security-Policy that lets this script and this style in, and nothing else.

    Source: W3C, "Content Security Policy Level 3" (2024), section 2.3.1: a hash is that of the
    text between the tags. Scripts that hold data do not run and need none.
    """
    sources = {"script-src": [script], "style-src": [style]}
    allowed = (f"{name} {_hashes(texts)}" for name, texts in sources.items())
    return "; ".join(["default-src 'none'", *allowed, "base-uri 'none'", "form-action 'none'"])


def _hashes(texts: Iterable[str]) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in texts)
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
