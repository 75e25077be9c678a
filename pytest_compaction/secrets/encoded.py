"""Base64 of readable text: how its runs look, and what they stand for."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

ENCODED: Final = re.compile(r"(?:[I-Za-f][A-Za-z0-9+/_\-]{3}){4}[A-Za-z0-9+/_\-]{4,}={0,2}")
"""Every fourth character of base64 of ASCII is of the middle of the alphabet (RFC 4648)."""
_PRINTABLE: Final = re.compile(r"[\x20-\x7e\s]+")
_LONGEST: Final = 100_000
_GROUP: Final = 4


def decoded(run: str) -> str | None:
    """The printable ASCII text that a run of base64 stands for; ``None`` if it stands for none."""
    plain = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(plain) > _LONGEST or len(plain) % _GROUP == 1:
        return None
    try:
        octets = base64.b64decode(plain + "=" * (-len(plain) % _GROUP), validate=True)
    except binascii.Error:
        return None
    text = octets.decode("latin-1")
    return text if _PRINTABLE.fullmatch(text) else None
